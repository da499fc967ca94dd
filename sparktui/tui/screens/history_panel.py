"""The history panel's state: which runs, in which order, or their cells' medians."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparktui.core.stats.cells import cells_of
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.history.history_rows import cell_row, columns_for, matches, run_row, sorted_records
from sparktui.tui.widgets.history_table import HistoryTable
from sparktui.tui.widgets.panel_head import PanelHead

if TYPE_CHECKING:
    from sparktui.tui.screens.live import LiveScreen

# a table nobody can scroll through by hand is no table: the full history has its own screen
_MOST_ROWS = 1_000


class HistoryPanel:
    """`filter`, `sorted_by`, `descending` and `medians` may be set; `paint()` shows them."""

    def __init__(self, screen: LiveScreen) -> None:
        self._screen = screen
        self._table, self._head = screen.query_one(HistoryTable), screen.query_one("#history-head", PanelHead)
        self.filter = ""
        self.sorted_by = "when"
        self.descending = True
        self.medians = False

    def paint(self) -> None:
        session = self._screen.spark.session
        kept = [record for record in session.records if matches(record, self.filter)] if self.filter else session.records
        table, head = self._table, self._head
        if self.medians:
            cells = cells_of(kept)[::-1]
            table.show([cell_row(cell) for cell in cells[:_MOST_ROWS]])
            said = f"{len(cells)} cell{'s' if len(cells) != 1 else ''}, medians of {len(kept)} runs"
        else:
            newest_first = (self.sorted_by, self.descending) == ("when", True)
            ordered = kept if newest_first else sorted_records(kept, self.sorted_by, descending=self.descending)
            today = self._screen.spark.wall_clock().astimezone()
            table.show([run_row(record, today) for record in ordered[:_MOST_ROWS]], sorted_by=self.sorted_by, descending=self.descending)
            said = f"{len(kept)} run{'s' if len(kept) != 1 else ''}" if kept else "no runs yet"
        if self.filter:
            said += f"   /{shown(self.filter)}"
        head.show(context=said, status=self._status() if kept else [])

    def sort_next(self) -> None:
        """Sort by the next column; after the last the first, in the other direction."""
        keys = [column.key for column in columns_for(self._screen.app.size.width)]
        at = keys.index(self.sorted_by) + 1 if self.sorted_by in keys else 0
        if at == len(keys):
            at, self.descending = 0, not self.descending
        self.sorted_by = keys[at]
        self.paint()

    def _status(self) -> list[tuple[str, bool]]:
        words = {"medians": "m runs" if self.medians else "m medians", "mark": "a mark", "compare": "d compare"}
        shown_words = [word for action, word in words.items() if getattr(self._screen, f"act_{action}", None) is not None]
        return [("   ".join(shown_words), False)]
