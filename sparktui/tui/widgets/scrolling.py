"""What keys and wheel do in everything that is longer than its place: they all come down to so many rows up or down."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from textual.events import MouseScrollDown, MouseScrollUp

from sparktui.tui.keys import SCROLLING
from sparktui.tui.widgets.painted import Painted


class Scrolling(Painted, can_focus=True):
    """Subclasses give `length` and `scroll_rows(rows)`. `wheel_rows`: of one step; `kept_rows`: in sight before a page and after it."""

    BINDINGS: ClassVar[list[BindingType]] = list(SCROLLING)
    wheel_rows: ClassVar[int] = 3
    kept_rows: ClassVar[int] = 1

    @property
    def length(self) -> int:
        """Rows in all."""
        return 0

    def scroll_rows(self, rows: int) -> None:
        """Up (negative) or down, as far as there is something."""

    def action_scroll_up(self) -> None:
        self.scroll_rows(-1)

    def action_scroll_down(self) -> None:
        self.scroll_rows(1)

    def action_page_up(self) -> None:
        self.scroll_rows(self.kept_rows - self.size.height)

    def action_page_down(self) -> None:
        self.scroll_rows(self.size.height - self.kept_rows)

    def action_scroll_home(self) -> None:
        self.scroll_rows(-self.length)

    def action_scroll_end(self) -> None:
        self.scroll_rows(self.length)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        event.stop()
        self.scroll_rows(-self.wheel_rows)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        event.stop()
        self.scroll_rows(self.wheel_rows)


def in_sight(cursor: int, top: int, length: int, height: int) -> tuple[int, int]:
    """A cursor that is on a row, and the first row in sight so that `height` rows hold it."""
    cursor = max(0, min(cursor, length - 1))
    top = max(0, min(top, cursor, length - height))
    return cursor, max(top, cursor - height + 1) if height > 0 else 0
