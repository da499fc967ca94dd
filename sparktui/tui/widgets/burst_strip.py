"""The burst strip: one column is 100 ms, one eighth of a cell is one token. Only columns that changed are painted."""

from __future__ import annotations

from textual.strip import Strip

from sparktui.core.columns import Columns
from sparktui.core.liverun import LiveRun
from sparktui.tui.pen import Line
from sparktui.tui.ramp import ramp
from sparktui.tui.widgets.painted import Painted
from sparktui.tui.widgets.strip_window import StripWindow, axis_labels, column_cells

EXPLAINED = "the shape of the text: tall and apart is a burst, low and even is flow"


class BurstStrip(Painted):
    """Label row, columns and axis, of which small screens show a part. `window.full_tokens` is the ramp's scale of this run."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.window = StripWindow(1)
        self._label = self._axis = True
        self._columns: Columns | None = None
        self._now_ns: int | None = None

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
        self._now_ns = now_ns
        self.repaint()

    def rows(self, width: int, height: int) -> list[Strip]:
        if width != self.window.width:
            self.window.resize(width, self._columns)
        columns = height - self._label - self._axis
        painted = [self._label_row(width)] if self._label else []
        painted += self._column_rows(width, max(0, columns))
        return [*painted, self._axis_row(width)] if self._axis else painted

    @property
    def _numberless(self) -> bool:
        """No text yet and the wait is longer than the window, or no run at all."""
        columns = self._columns
        if columns is None:
            return True
        return not len(columns) and self._now_ns is not None and columns.column_of(self._now_ns) >= self.window.width

    def _label_row(self, width: int) -> Strip:
        muted = self.roles.style("muted")
        line = Line(width, self.roles.style())
        x = line.put(1, ("burst", self.roles.style(bold=True))) + 3
        if self._columns is None:
            line.put(x, (EXPLAINED, muted))
            return line.strip()
        line.put(x, ("tokens per 100 ms", muted))
        unit = round(self.window.full_tokens / 24)
        line.end(-2, (f"▁ {unit} token{'s' if unit > 1 else ''}  █ {8 * unit}", muted))
        return line.strip()

    def _column_rows(self, width: int, rows: int) -> list[Strip]:
        lines = [Line(width, self.roles.style()) for _ in range(rows)]
        columns, window = self._columns, self.window
        if columns is None or self._numberless:
            return [line.strip() for line in lines]
        for x in range(max(0, min(width, len(columns) - window.start))):
            tokens = columns.tokens[window.start + x]
            if tokens > 0:
                style = self.roles.style(ramp(columns.largest[window.start + x], window.full_tokens))
                for row, cell in enumerate(column_cells(tokens, window.full_tokens, rows)):
                    lines[row].put(x, (cell, style))
        now = window.now_at(columns, self._now_ns) if self._now_ns is not None else None
        if now is not None:
            for line in lines:
                line.put(now, ("│", self.roles.style("faint")))
        return [line.strip() for line in lines]

    def _axis_row(self, width: int) -> Strip:
        faint, muted = self.roles.style("faint"), self.roles.style("muted")
        line = Line(width, faint)
        labels = [] if self._numberless else axis_labels(self.window.start, width)
        x = 0
        for cell, label in labels:
            line.put(x, ("─" * (cell - x), faint))
            x = line.put(cell, ("┴", faint), (label, muted))
        line.put(x, ("─" * (width - x), faint))
        return line.strip()
