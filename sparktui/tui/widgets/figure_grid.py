"""The figures of a run in columns with a cursor that is always on one of them."""

from __future__ import annotations

from textual.events import Click, MouseScrollDown, MouseScrollUp
from textual.message import Message
from textual.strip import Strip

from sparktui.core.records import RunRecord
from sparktui.report.detail import Figure
from sparktui.tui.drawing.pen import Line
from sparktui.tui.runview.run_figures import COLUMN_CELLS, Columns, Item, figure_columns, item_inks
from sparktui.tui.widgets.painted import Painted

_THREE_FROM, _TWO_FROM = 100, 60


def columns_in(width: int) -> int:
    """How many columns of figures stand beside each other."""
    return 3 if width >= _THREE_FROM else 2 if width >= _TWO_FROM else 1


class FigureGrid(Painted):
    """`show(record)`; `move(columns, rows)` moves the cursor."""

    class Moved(Message):
        """The cursor is on another figure."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._record: RunRecord | None = None
        self._columns: Columns = ()
        self._at = (0, 1)
        self._top = 0

    def show(self, record: RunRecord) -> None:
        self._record = record
        self._columns = ()
        self.repaint()

    @property
    def figure(self) -> Figure | None:
        """The figure under the cursor."""
        column, row = self._at
        return self._columns[column][row].figure if self._columns and row < len(self._columns[column]) else None

    @property
    def below(self) -> int:
        """Rows below the part in sight."""
        return max((len(column) for column in self._columns), default=0) - self._top - self.size.height

    def rows_needed(self, record: RunRecord, width: int) -> tuple[int, int]:
        """Rows for all groups, and for those at the top of their columns."""
        columns = figure_columns(record, columns_in(width))
        first = [next((at for at, item in enumerate(column) if item == Item()), len(column)) for column in columns]
        return max(len(column) for column in columns), max(first)

    def move(self, columns: int, rows: int) -> None:
        """To the next figure that way; names of groups and gaps are stepped over."""
        if not self._columns:
            return
        column, row = self._at
        if columns:
            column = max(0, min(len(self._columns) - 1, column + columns))
            row = self._nearest(column, row)
        step = 1 if rows > 0 else -1
        for _ in range(abs(rows)):
            at = row + step
            while 0 <= at < len(self._columns[column]) and self._columns[column][at].figure is None:
                at += step
            if not 0 <= at < len(self._columns[column]):
                break
            row = at
        if (column, row) != self._at:
            self._at = (column, row)
            self.repaint()
            self.post_message(self.Moved())

    def rows(self, width: int, height: int) -> list[Strip]:
        if self._record is None:
            return []
        self._arrange(width)
        length = max(len(column) for column in self._columns)
        self._top = max(0, min(self._top, length - height, self._at[1] - 1))
        self._top = max(self._top, self._at[1] - height + 1)
        each = width // len(self._columns)
        return [self._line(y, width, each) for y in range(self._top, min(length, self._top + height))]

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        event.stop()
        self.move(0, -1)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        event.stop()
        self.move(0, 1)

    def on_click(self, event: Click) -> None:
        if self._columns:
            column = min(len(self._columns) - 1, event.x // (self.size.width // len(self._columns)))
            row = self._top + event.y
            if row < len(self._columns[column]) and self._columns[column][row].figure is not None:
                self._at = (column, row)
                self.repaint()
                self.post_message(self.Moved())

    def _arrange(self, width: int) -> None:
        """Columns for the width; the cursor stays on its figure when their number changes."""
        assert self._record is not None
        if len(self._columns) == columns_in(width):
            return
        name = self.figure.name if self._columns and self.figure is not None else None
        self._columns = figure_columns(self._record, columns_in(width))
        for number, column in enumerate(self._columns):
            for row, item in enumerate(column):
                if item.figure is not None and item.figure.name == name:
                    self._at = (number, row)
                    return
        self._at = (min(self._at[0], len(self._columns) - 1), self._at[1])
        self._at = (self._at[0], self._nearest(*self._at))

    def _nearest(self, column: int, row: int) -> int:
        """The row of the figure nearest to `row` in a column."""
        rows = [at for at, item in enumerate(self._columns[column]) if item.figure is not None]
        return min(rows, key=lambda at: abs(at - row))

    def _line(self, y: int, width: int, each: int) -> Strip:
        assert self._record is not None
        strips = []
        for number, column in enumerate(self._columns):
            cursor = (number, y) == self._at
            room = each if number < len(self._columns) - 1 else width - number * each
            line = Line(min(room, COLUMN_CELLS - 2), self.roles.style("text", "cursor" if cursor else "background"))
            for x, ink in item_inks(column[y], self._record, self.roles, cursor=cursor) if y < len(column) else ():
                line.put(x, ink)
            strips += [line.strip(), Line(room - line.width, self.roles.style()).strip()]
        return Strip.join(strips)
