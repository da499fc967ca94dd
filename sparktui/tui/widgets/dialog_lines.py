"""Lines of text in a dialog: its title, what came of it; and the name in front of a line of input."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from sparktui.tui.drawing.pen import Line, cut
from sparktui.tui.drawing.prose import wrapped
from sparktui.tui.drawing.roles import Role
from sparktui.tui.widgets.choice import NAME_CELLS
from sparktui.tui.widgets.painted import Painted

Pieces = Sequence[tuple[str, Role, bool]]


class DialogLines(Painted):
    """`show(*lines)`: each of pieces (text, role, bold). A line of one piece wraps; the widget is as high as it has to be."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: list[Pieces] = []
        self._head = False

    def show(self, *lines: Pieces, head: bool = False) -> None:
        self._lines, self._head = list(lines), head
        self.styles.height = len(self._told(self.size.width or 80)) + 1
        self.repaint()

    def rows(self, width: int, height: int) -> list[Strip]:
        ground = self.roles.style("text", "head")
        rows = []
        for number, pieces in enumerate(self._told(width)):
            line = Line(width, ground)
            mark = ("▌", self.roles.style("accent", "head")) if self._head and number == 0 else (" ", ground)
            x = line.put(0, mark) + (0 if self._head else 1)
            for text, role, bold in pieces:
                x = line.put(x, (cut(text, width - x - 1), self.roles.style(role, "head", bold=bold)))
            rows.append(line.strip())
        blank = Line(width, ground).strip()
        return [*rows, *[blank] * max(0, height - len(rows))] if self._head else [blank, *rows]

    def _told(self, width: int) -> list[Pieces]:
        told: list[Pieces] = []
        for pieces in self._lines:
            *first, (text, role, bold) = pieces
            taken = sum(len(part[0]) for part in first)
            parts = wrapped(text, max(10, width - 4 - taken)) or [""]
            told.append([*first, (parts[0], role, bold)])
            told += [[(" " * taken + part, role, bold)] for part in parts[1:]]
        return told


class FieldName(Painted):
    """The name of a field that is a line of input."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self.styles.width = NAME_CELLS

    def rows(self, width: int, height: int) -> list[Strip]:
        line = Line(width, self.roles.style("muted", "head"))
        line.put(2, (self._text, self.roles.style("muted", "head")))
        return [line.strip()]
