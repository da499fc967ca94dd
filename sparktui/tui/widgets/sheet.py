"""Rows that are made for the width and scrolled: comparisons, pages of help, the lower part of a run."""

from __future__ import annotations

from collections.abc import Callable

from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from sparktui.tui.widgets.scrolling import Scrolling

Build = Callable[[int], list[Strip]]


class Sheet(Scrolling):
    """`show(build)`: `build(width)` gives all rows; it is called again when the width or the theme changes."""

    ALLOW_SELECT = True

    class Scrolled(Message):
        """The part in sight changed."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._build: Build | None = None
        self._built: list[Strip] = []
        self._built_width = 0
        self.top = 0

    def show(self, build: Build, *, top: bool = False) -> None:
        """Show other rows; `top` begins at the first one."""
        self._build, self._built_width = build, 0
        self.top = 0 if top else self.top
        self.repaint()

    @property
    def length(self) -> int:
        """Rows in all."""
        return len(self._lines(self.size.width))

    @property
    def below(self) -> int:
        """Rows below the part in sight."""
        return max(0, self.length - self.top - self.size.height)

    def rows(self, width: int, height: int) -> list[Strip]:
        lines = self._lines(width)
        self.top = max(0, min(self.top, len(lines) - height))
        return lines[self.top : self.top + height]

    def restyle(self) -> None:
        self._built_width = 0
        super().restyle()

    def scroll_rows(self, rows: int) -> None:
        """Up (negative) or down."""
        before = self.top
        self.top = max(0, min(self.top + rows, self.length - self.size.height))
        if self.top != before:
            self.repaint()
            self.post_message(self.Scrolled())

    def go_to(self, row: int) -> None:
        """Put a row at the top, as far as there are rows below it."""
        self.scroll_rows(row - self.top)

    def _lines(self, width: int) -> list[Strip]:
        if width != self._built_width:
            self._built_width = width
            self._built = self._build(width) if self._build is not None and width else []
        return self._built

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selection.extract("\n".join(strip.text.rstrip() for strip in self._built)), "\n"

    def _selection_row(self, y: int) -> int:
        return self.top + y
