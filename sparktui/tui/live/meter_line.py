"""The meter in one line, for terminals without room beside the stream. Fields drop whole from the right; no figure is cut. Pure."""

from __future__ import annotations

from typing import NamedTuple

from sparktui.core.figures.burstscale import ramp
from sparktui.core.figures.phase import Phase
from sparktui.core.liverun import LiveRun
from sparktui.core.session import SessionState
from sparktui.report import numbers
from sparktui.report.numbers import ABSENT
from sparktui.tui.drawing.roles import Role

Field = tuple[tuple[str, Role, bool], ...]


class MeterText(NamedTuple):
    """`badge` on the ground of `badge_role`, then fields of (text, role, bold) in the order in which they drop from the right."""

    badge: str
    badge_role: Role
    fields: tuple[Field, ...]


class _Now(NamedTuple):
    """What both widths say of a run."""

    ttft: str
    tokens: str
    estimated: bool
    chunks: str
    per_chunk: float | None


def meter_text(session: SessionState, phase: Phase, now_ns: int, *, small: bool) -> MeterText:
    """The line at `now_ns`."""
    run = session.current
    if run is None:
        return MeterText(f" {ABSENT} tok/s ", "faint", ((("no run yet", "muted", False),),))
    badge, role = _badge(run, phase, now_ns)
    now = _now(run, now_ns)
    fields = _small(now) if small else _mid(session, run, now)
    return MeterText(badge, role, fields)


def _badge(run: LiveRun, phase: Phase, now_ns: int) -> tuple[str, Role]:
    if phase.name == "prefill":
        return f" prefill {int(phase.seconds)} s ", "muted"
    if phase.name == "stalled":
        return " 0 tok/s ", "faint"
    if run.record is not None:
        rate = run.record.client_tok_s
        shown = numbers.tok_s(rate, estimated=run.record.tokens_estimated)
        return f" {shown} tok/s ", ramp(run.record.tokens_per_chunk or 0) if rate is not None else "faint"
    rate = run.rate.now(now_ns)
    mark = "" if run.tokens_exact or rate is None else "≈ "
    return f" {mark}{numbers.tok_s_now(rate)} tok/s ", ramp(run.tokens_per_chunk or 0) if rate else "faint"


def _now(run: LiveRun, now_ns: int) -> _Now:
    record = run.record
    if record is not None:
        tokens = numbers.count(record.completion_tokens)
        return _Now(numbers.seconds(record.ttft_s), tokens, record.tokens_estimated, numbers.count(record.chunks), record.tokens_per_chunk)
    ttft = numbers.seconds(run.ttft_s) if run.ttft_s is not None else f"{int(run.elapsed_s(now_ns))} s"
    return _Now(ttft, numbers.count(run.tokens), not run.tokens_exact and run.chunks > 0, numbers.count(run.chunks), run.tokens_per_chunk)


def _mid(session: SessionState, run: LiveRun, now: _Now) -> tuple[Field, ...]:
    limit = "" if run.max_tokens is None else f"/{numbers.count(run.max_tokens)}"
    per_chunk_role: Role = ramp(now.per_chunk) if now.per_chunk is not None else "faint"
    fields: list[Field] = [
        (("TTFT ", "muted", False), (now.ttft, "text", True)),
        (("tok ", "muted", False), (numbers.mark(now.tokens, now.estimated) + limit, "text", True)),
        (("chunks ", "muted", False), (now.chunks, "text", True)),
        (("per chunk ", "muted", False), (numbers.per_chunk(now.per_chunk), per_chunk_role, True)),
    ]
    progress = session.progress
    if progress is not None and progress.total:
        eta = numbers.clock(progress.eta_s)
        left = "" if progress.finished or eta == ABSENT else f" ≈ {eta}"
        fields.append(((f"{progress.done}/{progress.total}{left}", "muted", False),))
    return tuple(fields)


def _small(now: _Now) -> tuple[Field, ...]:
    fields: list[Field] = [((f"TTFT {now.ttft}", "text", False),), ((f"{numbers.mark(now.tokens, now.estimated)} tok", "text", False),)]
    if now.per_chunk is not None:
        fields.append(((f"{numbers.per_chunk(now.per_chunk)}/chunk", "text", False),))
    return tuple(fields)
