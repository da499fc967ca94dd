"""The one-line meter."""

from __future__ import annotations

from textual.strip import Strip

from sparktui.tui.drawing.pen import Ink, Line, cells
from sparktui.tui.live.meter_line import MeterText
from sparktui.tui.widgets.painted import Painted

_BETWEEN = 2


class MeterLine(Painted):
    """`show(text, glyph)`: the glyph of the state goes first where the terminal is too small for a header."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._text = MeterText("", "faint", ())
        self._glyph = ""

    def show(self, text: MeterText, glyph: str = "") -> None:
        self._text, self._glyph = text, glyph
        self.repaint()

    def rows(self, width: int, height: int) -> list[Strip]:
        line = Line(width, self.roles.style("text", "head"))
        x = 0
        if self._glyph:
            x = line.put(x, (f"{self._glyph} ", self.roles.style("text", "head", bold=True)))
        badge = self._text.badge if x + len(self._text.badge) <= width else self._text.badge.strip().removesuffix(" tok/s")
        role = self._text.badge_role
        block = self.roles.block(role) if role != "faint" else self.roles.style("text", "faint", bold=True)
        if x + len(badge) <= width:
            x = line.put(x, (badge, block)) + 1
        if self._glyph:
            return [line.strip()]
        for field in self._text.fields:
            inks: list[Ink] = [(text, self.roles.style(role, "head", bold=bold)) for text, role, bold in field]
            if x + cells(inks) > width:
                break
            x = line.put(x, *inks) + _BETWEEN
        return [line.strip()]
