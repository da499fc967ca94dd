"""What an export can be of: one run, a cell, the marked cells, what the filter shows, the whole history. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sparktui.core.records import RunRecord
from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.history.cell_rows import cell_name
from sparktui.tui.history.history_book import CellEntry


class Scope(Struct, frozen=True, kw_only=True):
    """`run_ids`, or with None every run that `filter` leaves. `sample`: some of them, to name the file after."""

    words: str
    run_ids: tuple[str, ...] | None = None
    filter: str = ""
    count: int = 0
    sample: tuple[RunRecord, ...] = ()

    @property
    def text(self) -> str:
        """`the marked cells, 12 runs`."""
        return shown(self.words) + ("" if self.count == 1 else f", {numbers.count(self.count)} runs")


def run_scope(record: RunRecord, words: str = "this run") -> Scope:
    return Scope(words=f"{words}, {record.id}", run_ids=(record.id,), count=1, sample=(record,))


def cell_scope(entry: CellEntry) -> Scope:
    """One cell."""
    ids = tuple(run.id for run in entry.runs)
    return Scope(words=f"the cell {cell_name(entry.cell)}", run_ids=ids, count=len(ids), sample=entry.runs[-1:])


def marked_scope(entries: Sequence[CellEntry]) -> Scope:
    """The marked cells, A first."""
    ids = tuple(run.id for entry in entries for run in entry.runs)
    return Scope(words=f"the {len(entries)} marked cells", run_ids=ids, count=len(ids), sample=entries[0].runs[-1:])


def filtered_scope(filter: str, total: int, sample: Sequence[RunRecord] = ()) -> Scope:
    """What a filter leaves; without one the whole history."""
    words = f"what the filter shows ({filter})" if filter else "the whole history"
    return Scope(words=words, filter=filter, count=total, sample=tuple(sample))
