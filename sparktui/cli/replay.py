"""`sparktui replay`: stored runs, exports and shared files played at true speed; two of them side by side."""

from __future__ import annotations

import argparse
import os

from sparktui.cli.options import add_config_options, add_looks_options, loader
from sparktui.cli.parser import Parser, seconds, text_argument
from sparktui.cli.screen import require_terminal
from sparktui.core.records import RunRecord
from sparktui.core.stats.baseline import why_no_baseline_run
from sparktui.errors import UsageError
from sparktui.io.store.runsource import find_runs

_FASTEST, _SLOWEST = 16.0, 0.25


def add_arguments(parser: Parser) -> None:
    what = "an id or the beginning of one, `last`, a shared run, an export (.json, .jsonl), a journal; two play side by side"
    parser.add_argument("runs", nargs="*", type=text_argument, metavar="RUN", help=f"{what}; default: last")
    parser.add_argument("--baseline", action="store_true", help="beside it the run without a draft that its speed-up is measured against")
    parser.add_argument("--speed", type=seconds(_SLOWEST, _FASTEST), default=1.0, metavar="N", help="0.25 to 16 (default 1: true speed)")
    parser.add_argument("--loop", action="store_true", help="again and again")
    add_looks_options(parser)
    add_config_options(parser)


def run(args: argparse.Namespace) -> int:
    """Play until the screen is left. Raises UsageError without a terminal, or for a run that is not there or cannot be played."""
    require_terminal(os.environ)
    records = records_asked_for(args)
    args.loaded = loader(args)()
    from sparktui.tui.showing.recorded import main

    return main(args, records)


def records_asked_for(args: argparse.Namespace) -> list[RunRecord]:
    """The runs named, with the baseline of the first where it is asked for. Raises UsageError, StorageError."""
    records = find_runs(args.runs or ["last"])
    if not args.baseline:
        return records
    if len(records) != 1:
        raise UsageError("--baseline is for one run.", hint="Name both instead: sparktui replay A B")
    run = records[0]
    if why := why_no_baseline_run(run):
        raise UsageError(f"The run {run.id} has no baseline to play: {why}.", hint="Two runs by name: sparktui replay A B")
    return [run, *find_runs([run.baseline_id or ""])]
