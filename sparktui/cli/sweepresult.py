"""A finished sweep on stdout and in files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sparktui.cli.results import Files, export
from sparktui.core.loadmemory import LoadMemory
from sparktui.core.records import RunRecord
from sparktui.core.sweepplan import SweepPlan
from sparktui.servers.tabbyload import Setting

if TYPE_CHECKING:
    from sparktui.report.comparing import Matched


def show_sweep(
    plan: SweepPlan, records: Sequence[RunRecord], settings: Mapping[str, Sequence[Setting]], memory: Mapping[str, LoadMemory]
) -> None:
    """The verdict table, what has to be said of it, what became of the settings asked for, and what each load did to memory."""
    from sparktui.report.console import Out
    from sparktui.report.sections import SIMULATED
    from sparktui.report.sweeptable import combined_lines, load_lines, sweep_lines, sweep_table
    from sparktui.report.together import at_once
    from sparktui.report.togethertable import together_table

    if not records or sys.stdout is None:
        return
    out = Out.to(sys.stdout)
    if any(record.simulated for record in records):
        out.line(SIMULATED, "bold reverse")
        out.line()
    matched = _matched(plan, records)
    if matched is None:
        out.line(f"The baseline {plan.baseline_name!r} has no run, so nothing can be compared.", "bold")
        return
    out.line(heading(plan), "bold")
    out.table(sweep_table(matched))
    for line in sweep_lines(matched, records):
        out.line(line, "dim")
    for line in combined_lines(matched):
        out.line(line)
    if rounds := at_once(records):
        out.table(together_table(rounds))
    for line in load_lines(settings, memory):
        out.line(line, "" if ": ignored" in line else "dim")


def heading(plan: SweepPlan) -> str:
    """ "Settings sweep: json, after 8,800 tokens of context, T 0, max_tokens 1,500" """
    context = f", after {plan.context_tokens:,} tokens of context" if plan.context_tokens else ""
    temperature = "server default" if plan.temperature is None else f"{plan.temperature}"
    limit = f", max_tokens {plan.max_tokens:,}" if plan.max_tokens else ""
    return f"Settings sweep: {plan.prompt.name}{context}, T {temperature}{limit}"


def export_sweep(
    args: argparse.Namespace, plan: SweepPlan, records: Sequence[RunRecord], files: Files, *,
    settings: Mapping[str, Sequence[Setting]], memory: Mapping[str, LoadMemory],
) -> int:  # fmt: skip
    """Every file asked for: the runs as a bench exports them, with the verdict on .md pages and in .json. Returns an exit code."""
    from sparktui.report.intervalplot import scale_for, title
    from sparktui.report.sweeptable import combined_lines, load_lines, sweep_lines, sweep_object, sweep_table
    from sparktui.report.table import escaped, markdown_lines

    matched = _matched(plan, records)
    if matched is None:
        return export(args, records, files)
    # Markdown keeps no columns inside a cell: there the plot would say something else
    table = sweep_table(matched).without((title(scale_for(matched.comparisons)),))
    lines = [f"## {escaped(heading(plan))}", "", *markdown_lines(table), ""]
    said = (*sweep_lines(matched, records), *combined_lines(matched), *load_lines(settings, memory))
    lines += [part for line in said for part in (escaped(line), "")]
    return export(args, records, files, extra={"sweep": sweep_object(matched, records, settings, memory)}, page=lines)


def _matched(plan: SweepPlan, records: Sequence[RunRecord]) -> Matched | None:
    from sparktui.report.sweeptable import matched_variants

    return matched_variants(records, [variant.name for variant in plan.variants], plan.baseline_name)
