"""What stands in the stream panel when there is no text: first start, waiting, no server. Pure: rows from a state."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from sparktui.core.config import BenchConfig
from sparktui.core.events import Server
from sparktui.core.expect import Prefill
from sparktui.core.sweepplan import BY_HAND, PUTTING_BACK
from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.pen import Ink, Line, cells, cut
from sparktui.tui.drawing.roles import Roles
from sparktui.tui.widgets.meter import progress_inks

_INDENT = 3
_KEY_AT, _WHAT_AT, _WHY_AT = 8, 12, 34
_BAR_CELLS = 58
_DOCTOR = "checks address, key, model and log, and says what to fix"
_Rows = list[list[tuple[int, Ink]]]


def first_start(width: int, height: int, roles: Roles, *, simulated: bool, bench: BenchConfig, command: str) -> list[Strip]:
    """Nothing has run yet: what each key shows; on the demo server also that it is one, and how to measure another."""
    bold, muted = roles.style(bold=True), roles.style("muted")
    rows: _Rows = [
        [],
        [(_INDENT, ("Nothing is running.", bold)), (_INDENT + 21, ("Press a key and watch.", muted))],
        [],
        *(
            _key(roles, key, what, why)
            for key, what, why in (
                ("c", "stream code", "it lands in bursts, 16 tokens a chunk" if simulated else "it bursts where the server drafts"),
                ("s", "stream a story", "it flows, 5 tokens a chunk" if simulated else "it flows"),
                ("b", "run the benchmark", _bench_words(bench)),
                ("i", "type a prompt", ""),
                ("?", "help", "every key, every figure"),
            )
        ),
    ]
    if simulated:
        said = "This is the built-in demo server: a simulation, not a measurement."
        rows += [[], *([(_INDENT, (line, roles.style("burst")))] for line in _wrapped(said, width - _INDENT - 1))]
        rows += _own_server(roles, command, width)
    return _painted(rows, width, height, roles)


def _own_server(roles: Roles, command: str, width: int) -> _Rows:
    """How to measure another server: two lines, three where they are short."""
    muted, text = roles.style("muted"), roles.style()
    option = f"{command} --base-url http://127.0.0.1:5000"
    first: _Rows = [[(_INDENT, ("To measure yours:", muted)), (_INDENT + 19, (option, text))]]
    if _INDENT + 19 + len(option) > width:
        first = [[(_INDENT, ("To measure yours:", muted))], [(_INDENT + 2, (option, text))]]
    second: list[tuple[int, Ink]] = [
        (_INDENT, ("or", muted)), (_INDENT + 3, ("base_url", text)), (_INDENT + 12, ("in config.yml;", muted)),
        (_INDENT + 28, (f"{command} doctor", text)), (_INDENT + 28 + len(command) + 8, ("checks it.", muted)),
    ]  # fmt: skip
    return [*first, second]


def connecting(width: int, height: int, roles: Roles, *, address: str) -> list[Strip]:
    """No server has answered yet."""
    where = shown(address) if address and address != "auto" else "the usual ports on this machine"
    muted = roles.style("muted")
    rows: _Rows = [[], [(_INDENT, ("◌ connecting", roles.style("muted", bold=True))), (_INDENT + 15, (where, muted))]]
    return _painted(rows, width, height, roles)


def unreachable(
    width: int, height: int, roles: Roles, *, server: Server, address: str, origin: str, retry_s: int | None, runs: int, command: str
) -> list[Strip]:
    """What was tried, why it failed, where the address came from, and what can be done."""
    muted, text, bold = roles.style("muted"), roles.style(), roles.style(bold=True)
    tried = shown(server.info.base_url if server.info is not None else address) or "any server"
    rows: _Rows = [
        [],
        [(_INDENT, ("✕", roles.style("bad", bold=True))), (_INDENT + 2, (cut(f"No answer from {tried}", width - 6), bold))],
        *([(_INDENT + 2, (line, muted))] for line in _wrapped(shown(server.cause), width - 7)),
        [],
        *([(_INDENT + 2, (line, text))] for line in _wrapped(shown(server.hint), width - 7)),
    ]
    if origin and origin not in server.cause:
        rows.append([(_INDENT + 2, (cut(f"base_url comes from {shown(origin)}", width - 7), muted))])
    again = f"next try by itself in {retry_s} s" if retry_s is not None else ""
    rows += [
        [],
        _key(roles, "r", "try again now", again),
        _key(roles, "D", "use the demo server", "until you quit"),
        _key(roles, "h", "history", f"{runs} run{'s' if runs != 1 else ''} are here to look at" if runs else "no runs yet"),
        [],
        [(_INDENT + 2, (f"{command} doctor", text)), (_INDENT + 11 + len(command), (_DOCTOR, muted))],
    ]
    return _painted(rows, width, height, roles)


def several(width: int, height: int, roles: Roles, *, candidates: Sequence[str]) -> list[Strip]:
    """`base_url: auto` found more than one server."""
    rows: _Rows = [
        [], [(_INDENT, ("Several servers answered.", roles.style(bold=True))), (_INDENT + 27, ("Which one?", roles.style("muted")))], [],
    ]  # fmt: skip
    rows += [_key(roles, str(number), shown(url), "") for number, url in enumerate(candidates[:9], 1)]
    rows += [[], _key(roles, "D", "use the demo server", "until you quit")]
    return _painted(rows, width, height, roles)


def hand_words(cause: str) -> str:
    """What somebody is asked to do, of a server state that waits for it."""
    return shown(cause.removeprefix(BY_HAND).removesuffix("; then continue"))


def switching(
    width: int, height: int, roles: Roles, *, cause: str, done: int, total: int, eta: str, read_only: bool
) -> list[Strip]:  # fmt: skip
    """A sweep changes the server between two runs: for which variant, how far that is, and how far the sweep is."""
    bold, muted = roles.style(bold=True), roles.style("muted")
    by_hand = cause.startswith(BY_HAND)
    about, _, what = ("by hand", "", hand_words(cause)) if by_hand else shown(cause).partition(": ")
    rows: _Rows = [[]] * max(0, min(4, (height - 7) // 2))
    rows.append([(_INDENT, ("◌", roles.style("burst"))), (_INDENT + 2, (cut(about, width - _INDENT - 3), bold))])
    rows += [[(_INDENT + 2, (line, roles.style()))] for line in _wrapped(what, width - _INDENT - 3)]
    rows += [[], [(_INDENT + 2, (f"{done} of {total} runs" + (f", {eta}" if eta else ""), muted))]]
    if not read_only and about != PUTTING_BACK:
        keys = [("S", "done, go on", "")] if by_hand else []
        keys += [("x", "cancel", "the server is put back first")]
        rows += [[], *(_key(roles, *key) for key in keys)]
    return _painted(rows, width, height, roles)


def prefill(width: int, height: int, roles: Roles, *, waited_s: float, expected: Prefill, wait_note: str = "") -> list[Strip]:
    """The request is sent and no text has come: for how long, and how far it should be."""
    bold, muted = roles.style(bold=True), roles.style("muted")
    sent = "sent, no text yet"
    if expected.prompt_tokens is not None:
        sent = f"sent {numbers.count(expected.prompt_tokens, estimated=expected.prompt_estimated)} tokens, no text yet"
    said = f"prefill {int(waited_s)} s"
    rows: _Rows = [[]] * max(0, min(4, (height - 5) // 2))
    rows.append([(_INDENT, ("◌", roles.style("burst"))), (_INDENT + 2, (said, bold)), (_INDENT + 6 + len(said), (sent, muted))])
    if expected.share is not None:
        room = max(10, min(_BAR_CELLS, width - _INDENT - 14))
        at = _INDENT
        bar: list[tuple[int, Ink]] = []
        for ink in progress_inks(expected.share, room, roles.style("burst"), roles.style("rule")):
            bar.append((at, ink))
            at += cells([ink])
        end, origin = _progress_words(expected, waited_s)
        rows += [[], [*bar, (at + 2, (end, muted))], *([(_INDENT, (line, muted))] for line in _wrapped(origin, width - _INDENT - 1))]
    if wait_note:
        rows += [[], [(_INDENT, (cut(shown(wait_note), width - _INDENT - 1), muted))]]
    return _painted(rows, width, height, roles)


def _progress_words(expected: Prefill, waited_s: float) -> tuple[str, str]:
    if expected.exact:
        return f"{100 * (expected.share or 0):.0f} %", "of the prompt, as the server reports it"
    whose = "this server's last prefill of this size" if expected.same_size else "this server's last prefill of about this size"
    origin = f"≈ from {expected.rate:,.0f} tok/s, {whose}"
    if expected.expected_s is not None and waited_s > expected.expected_s:
        return f"≈ {expected.expected_s:.0f} s", f"longer than expected; {origin}"
    return f"≈ {expected.expected_s or 0:.0f} s", origin


def _key(roles: Roles, key: str, what: str, why: str) -> list[tuple[int, Ink]]:
    accent, bold, muted = roles.style("accent", bold=True), roles.style(bold=True), roles.style("muted")
    return [(_KEY_AT, (key, accent)), (_WHAT_AT, (what, bold)), (_WHY_AT, (why, muted))]


def _bench_words(bench: BenchConfig) -> str:
    temperatures = " and ".join(numbers.temperature(temperature) for temperature in bench.temps)
    return f"{', '.join(bench.prompts)}, T {temperatures}, {bench.runs} run{'s' if bench.runs != 1 else ''} each"


def _wrapped(text: str, width: int) -> list[str]:
    """Words in rows of at most `width` cells; none for an empty text."""
    rows: list[str] = []
    for word in text.split():
        if rows and len(rows[-1]) + 1 + len(word) <= width:
            rows[-1] += f" {word}"
        else:
            rows.append(cut(word, width))
    return rows


def _painted(rows: _Rows, width: int, height: int, roles: Roles) -> list[Strip]:
    """The rows; where there are too few for all, the empty ones go first. What does not fit beside the first piece is left out whole."""
    while len(rows) > height and [] in rows:
        rows.remove([])
    strips = []
    for row in rows[:height]:
        line = Line(width, roles.style())
        for number, (x, (text, style)) in enumerate(row):
            if number == 0:
                line.put(x, (cut(text, width - x), style))
            elif x + cells([(text, style)]) <= width:
                line.put(x, (text, style))
        strips.append(line.strip())
    return strips
