"""`sparktui history compare`: cells or runs against each other, in the words of docs/metrics.md."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

import msgspec

from sparktui.cli.parser import text_argument
from sparktui.core.stats.statistics import MIN_RUNS
from sparktui.errors import EXIT_OK, UsageError
from sparktui.io.store.filters import is_filter
from sparktui.io.store.history import History
from sparktui.report.comparing import Matched, Side, cell_table, comparison_table, match, remarks


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A, and one or more B."""
    helping = 'a label, a run (id, its beginning, `last`), or a filter such as "label:shipped T:0"'
    parser.description = f"Compares every cell of A with the cells of B that have the same prompt and parameters. A, B: {helping}."
    parser.add_argument("a", type=text_argument, metavar="A", help=helping)
    parser.add_argument("b", type=text_argument, metavar="B", nargs="+", help="the same; several B are corrected for being several")
    parser.add_argument("--json", action="store_true", help="the numbers as JSON")
    parser.set_defaults(act=compare)


def compare(args: argparse.Namespace, history: History) -> int:
    """Print what was found. Raises UsageError where a name means nothing or nothing fits together."""
    a, *bs = (side(history, name) for name in (args.a, *args.b))
    found = match(a, bs)
    if not found:
        raise UsageError(
            f"{a.name} and {', '.join(b.name for b in bs)} have no cell with the same prompt and parameters.",
            hint="`sparktui history list --cells` shows the cells.",
        )
    if args.json:
        sys.stdout.write(json.dumps([_plain(matched) for matched in found], ensure_ascii=False, allow_nan=False) + "\n")
        return EXIT_OK
    _print(found)
    return EXIT_OK


def side(history: History, name: str) -> Side:
    """The runs a name means: one run, else a label, else a filter. Raises UsageError."""
    if is_filter(name):
        runs = history.query(name, limit=None)
    else:
        runs = history.query(f'label:"{name}"', limit=None) if "*" not in name and '"' not in name else []
    if runs:
        return Side(name, tuple(runs))
    try:
        record = history.get(name, text=False)
    except UsageError as error:
        title = f"{name!r} is neither a label nor a run nor a filter that fits any run."
        raise UsageError(title, detail=error.title, hint="`sparktui history` lists them.") from error
    return Side(f"{record.label} {record.id}" if name == "last" else record.id, (record,))


def _print(found: list[Matched]) -> None:
    from sparktui.report.console import Out

    out = Out.to(sys.stdout)
    for matched in found:
        out.line(f"A = {matched.a.name}   {matched.heading}", "bold")
        if any(run.simulated for one in (matched.a, *matched.bs) for run in one.runs):
            out.line("with simulated runs of the demo server: nothing in them is measured", "bold")
        out.table(cell_table((matched.a, *matched.bs), ("A", *"B" * len(matched.bs))))
        out.line()
        out.table(comparison_table(matched))
        for line in remarks(matched):
            out.line(line, "dim")
        out.line()


def _plain(matched: Matched) -> dict[str, Any]:
    return {
        "cell": matched.heading,
        "a": matched.a.name,
        "min_runs": MIN_RUNS,
        "comparisons": [
            {"b": b.name, **msgspec.to_builtins(found), "within_2_tok_s": found.within_band}
            for b, found in zip(matched.bs, matched.comparisons, strict=True)
        ],
    }
