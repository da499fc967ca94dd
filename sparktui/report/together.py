"""Rounds of equal requests that were sent at once: what they came to together, and how much of the time they really ran together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import cell_key
from sparktui.core.stats.statistics import median


class Round(Struct, frozen=True, kw_only=True):
    """The requests of one round that ended well, `n` of the `asked`. Rates in tokens/s, None where a count or a time is missing.

    `tok_s`: Σ completion tokens ÷ (last text of all − first text of all); for one request it is its client rate.
    `wall_tok_s`: the same over (last text of all − first request sent), so with queue and prefill.
    `at_once`: Σ decode times ÷ that first window: how many decoded at the same time on average; near 1 the server took them in turn.
    `queue_s`: the longest wait for a slot, by the server; None where it does not say. `first_text_spread_s`: last first text − first one.
    """

    label: str
    prompt: str
    temperature: int | float | None
    run_no: int
    asked: int
    n: int
    run_ids: tuple[str, ...]
    tokens: int | None = None
    estimated: bool = False
    tok_s: float | None = None
    wall_tok_s: float | None = None
    at_once: float | None = None
    request_tok_s_min: float | None = None
    request_tok_s_median: float | None = None
    request_tok_s_max: float | None = None
    queue_s: float | None = None
    first_text_spread_s: float | None = None


def rounds_of(records: Sequence[RunRecord]) -> list[Round]:
    """Every counted round of benches and sweeps, in order of time; runs outside a bench and warm-ups are no part of any.

    Runs of a round share bench, cell and number. That a request waited for its own neighbours does not take it out.
    """
    groups: dict[tuple[object, ...], list[RunRecord]] = {}
    for record in sorted(records, key=lambda run: (run.started_at, run.id)):
        if record.bench_id and record.run_no and not record.warmup:
            groups.setdefault((record.bench_id, record.run_no, *cell_key(record)), []).append(record)
    return [_round(runs) for runs in groups.values()]


def at_once(records: Sequence[RunRecord]) -> list[Round]:
    """Only the rounds of several requests."""
    return [found for found in rounds_of(records) if found.asked > 1]


def _round(runs: Sequence[RunRecord]) -> Round:
    good = [run for run in runs if run.status == "ok" and run.client_tok_s is not None]
    rates = [run.client_tok_s for run in good if run.client_tok_s is not None]
    queues = [run.queue_s for run in good if run.queue_s is not None]
    first = runs[0]
    found = Round(
        label=first.label, prompt=first.prompt.name, temperature=first.params.temperature, run_no=first.run_no or 0, asked=len(runs),
        n=len(good), run_ids=tuple(run.id for run in runs), estimated=any(run.tokens_estimated for run in good),
        request_tok_s_min=min(rates, default=None), request_tok_s_median=median(rates), request_tok_s_max=max(rates, default=None),
        queue_s=max(queues, default=None),
    )  # fmt: skip
    return _timed(found, good)


def _timed(found: Round, good: Sequence[RunRecord]) -> Round:
    """`found` with what the clock says. Sends are placed by the wall clock (1 ms), the rest by each run's own stamps."""
    spans = [span for run in good if (span := _span(run)) is not None]
    tokens = [run.completion_tokens for run in good if run.completion_tokens is not None]
    if not spans or len(spans) < len(good) or len(tokens) < len(good):
        return found
    firsts = [span[1] for span in spans]
    end = max(span[2] for span in spans)
    window_s, wall_s = end - min(firsts), end - min(span[0] for span in spans)
    if window_s <= 0:
        return found
    return msgspec.structs.replace(
        found, tokens=sum(tokens), tok_s=sum(tokens) / window_s, wall_tok_s=sum(tokens) / wall_s,
        at_once=sum(span[2] - span[1] for span in spans) / window_s, first_text_spread_s=max(firsts) - min(firsts),
    )  # fmt: skip


def _span(run: RunRecord) -> tuple[float, float, float] | None:
    """When it was sent, its first and its last text, in seconds."""
    if run.ttft_s is None or run.decode_s is None:
        return None
    try:
        sent_s = datetime.fromisoformat(run.started_at).timestamp()
    except ValueError:
        return None
    return sent_s, sent_s + run.ttft_s, sent_s + run.ttft_s + run.decode_s
