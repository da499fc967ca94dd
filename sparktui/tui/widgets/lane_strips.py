"""The burst strips of two lanes, one above the other on one axis, one clock and one scale: what the two do at the same moment."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.strip import Strip

from sparktui.core.figures.burstscale import ramp
from sparktui.core.figures.columns import Columns
from sparktui.core.liverun import LiveRun
from sparktui.tui.drawing.pen import Line, cut
from sparktui.tui.widgets.burst_strip import put_axis, scale_words
from sparktui.tui.widgets.painted import Painted
from sparktui.tui.widgets.strip_window import StripWindow, column_cells

_LONGEST_NAME = 12
_WHAT = "both on one clock, tokens per 100 ms"


class LaneStrips(Painted):
    """`show(names, runs, now_ns, ahead)`. With a label: what a column is, who is ahead, the scale."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.window = StripWindow(1)
        self._label = self._axis = True
        self._names: tuple[str, str] = ("A", "B")
        self._runs: Sequence[LiveRun | None] = (None, None)
        self._now_ns = 0
        self._ahead = ""
        self._seen: tuple[int, int] = (0, 0)

    def parts(self, *, label: bool, axis: bool) -> None:
        """Which rows around the columns there are."""
        self._label, self._axis = label, axis

    def show(self, names: tuple[str, str], runs: Sequence[LiveRun | None], now_ns: int, ahead: str) -> None:
        seen = (id(runs[0]), id(runs[1]))
        if seen != self._seen:
            self._seen = seen
            self.window.reset()
        self._names, self._runs, self._now_ns, self._ahead = names, tuple(runs), now_ns, ahead
        self.window.follow(self._joint())
        self.repaint()

    def rows(self, width: int, height: int) -> list[Strip]:
        at = self._columns_at(width)
        if width - at != self.window.width:
            self.window.resize(width - at, self._joint())
        rule = int(self._axis)
        each = max(0, (height - self._label - self._axis - rule) // 2)
        painted = [self._label_row(width)] if self._label else []
        painted += self._lane(0, width, each, at)
        if rule:
            between = Line(width, self.roles.style("rule"))
            between.put(at, ("─" * (width - at), self.roles.style("rule")))
            painted.append(between.strip())
        painted += self._lane(1, width, each, at)
        if self._axis:
            line = Line(width, self.roles.style("faint"))
            put_axis(line, at, self.window.start, self.roles)
            painted.append(line.strip())
        return painted

    def _columns_at(self, width: int) -> int:
        longest = max(cell_len(name) for name in self._names)
        return min(longest, _LONGEST_NAME, max(1, width // 6)) + 2

    def _label_row(self, width: int) -> Strip:
        muted = self.roles.style("muted")
        line = Line(width, self.roles.style())
        x = line.put(1, ("burst", self.roles.style(bold=True))) + 3
        scale = scale_words(self.window.full_tokens)
        edge = width - 1
        if cell_len(_WHAT) + cell_len(scale) + x + 3 < width:
            edge = line.end(-2, (scale, muted)) - 3
            if x + cell_len(_WHAT) + 3 + cell_len(self._ahead) <= edge:
                line.put(x, (_WHAT, muted))
        line.end(edge - 1, (cut(self._ahead, edge - x), self.roles.style(bold=True)))
        return line.strip()

    def _lane(self, number: int, width: int, rows: int, at: int) -> list[Strip]:
        lines = [Line(width, self.roles.style()) for _ in range(rows)]
        run, window = self._runs[number], self.window
        if lines:
            lines[-1].put(1, (cut(self._names[number], at - 2), self.roles.style(bold=True)))
        if run is None:
            return [line.strip() for line in lines]
        for x in range(max(0, min(window.width, len(run.columns) - window.start))):
            tokens = run.columns.tokens[window.start + x]
            if tokens > 0:
                style = self.roles.style(ramp(run.columns.largest[window.start + x], window.full_tokens))
                for row, cell in enumerate(column_cells(tokens, window.full_tokens, rows)):
                    lines[row].put(at + x, (cell, style))
        if not run.done:
            now = max(run.columns.column_of(self._now_ns), len(run.columns)) - window.start
            if now >= 0:
                for line in lines:
                    line.put(at + min(now, window.width - 1), ("│", self.roles.style("faint")))
        return [line.strip() for line in lines]

    def _joint(self) -> Columns:
        """Both lanes' columns as one: what decides the window and the scale."""
        runs = [run for run in self._runs if run is not None]
        joint = Columns(runs[0].t_send_ns if runs else 0)
        length = max((len(run.columns) for run in runs), default=0)
        joint.tokens.extend([0.0] * length)
        for run in runs:
            for column, tokens in enumerate(run.columns.tokens):
                joint.tokens[column] = max(joint.tokens[column], tokens)
        return joint
