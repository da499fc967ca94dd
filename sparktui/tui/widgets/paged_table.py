"""The history table over more runs than are held: the cursor goes by row number, not by looking through all rows."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from sparktui.tui.history.history_pages import RunRows
from sparktui.tui.history.history_rows import Column, HistoryRow, columns_for
from sparktui.tui.widgets.history_table import HistoryTable

_FIRST = 2
_NOTE_CELLS = 14
# a date needs one cell more than a time of day
_MORE = {"when": 1, "label": 21, "prompt": 13}


def roomy_columns(width: int) -> tuple[Column, ...]:
    """The history's columns; what a wide screen leaves beside a short note goes to the names."""
    columns = list(columns_for(width))
    spare = width - _FIRST - sum(column.width for column in columns) - _NOTE_CELLS
    for at, column in enumerate(columns):
        more = _MORE.get(column.key, 0) if column.key == "when" else min(_MORE.get(column.key, 0), max(0, spare))
        columns[at] = Column(column.key, column.title, column.width + more, right=column.right)
        spare -= more
    return tuple(columns)


class PagedTable(HistoryTable):
    """`show(rows, …)` with RunRows."""

    @property
    def cursor_row(self) -> int:
        """The number of the row under the cursor."""
        return self._cursor

    @property
    def run_rows(self) -> RunRows | None:
        """The rows it shows."""
        return self._rows if isinstance(self._rows, RunRows) else None

    def begin(self) -> None:
        """Other runs: the cursor is on the first one again."""
        self._cursor, self._top, self._cursor_id = 0, 0, None

    def on_focus(self) -> None:
        self.repaint()

    def on_blur(self) -> None:
        self.repaint()

    def columns(self, width: int) -> Sequence[Column]:
        return roomy_columns(width)

    def _row(self, row: HistoryRow, columns: Sequence[Column], width: int, under_cursor: bool) -> Strip:
        # one cursor on a screen: the focused panel's
        return super()._row(row, columns, width, under_cursor and self.has_focus)

    def _place_cursor(self, height: int) -> None:
        rows = self._rows
        if self._cursor_id and isinstance(rows, RunRows):
            # a run that came in above moves the one under the cursor down
            self._cursor = at if (at := rows.index_of(self._cursor_id)) is not None else self._cursor
        before, self._cursor_id = self._cursor_id, None
        super()._place_cursor(height)
        self._cursor_id = before
