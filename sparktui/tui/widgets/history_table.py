"""The history table: column heads and rows of runs, with a cursor, marks, sorting and a filter."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style
from textual.events import Click
from textual.message import Message
from textual.strip import Strip

from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.pen import Line, cut
from sparktui.tui.drawing.roles import Role
from sparktui.tui.history.history_rows import NOTE, Column, HistoryRow, columns_for
from sparktui.tui.widgets.scrolling import Scrolling, in_sight

_FIRST = 2


class HistoryTable(Scrolling):
    """`show(rows, …)`. The cursor is on the first row until the user moves it; then it stays on its run."""

    wheel_rows = 1
    kept_rows = 2

    class Opened(Message):
        """A run was chosen with the mouse."""

        def __init__(self, run_id: str) -> None:
            super().__init__()
            self.run_id = run_id

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.marks: dict[str, str] = {}
        self._rows: Sequence[HistoryRow] = ()
        self._sorted_by, self._descending = "when", True
        self._cursor_id: str | None = None
        self._cursor = 0
        self._top = 0

    def show(self, rows: Sequence[HistoryRow], *, sorted_by: str = "when", descending: bool = True) -> None:
        self._rows, self._sorted_by, self._descending = rows, sorted_by, descending
        self.repaint()

    @property
    def cursor_id(self) -> str | None:
        """The run under the cursor; None in an empty table."""
        return self._rows[self._cursor].id if self._cursor < len(self._rows) else None

    @property
    def picked_id(self) -> str | None:
        """The run that the cursor was put on by hand; None as long as it stands where it began."""
        return self._cursor_id

    def toggle_mark(self) -> None:
        """Mark the run under the cursor: the first marked is A, the others are B; a marked one loses its mark."""
        run_id = self.cursor_id
        if run_id:
            if self.marks.pop(run_id, None) is None:
                self.marks[run_id] = "B"
            self.marks = {marked: "A" if number == 0 else "B" for number, marked in enumerate(self.marks)}
            self.repaint()

    @property
    def length(self) -> int:
        return len(self._rows)

    def scroll_rows(self, rows: int) -> None:
        self.move(rows)

    def move(self, rows: int) -> None:
        """Move the cursor; from now on it stays on its run."""
        if self._rows:
            self._cursor = max(0, min(len(self._rows) - 1, self._cursor + rows))
            self._cursor_id = self._rows[self._cursor].id
            self.repaint()

    def go_to(self, run_id: str) -> bool:
        """Put the cursor on a run; False where it is not listed."""
        at = next((at for at, row in enumerate(self._rows) if row.id == run_id), None)
        if at is not None:
            self.move(at - self._cursor)
        return at is not None

    def columns(self, width: int) -> Sequence[Column]:
        """The columns of a table so wide."""
        return columns_for(width)

    def rows(self, width: int, height: int) -> list[Strip]:
        self._place_cursor(height - 1)
        if not self._rows:
            return []
        columns = self.columns(width)
        seen = self._rows[self._top : self._top + height - 1]
        return [self._heads(columns, width)] + [self._row(row, columns, width, self._top + y == self._cursor) for y, row in enumerate(seen)]

    def on_click(self, event: Click) -> None:
        row = self._top + event.y - 1
        if event.y >= 1 and row < len(self._rows):
            again = row == self._cursor
            self.move(row - self._cursor)
            if again and event.chain > 1:
                self.post_message(self.Opened(self._rows[row].id))

    def _place_cursor(self, height: int) -> None:
        if self._cursor_id is not None:
            self._cursor = next((at for at, row in enumerate(self._rows) if row.id == self._cursor_id), self._cursor)
        self._cursor, self._top = in_sight(self._cursor, self._top, len(self._rows), height)

    def _heads(self, columns: Sequence[Column], width: int) -> Strip:
        muted = self.roles.style("muted")
        line = Line(width, self.roles.style())
        x = _FIRST
        for column in columns:
            mark = ("▾" if self._descending else "▴") if column.key == self._sorted_by and column.key != "when" else ""
            if column.right:
                line.end(x + column.width - 1, (mark + column.title, muted))
            else:
                line.put(x, (mark + column.title, muted))
            x += column.width
        if x + 1 + len(NOTE.title) <= width:
            line.put(x + 1, (NOTE.title, muted))
        return line.strip()

    def _row(self, row: HistoryRow, columns: Sequence[Column], width: int, under_cursor: bool) -> Strip:
        ground: Role = "cursor" if under_cursor else "background"
        role: Role = "text" if row.counted else "muted"
        line = Line(width, self.roles.style(role, ground))
        mark = self.marks.get(row.id) or ("▸" if under_cursor else "")
        line.put(0, (mark, self.roles.style("accent", ground, bold=True)))
        x = _FIRST
        for column in columns:
            text = row.texts[column.key]
            bold = column.key == "client" and row.counted
            self._write(line, x, column, text, self.roles.style("faint" if text == "–" else role, ground, bold=bold))
            x += column.width
        line.put(x + 1, (cut(shown(row.note), width - x - 2), self.roles.style("muted", ground)))
        return line.strip()

    def _write(self, line: Line, x: int, column: Column, text: str, style: Style) -> None:
        if column.right:
            line.end(x + column.width - 1, (text, style))
        else:
            line.put(x, (cut(shown(text), column.width - 1), style))
