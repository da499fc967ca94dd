"""The compare panel: a row for every B against A, the plot of the intervals, and what has to be said below."""

from __future__ import annotations

from textual.strip import Strip

from sparktui.tui.drawing.pen import Line, cut
from sparktui.tui.history.compare_rows import Compared, compare_rows
from sparktui.tui.widgets.sheet import Sheet


class ComparePanel(Sheet):
    """`compare(found)`; None shows `hint` instead."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._found: Compared | None = None
        self._hint = ""

    def compare(self, found: Compared | None, hint: str = "") -> None:
        self._found, self._hint = found, hint
        self.show(self._rows_of)

    def _rows_of(self, width: int) -> list[Strip]:
        if self._found is not None:
            return compare_rows(self._found, width, self.roles)
        line = Line(width, self.roles.style())
        line.put(3, (cut(self._hint, width - 4), self.roles.style("muted")))
        return [line.strip()]
