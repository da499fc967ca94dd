"""Figures of speculative decoding and of the speed against a baseline. Formulas: docs/metrics.md, "Speculative decoding"."""

from __future__ import annotations

import msgspec

from sparktui.core.records import RunRecord
from sparktui.core.stats.baseline import Baseline


def server_decode_s(record: RunRecord) -> float | None:
    """The server's decode time: its own figure, else completion tokens ÷ its rate; None where it gives neither."""
    if record.server_decode_s:
        return record.server_decode_s
    if record.server_tok_s and record.completion_tokens and not record.tokens_estimated:
        return record.completion_tokens / record.server_tok_s
    return None


def derive(record: RunRecord, steps_checked: bool, baseline: Baseline | None = None) -> RunRecord:
    """`record` with acceptance rate, steps, step time and cost, and speed-up computed anew from its counts, times and rates.

    `steps_checked`: N − a was checked to be the verify steps of this server kind. A `verify_steps` the record already has, and which is
    not N − a, is the server's own and stays. Without a baseline `step_cost` and `speedup` are None.
    """
    steps = _verify_steps(record, steps_checked)
    tokens = record.completion_tokens
    per_step = tokens / steps if tokens and steps else None
    a, p = record.draft_accepted, record.draft_proposed
    record = msgspec.structs.replace(
        record,
        acceptance_rate=a / p if p and a is not None else None,
        verify_steps=steps,
        tokens_per_step=per_step,
        drafted_per_step=p / steps if p and steps else None,
        steps_per_chunk=steps / record.chunks if steps and record.chunks else None,
    )
    return _against(msgspec.structs.replace(record, step_ms=_step_ms(record)), baseline)


def _verify_steps(record: RunRecord, steps_checked: bool) -> int | None:
    """The server's own count, else N − a where scope is request, 0 ≤ a < N, the counts are whole and the kind is checked."""
    if record.verify_steps:
        return record.verify_steps
    n, a = record.completion_tokens, record.draft_accepted
    trusted = steps_checked and record.acceptance_scope == "request" and not record.tokens_estimated
    if not trusted or "partial_acceptance" in record.flags or n is None or a is None or not 0 <= a < n:
        return None
    return n - a


def _step_ms(record: RunRecord) -> float | None:
    """Milliseconds a verify step, by the server's decode time; else by the client's, less the steps that filled the first chunk."""
    steps = record.verify_steps
    if not steps:
        return None
    if (decode_s := server_decode_s(record)) is not None:
        return 1000 * decode_s / steps
    if not record.decode_s or record.client_tok_s is None or not record.first_chunk_tokens or not record.tokens_per_step:
        return None
    later = steps - record.first_chunk_tokens / record.tokens_per_step
    return 1000 * record.decode_s / later if later >= 1 else None


def _against(record: RunRecord, baseline: Baseline | None) -> RunRecord:
    """`step_cost` and `speedup` with the name of the rate both sides were measured by."""
    cost = speedup = rate = None
    if baseline is not None:
        if record.step_ms is not None and baseline.tok_s:
            cost = record.step_ms / (1000 / baseline.tok_s)
        if record.server_tok_s and baseline.server_tok_s:
            speedup, rate = record.server_tok_s / baseline.server_tok_s, "server_tok_s"
        elif record.client_tok_s_net and baseline.client_tok_s_net:
            speedup, rate = record.client_tok_s_net / baseline.client_tok_s_net, "client_tok_s_net"
    used = baseline is not None and (cost is not None or speedup is not None)
    return msgspec.structs.replace(
        record, step_cost=cost, speedup=speedup, speedup_rate=rate, baseline_id=baseline.id if used and baseline is not None else None
    )
