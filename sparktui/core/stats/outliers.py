"""Runs that are unlike the rest of their cell, and in which part of their time."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.core.records import RunRecord
from sparktui.core.stats.statistics import middle as typical

_FAR = 0.15
_DEVIATIONS = 4
_LEAST_DEVIATION = 0.01
_LENGTHS_DIFFER = 0.10
_SLOWING = 0.05


def outlier_notes(runs: Sequence[RunRecord]) -> list[str]:
    """A sentence for every run that is far from the median of its cell before the first text or while decoding. Needs three runs.

    Far: more than 15 % and more than four times the median deviation of the runs.
    """
    notes = []
    fresh = [run for run in runs if run.ttft_s is not None and "cached_prompt" not in run.flags]
    for run, value, middle in _far(fresh, [run.ttft_s or 0.0 for run in fresh]):
        apart = f"{abs(value - middle):.2f} s {'more' if value > middle else 'less'}{_part(run, fresh)}"
        notes.append(f"Run {_name(run)}: first text after {value:.2f} s against {middle:.2f} s; {apart}.")
    paced = [run for run in runs if run.client_tok_s is not None]
    for run, value, middle in _far(paced, [run.client_tok_s or 0.0 for run in paced]):
        notes.append(f"Run {_name(run)}: {value:.1f} tok/s against {middle:.1f}, while decoding.")
    return notes


def lengths_note(runs: Sequence[RunRecord]) -> list[str]:
    """A sentence where the answers' lengths differ by more than a tenth of the longest."""
    tokens = [run.completion_tokens for run in runs if run.completion_tokens]
    if len(tokens) < 2 or max(tokens) - min(tokens) <= _LENGTHS_DIFFER * max(tokens):
        return []
    return [f"Lengths differ: {min(tokens):,} to {max(tokens):,} tokens."]


def versions_note(runs: Sequence[RunRecord]) -> list[str]:
    """A sentence where the runs are of several versions of the server: engines change what they count as proposed."""
    versions = list(dict.fromkeys(run.server.version for run in runs if run.server.version))
    return [f"Server versions differ: {', '.join(versions)}; what they count as drafted may differ too."] if len(versions) > 1 else []


def slowing_note(runs: Sequence[RunRecord]) -> list[str]:
    """A sentence where of at least three runs the first was fastest and the last slowest, by more than 5 % (heat, clocks)."""
    rates = [run.client_tok_s for run in runs if run.client_tok_s]
    if len(rates) < 3 or rates[0] != max(rates) or rates[-1] != min(rates) or rates[-1] >= rates[0] * (1 - _SLOWING):
        return []
    slower = 100 * (1 - rates[-1] / rates[0])
    return [f"The last run is {slower:.0f} % slower than the first: {rates[-1]:,.1f} against {rates[0]:,.1f} tok/s."]


def _far(runs: Sequence[RunRecord], values: Sequence[float]) -> list[tuple[RunRecord, float, float]]:
    if len(values) < 3:
        return []
    middle = typical(values)
    deviation = max(typical(abs(value - middle) for value in values), _LEAST_DEVIATION * middle)
    return [
        (run, value, middle)
        for run, value in zip(runs, values, strict=True)
        if abs(value - middle) > max(_FAR * middle, _DEVIATIONS * deviation)
    ]


def _part(run: RunRecord, others: Sequence[RunRecord]) -> str:
    """Where the time before the first text went, as far as the server tells: queue, prefill, or what is left of it."""
    queue, prefill = _more(run, others, "queue_s"), _more(run, others, "prefill_s")
    ttft = _more(run, others, "ttft_s") or 0.0
    if queue is None and prefill is None:
        return ", before decoding"
    known = {"in the queue": queue or 0.0, "in prefill": prefill or 0.0}
    known["between prefill and the first text"] = ttft - sum(known.values())
    return f", most of it {max(known, key=lambda name: abs(known[name]))}"


def _more(run: RunRecord, others: Sequence[RunRecord], name: str) -> float | None:
    values = [value for other in others if (value := getattr(other, name)) is not None]
    own = getattr(run, name)
    return None if own is None or not values else own - typical(values)


def _name(run: RunRecord) -> str:
    return str(run.run_no) if run.run_no else run.id
