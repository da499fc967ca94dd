"""The acceptance of the last runs in one row."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from sparktui.core.records import RunRecord
from sparktui.tui.drawing.pen import Line
from sparktui.tui.live.acceptance_strip import acceptance_pieces
from sparktui.tui.widgets.painted import Painted


class AcceptanceRow(Painted):
    """`show(runs)`: the newest first."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._runs: Sequence[RunRecord] = ()

    def show(self, runs: Sequence[RunRecord]) -> None:
        self._runs = runs
        self.repaint()

    def rows(self, width: int, height: int) -> list[Strip]:
        line = Line(width, self.roles.style())
        x = 1
        for text, role in acceptance_pieces(self._runs, width - 2):
            x = line.put(x, (text, self.roles.style(role)))
        return [line.strip()]
