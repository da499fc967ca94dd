"""One line said about what is on the screen."""

from __future__ import annotations

from textual.strip import Strip

from sparktui.tui.drawing.pen import Line, cut
from sparktui.tui.widgets.painted import Painted


class Caption(Painted):
    """`say(text, at_end)`: the text in the middle of attention, at the right a word on how to go on."""

    def __init__(self, text: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._text, self._at_end = text, ""

    def say(self, text: str, at_end: str = "") -> None:
        if (text, at_end) != (self._text, self._at_end):
            self._text, self._at_end = text, at_end
            self.repaint()

    def rows(self, width: int, height: int) -> list[Strip]:
        ground = self.roles.style("text", "tint", bold=True)
        line = Line(width, ground)
        line.put(0, ("▌", self.roles.style("accent", "tint")))
        room = width - 3
        if self._at_end and width >= len(self._text) + len(self._at_end) + 6:
            room = line.end(-2, (self._at_end, self.roles.style("muted", "tint"))) - 4
        line.put(2, (cut(self._text, room), ground))
        return [line.strip()]
