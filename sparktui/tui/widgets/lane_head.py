"""On top of a lane: its rate in small digits, and three lines of figures beside them."""

from __future__ import annotations

from textual.strip import Strip

from sparktui.tui.drawing.pen import Ink, Line, cells
from sparktui.tui.showing.lane_view import LaneView
from sparktui.tui.widgets.digits import small_digits
from sparktui.tui.widgets.painted import Painted

_DIGITS_AT = 2
_LEAST_BESIDE = 12


class LaneHead(Painted):
    """`show(view)`. Figures that do not fit go whole from the right."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._view = LaneView()

    def show(self, view: LaneView) -> None:
        if view != self._view:
            self._view = view
            self.repaint()

    def rows(self, width: int, height: int) -> list[Strip]:
        view = self._view
        pixels = small_digits(view.digits)
        beside = max(_LEAST_BESIDE, _DIGITS_AT + len(pixels[0]) + 2)
        painted = []
        for row, pieces in zip(pixels, view.lines, strict=True):
            line = Line(width, self.roles.style())
            line.put(_DIGITS_AT, (row.rstrip(), self.roles.style(view.digits_role)))
            inks: list[Ink] = [(text, self.roles.style(role, bold=bold)) for text, role, bold in pieces]
            if beside + cells(inks) >= width:
                # the second figure of a line begins behind its gap
                inks = inks[: next((at for at, piece in enumerate(pieces) if piece[0].isspace()), len(inks))]
            line.put(beside, *inks)
            painted.append(line.strip())
        return painted
