"""What is said of a run or of cells, in parts with a title: the same for the command and the screen."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.core.explain import Sentence, explain_run
from sparktui.core.explaincells import explain_cells, median_run
from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import CellKey, cell_key, cell_of

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
        counted = cell_of(group).n
        of = f"the median run of {counted}" if counted else "no run counts, this is the last one"
        parts.append((f"{_title(middle)}: {of}", middle.id, explain_run(middle)))
    return [*parts, ("All of them together", None, explain_cells(records))]


def _title(record: RunRecord) -> str:
    temperature = "unset" if record.params.temperature is None else record.params.temperature
    number = f", run {record.run_no}" if record.run_no else ""
    return f"{record.prompt.name}, T {temperature}, {record.label}{number} ({record.id})"


def by_topic(found: Sequence[Sentence]) -> dict[str, list[Sentence]]:
    """The sentences under their topics, both in order."""
    topics: dict[str, list[Sentence]] = {}
    for sentence in found:
        topics.setdefault(sentence.topic, []).append(sentence)
    return topics
