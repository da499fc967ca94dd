"""A panel's head: one row instead of a box. Focus mark, title, context, status at the right."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from sparktui.tui.drawing.pen import Ink, Line, cells, cut
from sparktui.tui.widgets.painted import Painted


class PanelHead(Painted):
    """`show(context=…, status=…)`; `focused_panel(True)` lights the mark. The status gives way before the title does."""

    def __init__(self, title: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._title = title
        self._about = ""
        self._status: tuple[tuple[str, bool], ...] = ()
        self._lit = False

    def show(self, *, context: str | None = None, status: Sequence[tuple[str, bool]] | None = None, title: str | None = None) -> None:
        """`status`: pieces of text, each with whether it is in full text colour; what is None stays as it is."""
        before = (self._title, self._about, self._status)
        self._title = self._title if title is None else title
        self._about = self._about if context is None else context
        self._status = self._status if status is None else tuple(status)
        if before != (self._title, self._about, self._status):
            self.repaint()

    def focused_panel(self, lit: bool) -> None:
        self._lit = lit
        self.repaint()

    def rows(self, width: int, height: int) -> list[Strip]:
        ground = self.roles.style("muted", "head")
        line = Line(width, ground)
        mark = self.roles.style("accent" if self._lit else "faint", "head")
        x = line.put(0, ("▌", mark), (self._title, self.roles.style("text", "head", bold=True)))
        status: list[Ink] = [(text, self.roles.style("text" if full else "muted", "head")) for text, full in self._status]
        limit = width - 1
        if status and x + 3 + cells(status) < width:
            limit = line.end(-2, *status) - 2
        line.put(x + 3, (cut(self._about, limit - x - 3), ground))
        return [line.strip()]
