"""Writing one row of cells: pieces at fixed cells, right-aligned figures, and the ground between them."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

Ink = tuple[str, Style]


def cells(inks: Iterable[Ink]) -> int:
    """Width of a run of pieces."""
    return sum(cell_len(text) for text, _ in inks)


def cut(text: str, width: int, ellipsis: str = "…") -> str:
    """`text` in at most `width` cells; a cut name ends in an ellipsis. For names, paths and log text, never for figures."""
    if cell_len(text) <= width:
        return text
    if width <= 0:
        return ""
    return set_cell_size(text, width - 1).rstrip() + ellipsis if width > 1 else ellipsis


class Line:
    """One row, `width` cells of `ground`. What does not fit is clipped; what is put where something stands already is dropped."""

    def __init__(self, width: int, ground: Style) -> None:
        self.width = width
        self.ground = ground
        self._pieces: list[tuple[int, int, str, Style]] = []

    def put(self, x: int, *inks: Ink) -> int:
        """Write from cell `x` on; returns the cell after the last one written."""
        for text, style in inks:
            size = cell_len(text)
            if size and x + size > self.width:
                text = set_cell_size(text, max(0, self.width - x))  # noqa: PLW2901
                size = cell_len(text)
            if size > 0:
                self._pieces.append((x, size, text, style))
            x += size
        return x

    def end(self, last: int, *inks: Ink) -> int:
        """Write so that the last cell is `last` (negative: from the right edge, -1 the last); returns the first cell used."""
        stop = last + 1 if last >= 0 else self.width + last + 1
        start = max(0, stop - cells(inks))
        self.put(start, *inks)
        return start

    @property
    def used(self) -> int:
        """The cell after the rightmost piece."""
        return max((x + size for x, size, _, _ in self._pieces), default=0)

    def strip(self) -> Strip:
        """The row. A gap on the same ground as its neighbour joins it: fewer changes of style, fewer bytes to the terminal."""
        runs: list[tuple[str, Style]] = []
        at = 0
        for x, size, text, style in sorted(self._pieces, key=lambda piece: piece[0]):
            if x < at:
                continue
            if x > at:
                _join(runs, " " * (x - at), self.ground)
            _join(runs, text, style)
            at = x + size
        if at < self.width:
            _join(runs, " " * (self.width - at), self.ground)
        return Strip([Segment(text, style) for text, style in runs], self.width)


def _join(runs: list[tuple[str, Style]], text: str, style: Style) -> None:
    if runs:
        before, before_style = runs[-1]
        same_ground = before_style.bgcolor == style.bgcolor
        if style == before_style or (same_ground and text.isspace()):
            runs[-1] = (before + text, before_style)
            return
        if same_ground and before.isspace():
            runs[-1] = (before + text, style)
            return
    runs.append((text, style))
