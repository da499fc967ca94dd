"""The burst strip: one column is 100 ms, one eighth of a cell is one token. Only columns that changed are worked out and painted."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from sparktui.core.figures.burstscale import ramp
from sparktui.core.figures.columns import Columns
from sparktui.core.liverun import LiveRun
from sparktui.tui.drawing.pen import Line
from sparktui.tui.drawing.roles import Roles
from sparktui.tui.widgets.painted import Painted
from sparktui.tui.widgets.strip_window import StripWindow, axis_labels, column_cells

EXPLAINED = "the shape of the text: tall and apart is a burst, low and even is flow"
_Cell = tuple[str, Style]


class BurstStrip(Painted):
    """Label row, columns and axis, of which small screens show a part. `window.full_tokens` is the ramp's scale of this run."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.window = StripWindow(1)
        self._label = self._axis = True
        self._columns: Columns | None = None
        self._now_ns: int | None = None
        self._frame_key: object = None
        self._frame: list[Strip] = []
        self._grid_key: object = None
        self._grid: list[list[_Cell]] = []
        self._drawn = 0

    def parts(self, *, label: bool, axis: bool) -> None:
        """Which rows around the columns there are."""
        self._label, self._axis = label, axis

    def follow(self, run: LiveRun | None, now_ns: int | None) -> None:
        """Show `run`; `now_ns` None draws no now line (the run ended)."""
        columns = run.columns if run is not None else None
        if columns is not self._columns:
            self._columns = columns
            self.window.reset()
        if columns is not None:
            self.window.follow(columns)
        if now_ns is None and self._now_ns is not None:
            self._grid_key = None
        self._now_ns = now_ns
        self.repaint()

    def restyle(self) -> None:
        self._frame_key = self._grid_key = None
        super().restyle()

    def rows(self, width: int, height: int) -> list[Strip]:
        if width != self.window.width:
            self.window.resize(width, self._columns)
        label, axis = self._around(width)
        columns = self._column_rows(width, max(0, height - self._label - self._axis))
        return [*([label] if self._label else []), *columns, *([axis] if self._axis else [])]

    @property
    def _numberless(self) -> bool:
        """No text yet and the wait is longer than the window, or no run at all."""
        columns = self._columns
        if columns is None:
            return True
        return not len(columns) and self._now_ns is not None and columns.column_of(self._now_ns) >= self.window.width

    def _around(self, width: int) -> list[Strip]:
        key = (width, self.window.start, self.window.full_tokens, self._numberless, self._columns is None)
        if key != self._frame_key:
            self._frame_key = key
            self._frame = [self._label_row(width), self._axis_row(width)]
        return self._frame

    def _label_row(self, width: int) -> Strip:
        muted = self.roles.style("muted")
        line = Line(width, self.roles.style())
        x = line.put(1, ("burst", self.roles.style(bold=True))) + 3
        if self._columns is None:
            line.put(x, (EXPLAINED, muted))
            return line.strip()
        line.put(x, ("tokens per 100 ms", muted))
        line.end(-2, (scale_words(self.window.full_tokens), muted))
        return line.strip()

    def _column_rows(self, width: int, rows: int) -> list[Strip]:
        blank: _Cell = (" ", self.roles.style())
        columns, window = self._columns, self.window
        if columns is None or self._numberless:
            self._grid_key = None
            return [self._blank(width)] * rows
        key = (id(columns), width, rows, window.start, window.full_tokens)
        if key != self._grid_key:
            self._grid_key = key
            self._grid = [[blank] * width for _ in range(rows)]
            self._drawn = 0
        for x in range(self._drawn, max(0, min(width, len(columns) - window.start))):
            tokens = columns.tokens[window.start + x]
            style = self.roles.style(ramp(columns.largest[window.start + x], window.full_tokens)) if tokens > 0 else blank[1]
            for row, cell in enumerate(column_cells(tokens, window.full_tokens, rows)):
                self._grid[row][x] = (cell, style)
            self._drawn = x
        now = window.now_at(columns, self._now_ns) if self._now_ns is not None else None
        line: _Cell = ("│", self.roles.style("faint"))
        return [_joined(row if now is None else [*row[:now], line, *row[now + 1 :]], width) for row in self._grid]

    def _axis_row(self, width: int) -> Strip:
        line = Line(width, self.roles.style("faint"))
        put_axis(line, 0, None if self._numberless else self.window.start, self.roles)
        return line.strip()


def scale_words(full_tokens: float) -> str:
    """What an eighth and a whole cell stand for."""
    unit = round(full_tokens / 24)
    return f"▁ {unit} token{'s' if unit > 1 else ''}  █ {8 * unit}"


def put_axis(line: Line, at: int, start: int | None, roles: Roles) -> None:
    """The axis from cell `at` to the end of the row: a tick and a number at each second of a window that begins at column `start`."""
    faint, muted = roles.style("faint"), roles.style("muted")
    x = at
    for cell, label in axis_labels(start, line.width - at) if start is not None else []:
        line.put(x, ("─" * (at + cell - x), faint))
        x = line.put(at + cell, ("┴", faint), (label, muted))
    line.put(x, ("─" * (line.width - x), faint))


def _joined(cells: list[_Cell], width: int) -> Strip:
    """A row of single cells as a strip; blank cells join what stands after them, the last ones what stands before."""
    segments: list[Segment] = []
    text, style = "", cells[0][1]
    for glyph, own in cells:
        if glyph != " " and own is not style:
            ink = text.rstrip(" ")
            if ink:
                segments.append(Segment(ink, style))
            text, style = text[len(ink) :], own
        text += glyph
    segments.append(Segment(text, style))
    return Strip(segments, width)
