"""Settings against each other: sweeps with their verdicts, and labels that asked the same question."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import figure_values
from sparktui.core.stats.statistics import median
from sparktui.errors import UsageError
from sparktui.report import numbers
from sparktui.report.comparing import Matched, Side, cell_table, comparison_table, match, remarks, verdict
from sparktui.report.intervalplot import scale_for, title
from sparktui.report.page.kinds import LONG_PROMPT, SIMULATED_MARK, Kinds, by_source
from sparktui.report.page.parts import Block, Heading, IntervalPlot, Rows, Section, Words
from sparktui.report.sections import temperature_words
from sparktui.report.sweeptable import combined_lines, matched_variants, sweep_lines, sweep_table
from sparktui.report.table import cell_text
from sparktui.report.together import at_once
from sparktui.report.togethertable import MEANING, together_table


def sweep_section(kinds: Kinds, baseline: str) -> Section | None:
    """Every sweep, then every question that several labels asked. `baseline`: the label the others are held against, "" = the first.

    None where nothing can be compared. Raises UsageError where no run has the baseline's label.
    """
    if baseline and all(run.label != baseline for run in kinds.all):
        labels = ", ".join(dict.fromkeys(cell_text(run.label) for run in kinds.all))
        raise UsageError(f"No chosen run has the label {baseline!r}.", hint=f"There are: {labels}.")
    blocks = [block for runs in kinds.sweeps for block in _sweep(runs, kinds, baseline)]
    swept = kinds.swept_ids
    for runs in by_source([run for run in kinds.all if run.id not in swept and run.needle is None]):
        blocks += _compared(runs, kinds, baseline)
    return Section("sweep", "Settings sweep" if kinds.sweeps else "Settings compared", _said_once(blocks)) if blocks else None


def _said_once(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Without the paragraphs that stand above already, word by word: the rules are the same for every comparison."""
    kept: list[Block] = []
    for block in blocks:
        if not isinstance(block, Words) or block not in kept:
            kept.append(block)
    return tuple(kept)


def _sweep(runs: Sequence[RunRecord], kinds: Kinds, baseline: str) -> list[Block]:
    labels = list(dict.fromkeys(run.label for run in runs))
    base = baseline if baseline in labels else labels[0]
    matched = matched_variants(runs, labels, base)
    if matched is None:
        return []
    scale = title(scale_for(matched.comparisons))
    lines = [*sweep_lines(matched, runs), *combined_lines(matched)]
    found: list[Block] = [Heading(_heading(runs, kinds)), *_plot(matched), Rows(sweep_table(matched).without((scale,)))]
    if not baseline:
        found.append(Words(f"Held against {base}, the first to run.", "muted"))
    found += [Words(line, "muted") for line in lines]
    if rounds := at_once(runs):
        found += [Rows(together_table(rounds)), Words(MEANING, "muted")]
    return found


def _heading(runs: Sequence[RunRecord], kinds: Kinds) -> str:
    """ "json at 8,820 tokens of context, temperature 0, max_tokens 1,500"; where the variants differ in parameters, the first's."""
    first = runs[0]
    length = median(figure_values(runs, "prompt_tokens")) or 0
    where = f" at {numbers.count(length)} tokens of context" if length >= LONG_PROMPT else ""
    limit = "" if first.params.max_tokens is None else f", max_tokens {numbers.count(first.params.max_tokens)}"
    mark = f" ({SIMULATED_MARK})" if kinds.mixed and first.simulated else ""
    return f"{first.prompt.name}{where}, {temperature_words(first.params)}{limit}{mark}"


def _compared(runs: Sequence[RunRecord], kinds: Kinds, baseline: str) -> list[Block]:
    """Labels that asked the same question outside a sweep."""
    labels = list(dict.fromkeys(run.label for run in runs))
    base = baseline if baseline in labels else labels[0]
    sides = [Side(label, tuple(run for run in runs if run.label == label)) for label in labels]
    a = next(side for side in sides if side.name == base)
    blocks: list[Block] = []
    for matched in match(a, [side for side in sides if side is not a]):
        if matched.differences:
            # other questions: nothing about a setting follows from them
            continue
        scale = title(scale_for(matched.comparisons))
        mark = f" ({SIMULATED_MARK})" if kinds.mixed and runs[0].simulated else ""
        blocks += [Heading(f"{matched.heading}{mark}: against {matched.a.name}"), *_plot(matched)]
        blocks.append(Rows(cell_table((matched.a, *matched.bs), ("A", *"B" * len(matched.bs)))))
        blocks.append(Rows(comparison_table(matched).without((scale,))))
        blocks += [Words(line, "muted") for line in remarks(matched)]
    return blocks


def _plot(matched: Matched) -> list[Block]:
    pairs = zip(matched.bs, matched.comparisons, strict=True)
    rows = [(side.name, verdict(found), found) for side, found in pairs if found.ratio is not None and found.low is not None]
    return [IntervalPlot("Ratio to the baseline, 95 % interval", matched.a.name, tuple(rows))] if rows else []
