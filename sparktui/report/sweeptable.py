"""The verdict of a sweep: one variant a row, held against the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from sparktui.core.loadmemory import LoadMemory
from sparktui.core.records import RunRecord
from sparktui.core.stats.baseline import drafted
from sparktui.core.stats.cells import Cell, cell_of, figure_values, is_counted
from sparktui.core.stats.statistics import Comparison, compare, drift, holm
from sparktui.report import numbers
from sparktui.report.comparing import Matched, Side, matched_of, remarks, verdict
from sparktui.report.intervalplot import plot, scale_for, title
from sparktui.report.loadwords import load_words
from sparktui.report.numbers import ABSENT
from sparktui.report.runtable import guessed
from sparktui.report.table import Column, Row, Table, cell_text
from sparktui.report.together import rounds_of
from sparktui.servers.tabbyload import Setting

_NONE: Mapping[str, Any] = {}
_BAND = {True: "inside", False: "outside", None: ABSENT}


def matched_variants(records: Sequence[RunRecord], names: Sequence[str], baseline: str) -> Matched | None:
    """The variants' runs (by label) as one comparison against the baseline; None where the baseline has no run."""
    sides = {name: Side(name, tuple(run for run in records if run.label == name)) for name in names}
    a = sides.pop(baseline, None)
    if a is None or not a.runs:
        return None
    return matched_of(a, [side for side in sides.values() if side.runs], ())


def sweep_table(matched: Matched) -> Table:
    """The baseline first, then each variant: runs, median, spread, pooled acceptance, ratio, interval, plot, verdict."""
    scale = scale_for(matched.comparisons)
    columns = (
        Column(title="configuration", right=False), Column(title="n"), Column(title="out", drop=8), Column(title="decode tok/s"),
        Column(title="min – max", drop=4), Column(title="draft %", drop=2), Column(title="tok/step", drop=7),
        Column(title="speed-up", drop=6), Column(title="ratio"), Column(title="95 % interval", drop=1),
        Column(title=title(scale), right=False, drop=3), Column(title="verdict", right=False),
        Column(title="±2 tok/s", right=False, drop=5),
    )  # fmt: skip
    rows = [Row((*_cell(matched.a), "1", "", "", "baseline", ""))]
    for side, found in zip(matched.bs, matched.comparisons, strict=True):
        against = (numbers.ratio(found.ratio), numbers.interval(found.low, found.high), plot(found, scale), verdict(found))
        rows.append(Row((*_cell(side), *against, _BAND[found.within_band]), "run" if found.verdict != "too few runs" else "left_out"))
    return Table(columns, tuple(rows)).without_empty(ABSENT, ("out", "draft %", "tok/step", "speed-up", title(scale)))


def drift_of(records: Sequence[RunRecord]) -> Comparison:
    """The second half of the sweep against its first, each run relative to its variant's median, by time."""
    counted = sorted((run for run in records if is_counted(run)[0]), key=lambda run: (run.started_at, run.id))
    return drift([run.client_tok_s for run in counted], [run.label for run in counted])


def drift_words(found: Comparison) -> str:
    """Whether the machine drifted while the sweep ran."""
    if found.verdict == "too few runs":
        return "Drift: too few runs to tell."
    span = f"ratio {numbers.ratio(found.ratio)}, 95 % interval {numbers.interval(found.low, found.high)}"
    if found.verdict == "no difference shown":
        return f"Drift, second half against first: none shown ({span})."
    return f"Drift: the second half of the sweep was {found.verdict} ({span}); the order of the runs spreads it over all variants."


def sweep_lines(matched: Matched, records: Sequence[RunRecord]) -> list[str]:
    """What is said below the table: the interval, the ±2 rule, Holm, the drift, and what is odd about a variant's runs."""
    plain = msgspec.structs.replace(matched, differences=()) if matched.differences else matched
    notes = [f"{cell_text(side.name)}: {note}" for side in (matched.a, *matched.bs) for note in cell_of(side.runs).notes]
    return [*remarks(plain), drift_words(drift_of(records)), *notes]


def combined_lines(matched: Matched) -> list[str]:
    """Where variants send several requests at once: what all of them together came to, held against the baseline."""
    sides = (matched.a, *matched.bs)
    rates = {side.name: _combined(side.runs) for side in sides}
    if all(found.asked == 1 for side in sides for found in rounds_of(side.runs)):
        return []
    base = rates[matched.a.name]
    compared = holm([compare(base, rates[side.name]) for side in matched.bs])
    return [
        f"All requests together, {cell_text(side.name)}: {numbers.tok_s(found.median_b)} tok/s against {numbers.tok_s(found.median_a)}, "
        f"ratio {numbers.ratio(found.ratio)} ({numbers.interval(found.low, found.high)})  {verdict(found)}"
        for side, found in zip(matched.bs, compared, strict=True)
    ]


def sweep_object(
    matched: Matched, records: Sequence[RunRecord], settings: Mapping[str, Sequence[Setting]] = _NONE,
    memory: Mapping[str, LoadMemory] = _NONE,
) -> dict[str, Any]:  # fmt: skip
    """The verdict as plain values for JSON, with what became of settings and what each variant's first load did to memory (bytes)."""
    variants = [
        {"name": side.name, **_spread(cell_of(side.runs)), **msgspec.to_builtins(found), "within_2_tok_s": found.within_band}
        for side, found in zip(matched.bs, matched.comparisons, strict=True)
    ]
    base = {"name": matched.a.name, **_spread(cell_of(matched.a.runs))}
    return {
        "baseline": base, "variants": variants, "drift": msgspec.to_builtins(drift_of(records)),
        "settings": msgspec.to_builtins(dict(settings)), "memory": msgspec.to_builtins(dict(memory)),
    }  # fmt: skip


def load_lines(settings: Mapping[str, Sequence[Setting]], memory: Mapping[str, LoadMemory]) -> list[str]:
    """What became of each setting that was asked for, and what each variant's first load did to memory."""
    told = [f"{cell_text(name)}: {setting.words()}" for name, found in settings.items() for setting in found]
    return [*told, *(f"{cell_text(name)}: {load_words(load)}" for name, load in memory.items())]


def _speedup(side: Side, cell: Cell) -> float | None:
    """The median over the rate without a draft; a variant that has none is what it is measured against."""
    return None if all(drafted(run) is False for run in side.runs) else cell.medians.get("speedup")


def _combined(runs: Sequence[RunRecord]) -> list[float | None]:
    return [found.tok_s for found in rounds_of(runs)]


def _spread(cell: Cell) -> dict[str, Any]:
    name = "client_tok_s"
    return {
        "n": cell.n, "n_excluded": cell.n_excluded, "median_client_tok_s": cell.medians.get(name),
        "min_client_tok_s": cell.minima.get(name), "max_client_tok_s": cell.maxima.get(name), "acceptance_rate": cell.acceptance_rate,
        "median_speedup": cell.medians.get("speedup"),
    }  # fmt: skip


def _cell(side: Side) -> tuple[str, ...]:
    cell = cell_of(side.runs)
    guess = guessed(run for run in side.runs if is_counted(run)[0])
    rates = figure_values(side.runs, "client_tok_s")
    return (
        cell_text(side.name),
        str(cell.n),
        str(cell.n_excluded) if cell.n_excluded else ABSENT,
        numbers.tok_s(cell.medians.get("client_tok_s"), estimated="client_tok_s" in guess),
        f"{numbers.tok_s(min(rates))} – {numbers.tok_s(max(rates))}" if len(rates) > 1 else ABSENT,
        numbers.percent_number(cell.acceptance_rate),
        numbers.per_step(cell.medians.get("tokens_per_step"), estimated="tokens_per_step" in guess),
        numbers.fixed(_speedup(side, cell), 2, estimated="speedup" in guess),
    )
