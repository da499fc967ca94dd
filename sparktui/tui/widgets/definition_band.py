"""The band that explains the figure under the cursor."""

from __future__ import annotations

from textual.strip import Strip

from sparktui.core.records import RunRecord
from sparktui.report.detail import Figure
from sparktui.tui.runview.definition_band import band_rows
from sparktui.tui.widgets.painted import Painted


class DefinitionBand(Painted):
    """`show(figure, record)`."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._figure: Figure | None = None
        self._record: RunRecord | None = None

    def show(self, figure: Figure | None, record: RunRecord) -> None:
        self._figure, self._record = figure, record
        self.repaint()

    def rows(self, width: int, height: int) -> list[Strip]:
        if self._figure is None or self._record is None:
            return []
        return band_rows(self._figure, self._record, width, height, self.roles)
