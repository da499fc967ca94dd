"""A list of rows with a cursor that keys and mouse move; what a row looks like is the subclass's."""

from __future__ import annotations

from textual.events import Click
from textual.message import Message
from textual.strip import Strip

from sparktui.tui.widgets.scrolling import Scrolling, in_sight


class RowList(Scrolling):
    """Subclasses give `count`, `row(index, width, cursor)` and, where there are any, rows above (`heads`) and below (`tails`)."""

    wheel_rows = 1
    kept_rows = 2

    class Moved(Message):
        """The cursor is on another row."""

        def __init__(self, sender: RowList) -> None:
            super().__init__()
            self.sender = sender

        @property
        def control(self) -> RowList:
            return self.sender

    class Opened(Moved):
        """A row was chosen with the mouse."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.cursor = 0
        self._top = 0

    @property
    def count(self) -> int:
        return 0

    def heads(self, width: int) -> list[Strip]:
        return []

    def tails(self, width: int) -> list[Strip]:
        return []

    def row(self, index: int, width: int, cursor: bool) -> Strip:
        return self._blank(width)

    def rows(self, width: int, height: int) -> list[Strip]:
        heads = self.heads(width)
        room = max(0, height - len(heads))
        tails = self.tails(width)[: max(0, room - max(1, self.count))]
        self.cursor, self._top = in_sight(self.cursor, self._top, self.count, room - len(tails))
        last = min(self.count, self._top + room - len(tails))
        seen = [self.row(index, width, index == self.cursor) for index in range(self._top, last)]
        return [*heads, *seen, *tails]

    @property
    def length(self) -> int:
        return self.count

    def scroll_rows(self, rows: int) -> None:
        self.move(rows)

    def move(self, rows: int) -> None:
        """Move the cursor; at the ends it stays."""
        before = self.cursor
        self.cursor = max(0, min(self.count - 1, self.cursor + rows))
        if self.cursor != before:
            self.repaint()
            self.post_message(self.Moved(self))

    def on_focus(self) -> None:
        self.repaint()

    def on_blur(self) -> None:
        self.repaint()

    def on_click(self, event: Click) -> None:
        index = self._top + event.y - len(self.heads(self.size.width))
        if self._top <= index < self.count:
            self.move(index - self.cursor)
            if event.chain > 1:
                self.post_message(self.Opened(self))
