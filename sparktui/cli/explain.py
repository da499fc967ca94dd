"""`sparktui explain`: where a run's time went and why it had its speed; over cells, what sets the rate."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

import msgspec

from sparktui.cli.history_compare import side
from sparktui.cli.parser import Parser, text_argument
from sparktui.core.explain import Sentence, explain_run
from sparktui.core.explaincells import explain_cells, median_run
from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import CellKey, cell_key
from sparktui.errors import EXIT_OK
from sparktui.io.store.history import History

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


Part = tuple[str, str | None, list[Sentence]]


def explained(records: Sequence[RunRecord], peers: Sequence[RunRecord] = ()) -> list[Part]:
    """(title, run id, sentences): of the one run, or of each cell's median run and then of all cells together."""
    if len(records) == 1:
        return [(_title(records[0]), records[0].id, explain_run(records[0], peers))]
    cells: dict[CellKey, list[RunRecord]] = {}
    for record in records:
        cells.setdefault(cell_key(record), []).append(record)
    parts: list[Part] = []
    for group in cells.values():
        middle = median_run(group)
        parts.append((f"{_title(middle)}: the median run of {len(group)}", middle.id, explain_run(middle)))
    return [*parts, ("All of them together", None, explain_cells(records))]


def _peers(history: History, record: RunRecord) -> list[RunRecord]:
    """The runs of the same cell, for what is odd about one of them."""
    label = record.label.replace('"', "*")
    return [other for other in history.query(f'label:"{label}"', limit=_EVERY_RUN) if cell_key(other) == cell_key(record)]


def _title(record: RunRecord) -> str:
    temperature = "unset" if record.params.temperature is None else record.params.temperature
    number = f", run {record.run_no}" if record.run_no else ""
    return f"{record.prompt.name}, T {temperature}, {record.label}{number} ({record.id})"


def _print(parts: Sequence[Part], *, simulated: bool) -> None:
    from sparktui.report.console import Out
    from sparktui.report.sections import SIMULATED
    from sparktui.report.table import cell_text

    out = Out.to(sys.stdout)
    if simulated:
        out.line(SIMULATED, "bold reverse")
    for title, _, found in parts:
        out.line(cell_text(title), "bold")
        for topic, sentences in _by_topic(found).items():
            out.line(f"  {topic}", "italic")
            for sentence in sentences:
                out.line(f"    {cell_text(sentence.text)}", "" if sentence.known else "dim")
                if sentence.formula:
                    out.line(f"      {sentence.formula}", "dim")
        out.line()


def _by_topic(found: Sequence[Sentence]) -> dict[str, list[Any]]:
    topics: dict[str, list[Any]] = {}
    for sentence in found:
        topics.setdefault(sentence.topic, []).append(sentence)
    return topics
