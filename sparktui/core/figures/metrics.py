"""The record of a run: every figure of docs/metrics.md, None where it cannot be known."""

from __future__ import annotations

from typing import Any, cast

from sparktui.core.events import RunStarted
from sparktui.core.figures.bursts import is_buffered
from sparktui.core.figures.chunkfigures import Chunks, chunk_values, rate_values, timeline
from sparktui.core.figures.drafting import derive
from sparktui.core.figures.joining import apply_figures
from sparktui.core.figures.reported import NO_RATES, in_order, reported
from sparktui.core.figures.state import RunState
from sparktui.core.figures.tokens import estimate_tokens, measured_ratio
from sparktui.core.records import Memory, RunRecord, ServerInfo, Status
from sparktui.core.stats.baseline import Baseline

__all__ = ["apply_figures", "derive", "measured_chars_per_token", "record_of"]


def record_of(
    state: RunState,
    *,
    status: Status,
    server: ServerInfo,
    finish_reason: str | None = None,
    error: str | None = None,
    steps_checked: bool = False,
    baseline: Baseline | None = None,
    chars_per_token: float | None = None,
    keep_text: bool = True,
    keep_timeline: bool = True,
    idle_checked: bool = False,
    memory: Memory | None = None,
    needle: dict[str, Any] | None = None,
    request_id: str | None = None,
) -> RunRecord:
    """The finished run that `state` folded, with every figure that can be known of it.

    `chars_per_token`: this model's measured ratio, for answers without a count. `needle` is added to the one the run was started with.
    Raises ValueError for a run that never started.
    """
    started = state.started
    if started is None:
        raise ValueError("a record needs the run's start")
    values, flags, notes = _figures(state, chars_per_token)
    if keep_timeline and state.chunks:
        values["timeline"] = timeline(chunks_in(state), values["completion_tokens"])
    if keep_text:
        values.update(text=state.text or None, reasoning=state.reasoning or None, tool_calls=state.tool_calls or None)
    record = RunRecord(
        **_identity(started),
        status=status,
        server=server,
        simulated=server.kind == "demo",
        error=error,
        flags=in_order(flags),
        warnings=(*state.warnings, *notes),
        retries=tuple(state.retries),
        idle_checked=idle_checked,
        finish_reason=finish_reason or state.finish_reason,
        request_id=request_id or state.request_id or None,
        memory=memory,
        needle={**(started.needle or {}), **(needle or {})} or None,
        **values,
    )
    return derive(record, steps_checked, baseline)


def _identity(started: RunStarted) -> dict[str, Any]:
    """The fields a record takes over from the run's start."""
    names = ("started_at", "label", "prompt", "params", "bench_id", "run_no", "warmup", "connect_s")
    return {"id": started.run_id, **{name: getattr(started, name) for name in names}}


def _figures(state: RunState, chars_per_token: float | None) -> tuple[dict[str, Any], set[str], tuple[str, ...]]:
    """Every figure that is not derived from others, the run's flags, and the notes that go with them."""
    flags = set(state.flags)
    if state.t_send_ns is not None and is_buffered(state.t_send_ns, state.chunk_ns, state.chunk_characters):
        flags.add("buffered")
    unpaced = bool(flags & NO_RATES)
    ttft_s = None if unpaced else _since_send_s(state, state.first_ns)
    told = reported(state.figures, ttft_s=ttft_s, characters=state.characters)
    values = {**told.values, **_stamp_values(state, streamed="not_streamed" not in flags)}
    tokens, values["tokens_estimated"] = _completion_tokens(state, told.values["completion_tokens"], chars_per_token)
    values["completion_tokens"] = tokens
    values.update(chunk_values(chunks_in(state), tokens))
    values.update(rate_values(tokens, values.get("first_chunk_tokens"), None if unpaced else values["decode_s"]))
    return values, flags | told.flags, told.notes


def chunks_in(state: RunState) -> Chunks:
    """The state's chunks, stamps counted from the send."""
    sent = state.t_send_ns or 0
    return Chunks([t - sent for t in state.chunk_ns], state.chunk_kinds, state.chunk_characters, state.chunk_totals)


def measured_chars_per_token(state: RunState, record: RunRecord) -> float | None:
    """The model's own ratio for later estimates, from a run whose tokens the server counted; None where it says nothing."""
    if record.tokens_estimated or "token_mismatch" in record.flags or record.status != "ok":
        return None
    texts = (("content", state.text), ("reasoning", state.reasoning), ("tool", state.tool_calls))
    return measured_ratio(cast(Any, texts), record.completion_tokens)


def _since_send_s(state: RunState, t_ns: int | None) -> float | None:
    return None if t_ns is None or state.t_send_ns is None else (t_ns - state.t_send_ns) / 1e9


def _stamp_values(state: RunState, *, streamed: bool) -> dict[str, float | None]:
    """Seconds since the send. What did not come as a stream has no first text and no decode time of its own."""
    values = {
        "headers_s": _since_send_s(state, state.headers_ns),
        "first_event_s": _since_send_s(state, state.first_event_ns),
        "total_s": _since_send_s(state, state.done_ns),
    }
    if streamed:
        values["ttft_s"] = _since_send_s(state, state.first_ns)
        values["ttft_content_s"] = _since_send_s(state, state.first_content_ns)
        values["decode_s"] = chunks_in(state).decode_s
    else:
        values.update(ttft_s=None, ttft_content_s=None, decode_s=None)
    return values


def _completion_tokens(state: RunState, counted: int | None, chars_per_token: float | None) -> tuple[int | None, bool]:
    """Completion tokens and whether they are estimated: the server's count, its last running count, else from the text."""
    if counted is not None:
        return counted, False
    if state.chunks and (last := state.chunk_totals[-1]):
        return last, False
    if not state.characters:
        return None, False
    texts = (("content", state.text), ("reasoning", state.reasoning), ("tool", state.tool_calls))
    estimate = sum(estimate_tokens(text, chars_per_token, cast(Any, kind)) for kind, text in texts)
    return max(1, round(estimate)), True
