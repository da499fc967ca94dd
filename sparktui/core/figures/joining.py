"""Figures that come after a run (its log record, a metrics endpoint) joined into its record: they fill gaps and expose contradictions."""

from __future__ import annotations

from typing import Any

import msgspec

from sparktui.core.delta import ServerFigures
from sparktui.core.figures.chunkfigures import chunk_values, chunks_of, rate_values
from sparktui.core.figures.drafting import derive
from sparktui.core.figures.reported import NO_RATES, Values, acceptance_values, in_order, reported
from sparktui.core.records import RunRecord
from sparktui.core.stats.baseline import Baseline

_FILLED = (
    "prompt_tokens", "cached_tokens", "new_tokens", "reasoning_tokens", "queue_s", "prefill_s", "server_tok_s", "server_decode_s",
)  # fmt: skip
_RESTARTED = "The server restarted its counters during this answer: draft and prompt figures cover only part of it."


def apply_figures(record: RunRecord, figures: ServerFigures, *, steps_checked: bool, baseline: Baseline | None = None) -> RunRecord:
    """`record` with what it did not know filled in from `figures`; what the answer itself said stays.

    Flags: `token_mismatch` where the counts differ, `partial_acceptance` where prompt counts show that the server restarted its counters,
    `not_idle`, `cached_prompt` and `model_loaded` as for a new record. Figures of more than this request (scope) are not taken.
    """
    if figures.acceptance_scope not in (None, "request"):
        return record
    told = reported(figures, ttft_s=None, characters=0)
    values: Values = {name: told.values[name] for name in _FILLED if getattr(record, name) is None}
    flags = {*record.flags, *(told.flags - {"token_mismatch", "not_idle"})}
    notes = list(record.warnings)
    if record.queue_s is None and "not_idle" in told.flags:
        flags.add("not_idle")
    if (record.prefill_tok_s is None or record.prefill_estimated) and told.values["prefill_tok_s"] is not None:
        values.update(prefill_tok_s=told.values["prefill_tok_s"], prefill_estimated=False)
    if _restarted_counters(record, figures):
        flags.add("partial_acceptance")
        _note(notes, _RESTARTED)
    if record.verify_steps is not None and record.verify_steps == _derived_steps(record):
        values["verify_steps"] = None
    if record.draft_proposed is None:
        values.update(acceptance_values(figures))
    counted = told.values["completion_tokens"]
    if counted and (record.completion_tokens is None or record.tokens_estimated):
        values.update(_recounted(record, counted))
    elif counted and counted != record.completion_tokens:
        flags.add("token_mismatch")
        _note(notes, f"The answer counts {record.completion_tokens} tokens, the log {counted}.")
    values.update(flags=in_order(flags), warnings=tuple(notes))
    return derive(msgspec.structs.replace(record, **values), steps_checked, baseline)


def _restarted_counters(record: RunRecord, figures: ServerFigures) -> bool:
    """Cached + new tokens are not the prompt, or the log's prompt is not the answer's (a long generation was requeued inside)."""
    cached, new, prompt = figures.cached_tokens, figures.new_tokens, figures.prompt_tokens
    if cached is not None and new is not None and prompt is not None and cached + new != prompt:
        return True
    return prompt is not None and record.prompt_tokens is not None and prompt != record.prompt_tokens


def _derived_steps(record: RunRecord) -> int | None:
    if record.completion_tokens is None or record.draft_accepted is None:
        return None
    return record.completion_tokens - record.draft_accepted


def _recounted(record: RunRecord, completion_tokens: int) -> dict[str, Any]:
    """Every field that hangs on the token count, for a count that replaces an estimate."""
    values: dict[str, Any] = {"completion_tokens": completion_tokens, "tokens_estimated": False}
    if record.timeline:
        values.update(chunk_values(chunks_of(record.timeline), completion_tokens))
        before = sum(mark.tokens for mark in record.timeline)
        factor = completion_tokens / before if before else 0
        values["timeline"] = tuple(msgspec.structs.replace(mark, tokens=round(mark.tokens * factor, 4)) for mark in record.timeline)
    elif record.completion_tokens:
        factor = completion_tokens / record.completion_tokens
        for name in ("tokens_per_chunk", "tokens_per_chunk_p50", "tokens_per_chunk_p90", "first_chunk_tokens"):
            known = getattr(record, name)
            values[name] = None if known is None else known * factor
    if not NO_RATES & set(record.flags):
        first = values.get("first_chunk_tokens", record.first_chunk_tokens)
        values.update(rate_values(completion_tokens, first, record.decode_s))
    return values


def _note(notes: list[str], text: str) -> None:
    if text not in notes:
        notes.append(text)
