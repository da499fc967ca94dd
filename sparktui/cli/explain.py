"""`sparktui explain`: where a run's time went and why it had its speed; over cells, what sets the rate."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

import msgspec

from sparktui.cli.history_compare import side
from sparktui.cli.parser import Parser, text_argument
from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import cell_key
from sparktui.errors import EXIT_OK
from sparktui.io.store.history import History
from sparktui.report.explaining import Part, by_topic, explained

_EVERY_RUN = 2_000


def add_arguments(parser: Parser) -> None:
    helping = 'a run (id, its beginning, `last`), a label, or a filter such as "label:shipped T:0"'
    parser.description = "One run: where its time went and why this speed. Several: what sets the rate, cell by cell and together."
    parser.add_argument("names", type=text_argument, nargs="+", metavar="RUN|CELL", help=helping)
    parser.add_argument("--json", action="store_true", help="the sentences as JSON, with their formulas")


def run(args: argparse.Namespace) -> int:
    """Print what can be said. Raises UsageError for a name that means nothing."""
    with History.open() as history:
        runs = {record.id: record for name in args.names for record in side(history, name).runs}
        records = sorted(runs.values(), key=lambda record: (record.started_at, record.id))
        peers = _peers(history, records[0]) if len(records) == 1 else []
    parts = explained(records, peers)
    if args.json:
        plain = [{"of": title, "run": record_id, "sentences": msgspec.to_builtins(found)} for title, record_id, found in parts]
        sys.stdout.write(json.dumps(plain, ensure_ascii=False, allow_nan=False) + "\n")
        return EXIT_OK
    _print(parts, simulated=any(record.simulated for record in records))
    return EXIT_OK


def _peers(history: History, record: RunRecord) -> list[RunRecord]:
    """The runs of the same cell, for what is odd about one of them."""
    label = record.label.replace('"', "*")
    return [other for other in history.query(f'label:"{label}"', limit=_EVERY_RUN) if cell_key(other) == cell_key(record)]


def _print(parts: Sequence[Part], *, simulated: bool) -> None:
    from sparktui.report.console import Out
    from sparktui.report.sections import SIMULATED
    from sparktui.report.table import cell_text

    out = Out.to(sys.stdout)
    if simulated:
        out.line(SIMULATED, "bold reverse")
    for title, _, found in parts:
        out.line(cell_text(title), "bold")
        for topic, sentences in by_topic(found).items():
            out.line(f"  {topic}", "italic")
            for sentence in sentences:
                out.line(f"    {cell_text(sentence.text)}", "" if sentence.known else "dim")
                if sentence.formula:
                    out.line(f"      {sentence.formula}", "dim")
        out.line()
