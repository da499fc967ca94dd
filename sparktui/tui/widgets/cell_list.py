"""The cells of the history as a list: medians, spread, a bar on one common scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.strip import Strip

from sparktui.core.stats.cells import CellKey
from sparktui.tui.drawing.pen import Line, cut
from sparktui.tui.history.cell_rows import LEGEND, CellTable, Longest, cell_row, cell_table, head_row, longest_of, round_top
from sparktui.tui.history.history_book import CellEntry
from sparktui.tui.widgets.row_list import RowList


class CellList(RowList):
    """`show(entries, …)`. The cursor stays on its cell when others come in above it."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._entries: Sequence[CellEntry] = ()
        self._marks: Mapping[CellKey, str] = {}
        self._best = 0.0
        self._longest = Longest()
        self._sorted_by, self._descending = "when", True
        self._table: CellTable | None = None

    def show(
        self, entries: Sequence[CellEntry], marks: Mapping[CellKey, str], *, best: float, sorted_by: str = "when", descending: bool = True
    ) -> None:
        """`best`: the highest client rate among all cells; `marks`: A and B by cell."""
        under = self.current
        self._entries, self._marks, self._best = entries, marks, best
        self._longest = longest_of(entries)
        self._sorted_by, self._descending = sorted_by, descending
        if under is not None and self.cursor:
            self.cursor = next((at for at, entry in enumerate(entries) if entry.key == under.key), self.cursor)
        self.repaint()

    @property
    def current(self) -> CellEntry | None:
        """The cell under the cursor."""
        return self._entries[self.cursor] if self.cursor < len(self._entries) else None

    def go_to(self, key: CellKey) -> None:
        """Put the cursor on a cell, where it is in the list."""
        at = next((at for at, entry in enumerate(self._entries) if entry.key == key), None)
        if at is not None:
            self.move(at - self.cursor)

    @property
    def count(self) -> int:
        return len(self._entries)

    def heads(self, width: int) -> list[Strip]:
        if not self._entries:
            return []
        self._table = cell_table(
            width, round_top(self._best), self._longest, sorted_by=self._sorted_by, descending=self._descending
        )
        return [head_row(self._table, width, self.roles)]

    def row(self, index: int, width: int, cursor: bool) -> Strip:
        assert self._table is not None
        entry = self._entries[index]
        return cell_row(entry, self._table, width, self.roles, mark=self._marks.get(entry.key, ""), cursor=cursor, lit=self.has_focus)

    def tails(self, width: int) -> list[Strip]:
        if not self._entries:
            return []
        line = Line(width, self.roles.style())
        line.put(3, (cut(LEGEND, width - 4), self.roles.style("muted")))
        return [line.strip()]
