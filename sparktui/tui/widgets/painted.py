"""The base of our widgets: rows of cells, of which only the cells that changed are painted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol, cast

from rich.cells import cell_len
from rich.segment import Segment
from textual.events import Resize
from textual.geometry import Region
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from sparktui.tui.drawing.glyphs import Glyphs
from sparktui.tui.drawing.roles import Roles


class Dressed(Protocol):
    """What a widget needs of its app: the colours and the glyph set."""

    @property
    def roles(self) -> Roles: ...

    @property
    def glyphs(self) -> Glyphs: ...


class Painted(Widget):
    """Subclasses give `rows(width, height)`; `repaint()` writes what differs from what is on the screen, and nothing else.

    Rows go to the compositor as they are: there is no border, padding or blending to work out for each of them in each frame.
    """

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._shown: list[Strip] = []

    @property
    def roles(self) -> Roles:
        return cast(Dressed, self.app).roles

    @property
    def glyphs(self) -> Glyphs:
        return cast(Dressed, self.app).glyphs

    def rows(self, width: int, height: int) -> list[Strip]:
        """The rows from the top; fewer than `height` are filled up with blank ones. A bare one is blank."""
        return []

    def repaint(self) -> None:
        """Ask for all rows and paint the cells that changed."""
        width, height = self.size
        if not width or not height:
            return
        rows = self.rows(width, height)[:height]
        if len(rows) < height:
            rows += [self._blank(width)] * (height - len(rows))
        self.set_rows(0, rows)

    def set_rows(self, first: int, strips: Sequence[Strip]) -> None:
        """Put rows of the widget's width at `first` and below, and ask for the cells that changed to be painted."""
        width, height = self.size
        self._fill(width, height)
        changed = [region for y, strip in enumerate(strips, first) if y < height and (region := self._put(y, strip, width))]
        if changed:
            self.refresh(*changed)

    def render_lines(self, crop: Region) -> list[Strip]:
        width, height = self.size
        self._fill(width, height)
        strips = self._shown[crop.y : crop.bottom]
        selection = self.text_selection if self.allow_select else None
        if selection is not None:
            strips = [self._selected(strip, selection, y) for y, strip in enumerate(strips, crop.y)]
        if self.app.no_color:
            for line_filter in self.get_line_filters():
                strips = [strip.apply_filter(line_filter, self.background_colors[1]) for strip in strips]
        if crop.column_span != (0, width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def render_line(self, y: int) -> Strip:
        """One row with the position of each character: it is asked for to find the one under the mouse, never to paint."""
        width, height = self.size
        self._fill(width, height)
        row = self._shown[y] if 0 <= y < height else self._blank(width)
        return row.apply_offsets(0, self._selection_row(y))

    def restyle(self) -> None:
        """The theme or the size changed: forget what is on the screen and paint all of it."""
        self._shown.clear()
        self.repaint()
        self.refresh()

    def on_resize(self, event: Resize) -> None:
        self.restyle()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selection.extract("\n".join(strip.text.rstrip() for strip in self._shown)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def _put(self, y: int, strip: Strip, width: int) -> Region | None:
        """The cells of row `y` that `strip` changes."""
        before = self._shown[y]
        if strip is before:
            return None
        if self.glyphs.ascii_only:
            strip = Strip([Segment(self.glyphs.drawn(text), style) for text, style, _ in strip], width)
        changed = changed_cells(before._segments, strip._segments, width)
        if changed is None:
            return None
        self._shown[y] = strip
        return Region(changed[0], y, changed[1] - changed[0], 1)

    def _blank(self, width: int) -> Strip:
        return Strip([Segment(" " * width, self.roles.style())], width)

    def _fill(self, width: int, height: int) -> None:
        """As many rows as the widget is high; those nobody gave are blank."""
        missing = height - len(self._shown)
        if missing > 0:
            self._shown += [self._blank(width)] * missing

    def _selection_row(self, y: int) -> int:
        """The row that a selection knows row `y` of the screen by; it stays the same when the text scrolls."""
        return y

    def _selected(self, strip: Strip, selection: Selection, y: int) -> Strip:
        span = selection.get_span(self._selection_row(y))
        if span is None:
            return strip
        start, stop = span
        stop = strip.cell_length if stop == -1 else min(stop, strip.cell_length)
        if start >= stop:
            return strip
        before, inside, after = strip.crop(0, start), strip.crop(start, stop), strip.crop(stop, strip.cell_length)
        marked = Strip([Segment(inside.text, self.roles.style("background", "text"))], inside.cell_length)
        return Strip.join([before, marked, after])


def changed_cells(old: list[Segment], new: list[Segment], width: int) -> tuple[int, int] | None:
    """First and one-past-last cell that differ between two rows of `width` cells; None where none does.

    Rows must be joined in the same way (`Line` does): a difference in segments alone counts as one of cells.
    """
    start = _common(old, new, from_end=False)
    if start >= width:
        return None
    stop = width - _common(old, new, from_end=True)
    return (start, stop) if start < stop else None


@lru_cache(4096)
def is_narrow(text: str) -> bool:
    """Whether every character takes one cell."""
    return text.isascii() or all(cell_len(character) == 1 for character in text)


def _common(old: list[Segment], new: list[Segment], *, from_end: bool) -> int:
    """Cells that are the same at one end of both rows."""
    step = -1 if from_end else 1
    cells = 0
    for before, after in zip(old[::step], new[::step], strict=False):
        if before.text == after.text and before.style == after.style:
            cells += cell_len(after.text)
            continue
        if before.style == after.style and is_narrow(before.text) and is_narrow(after.text):
            pairs = zip(before.text[::step], after.text[::step], strict=False)
            cells += next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(before.text), len(after.text)))
        break
    return cells
