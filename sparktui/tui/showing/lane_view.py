"""What a lane says: its name, its digits, three lines of figures, and which lane is ahead. Pure: sessions in, text out."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sparktui.core.figures.burstscale import ramp
from sparktui.core.liverun import LiveRun
from sparktui.core.records import RunRecord, ServerInfo
from sparktui.report import numbers
from sparktui.report.numbers import ABSENT
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.roles import Role

# text, role, bold
Piece = tuple[str, Role, bool]
_SIMULATED = "demo"
_GAP: Piece = ("   ", "muted", False)


class LaneView(Struct, frozen=True, kw_only=True):
    """`lines`: three, beside the digits. `status`: the right side of the head."""

    digits: str = ABSENT
    digits_role: Role = "faint"
    lines: tuple[tuple[Piece, ...], ...] = ((), (), ())
    status: tuple[tuple[str, bool], ...] = ()


def lane_names(one: RunRecord, other: RunRecord) -> tuple[str, str]:
    """What tells the two apart in a word: prompt, label, model, else A and B."""
    candidates = (
        (one.prompt.name, other.prompt.name),
        (one.label, other.label),
        (one.server.model.rsplit("/", 1)[-1], other.server.model.rsplit("/", 1)[-1]),
    )
    found = next((pair for pair in candidates if pair[0] != pair[1] and all(pair)), ("A", "B"))
    return shown(found[0]), shown(found[1])


def lane_context(record: RunRecord, name: str) -> str:
    """What stands behind the name in a lane's head: `T 0 · shipped · 12:04:17`."""
    parts = [record.prompt.name] if record.prompt.name != name else []
    parts += [f"T {numbers.temperature(record.params.temperature)}"] if record.params.temperature is not None else []
    parts += [record.label] if record.label != name else []
    moment = numbers.local_time(record.started_at)
    parts += [f"{moment:%H:%M:%S}"] if moment is not None else []
    return " · ".join(shown(part) for part in parts)


def lanes_server(first: ServerInfo, second: ServerInfo) -> tuple[ServerInfo | None, str]:
    """The server that both runs came from, and ""; where they are two, None and their models.

    Each start of the simulated one is the same.
    """
    if first == second or first.kind == second.kind == _SIMULATED:
        return first, ""
    return None, " · ".join(f"{info.model} (simulated)" if info.kind == _SIMULATED else info.model for info in (first, second))


def lane_view(run: LiveRun | None, now_ns: int) -> LaneView:
    """The figures of a lane at `now_ns`: so far while it runs, the record's once it has ended."""
    if run is None:
        return LaneView()
    return _ended(run.record) if run.record is not None else _running(run, now_ns)


class _Figures(Struct, frozen=True, kw_only=True):
    """`rate_of`: what the rate in the digits is of."""

    rate_of: str
    ttft: str
    waiting: bool = False
    per_chunk: float | None
    gap_ms: float | None
    burstiness: float | None
    tokens: str


def _running(run: LiveRun, now_ns: int) -> LaneView:
    rate, waiting = run.tok_s_net, run.ttft_s is None
    figures = _Figures(
        rate_of="so far",
        ttft=numbers.elapsed(run.elapsed_s(now_ns)) if waiting else numbers.seconds(run.ttft_s),
        waiting=waiting,
        per_chunk=run.tokens_per_chunk,
        gap_ms=run.gaps.median_ms,
        burstiness=run.gaps.burstiness,
        tokens=numbers.count(run.tokens, estimated=not run.tokens_exact and run.chunks > 0),
    )
    role: Role = "faint" if rate is None else ramp(run.tokens_per_chunk or 0)
    return LaneView(digits=numbers.tok_s_now(rate).replace(",", ""), digits_role=role, lines=_lines(figures))


def _ended(record: RunRecord) -> LaneView:
    rate = numbers.tok_s(record.client_tok_s)
    words = f"✓ {rate} tok/s" if rate != ABSENT else "✓"
    if record.status != "ok":
        words = f"■ {record.status.replace('_', ' ')}"
    figures = _Figures(
        rate_of="client",
        ttft=numbers.seconds(record.ttft_s),
        per_chunk=record.tokens_per_chunk,
        gap_ms=record.gap_ms.p50 if record.gap_ms is not None else None,
        burstiness=record.burstiness,
        tokens=numbers.count(record.completion_tokens, estimated=record.tokens_estimated),
    )
    role: Role = "faint" if rate == ABSENT else ramp(record.tokens_per_chunk or 0)
    return LaneView(digits=rate.replace(",", ""), digits_role=role, lines=_lines(figures), status=((words, True),))


def _lines(of: _Figures) -> tuple[tuple[Piece, ...], ...]:
    role: Role = ramp(of.per_chunk) if of.per_chunk is not None else "faint"
    per_chunk = f"{numbers.per_chunk(of.per_chunk)} tok" if of.per_chunk is not None else ABSENT
    shape = numbers.burst_word(of.burstiness)
    return (
        (("tok/s", "text", True), (f" {of.rate_of}", "muted", False), _GAP, *_figure("TTFT", of.ttft, "muted" if of.waiting else "text")),
        (*_figure("per chunk", per_chunk, role), _GAP, *_figure("gap", numbers.gap_ms(of.gap_ms))),
        (
            *_figure("burstiness", numbers.burstiness(of.burstiness)), (f" {shape}", "muted", False), _GAP,
            *_figure("tokens", of.tokens),
        ),
    )  # fmt: skip


def _figure(name: str, number: str, role: Role = "text") -> tuple[Piece, Piece]:
    return (f"{name} ", "muted", False), (number, "faint" if number == ABSENT else role, number != ABSENT)


def ahead(names: tuple[str, str], runs: Sequence[LiveRun | None]) -> str:
    """Which lane has more tokens at this moment and by how many; once both ended, which was done first and by how long."""
    one, other = runs
    if one is None or other is None:
        return ""
    if one.done and other.done:
        took = (one.elapsed_s(0), other.elapsed_s(0))
        if round(took[0], 1) == round(took[1], 1):
            return "both took the same time"
        first = 0 if took[0] < took[1] else 1
        return f"{names[first]} was done {numbers.elapsed(abs(took[0] - took[1]))} earlier"
    lead = round(one.tokens) - round(other.tokens)
    if not one.chunks and not other.chunks:
        return ""
    if lead == 0:
        return "level"
    exact = one.tokens_exact and other.tokens_exact
    return f"{names[0 if lead > 0 else 1]} ahead by {numbers.count(abs(lead), estimated=not exact)} tokens"
