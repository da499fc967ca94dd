"""How a run is named on the screen: its title, its link in the log, how it ended. Pure."""

from __future__ import annotations

from sparktui.core.liverun import LiveRun
from sparktui.core.records import RunRecord
from sparktui.core.session import SessionState
from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.pen import Ink
from sparktui.tui.drawing.roles import Roles

_LONGEST_ERROR = 400


def run_title(session: SessionState, *, short: bool = False) -> str:
    """The run on screen: `code · T 0 · run 2/3`; short: `code 2/3`; of a sweep the variant first. "" without one."""
    run = session.current
    if run is None:
        return ""
    started = run.started
    parts = [shown(started.prompt.name)]
    number = ""
    if started.warmup:
        number = "warm-up"
    elif started.run_no:
        number = f"{started.run_no}/{started.runs}" if started.runs else str(started.run_no)
    of_sweep = session.plan is not None and session.plan.kind == "sweep" and session.plan.plan_id == started.bench_id
    if short:
        return f"{shown(started.label) if of_sweep else parts[0]} {number}".strip()
    if of_sweep:
        parts.insert(0, shown(started.label))
    needle = started.needle or {}
    if isinstance(needle.get("length"), int):
        parts.append(f"{numbers.count(needle['length'])} tokens")
        depths = needle.get("depths") or [needle.get("depth")]
        parts += [f"depth {', '.join(f'{depth:g}' for depth in depths if depth is not None)}"] if depths != [None] else []
        parts += ["warm"] if needle.get("warm") else []
    elif started.params.temperature is not None:
        parts.append(f"T {numbers.temperature(started.params.temperature)}")
    if number:
        parts.append(number if started.warmup else f"run {number}")
    if len(session.active) > 1:
        parts.append(f"{len(session.active)} in flight")
    if started.attempt > 1:
        parts.append(f"attempt {started.attempt}")
    return " · ".join(parts)


def wait_note(run: LiveRun) -> str:
    """What is worth saying while a run waits for its first text: a retry and why, keep-alives; "" for nothing."""
    notes = [f"retry {len(run.retries)}: {run.retries[-1].reason}"] if run.retries else []
    pings = run.waiting.pings if run.waiting is not None else 0
    notes += [f"the server is alive: {pings} keep-alive{'s' * (pings != 1)}"] if pings else []
    return "; ".join(notes)


def log_link(session: SessionState, n: int) -> str:
    """The run that log record `n` belongs to: `run 1` of the cell on screen, `story 2` of another, a single run by its time."""
    record = session.record(session.run_of_log(n))
    if record is None:
        return ""
    if not record.run_no:
        moment = numbers.local_time(record.started_at)
        return f"{record.prompt.name} {moment:%H:%M}" if moment is not None else record.prompt.name
    current = session.current
    same = current is not None and current.started.prompt.name == record.prompt.name and current.started.params == record.params
    return f"{'run' if same else record.prompt.name} {record.run_no}"


def ending_inks(record: RunRecord, roles: Roles) -> list[Ink]:
    """The last row of a run that did not end well: how, after how long, and what was kept."""
    muted = roles.style("muted")
    tokens = numbers.count(record.completion_tokens, estimated=record.tokens_estimated)
    kept = f"{tokens} tokens kept" if record.completion_tokens else "no text"
    after = f" after {numbers.elapsed(record.total_s)}" if record.total_s is not None else ""
    if record.status == "cancelled":
        return [(f"■ cancelled{after}, {kept}", muted)]
    why = shown(record.error or "")[:_LONGEST_ERROR]
    if record.status == "cut_off":
        return [("■ cut off", roles.style("burst", bold=True)), (f"{after}, {kept}" + (f": {why}" if why else ""), muted)]
    return [("✕ failed", roles.style("bad", bold=True)), (f": {why}" if why else f"{after}, {kept}", roles.style())]


def base_name(source: str) -> str:
    """A path's last part; a command or a name as it is."""
    return source.rstrip("/").rsplit("/", maxsplit=1)[-1] if source.startswith(("/", "~", ".")) else source
