"""The history, full screen: cells, their comparison, the runs of the cell under the cursor; or every run."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import DescendantBlur, DescendantFocus
from textual.geometry import Region

from sparktui.tui.drawing.frame import Due
from sparktui.tui.history.history_layout import PANELS, HistoryPanelName, Wanted, history_places, is_single
from sparktui.tui.history.history_state import HistoryState
from sparktui.tui.keys import HISTORY, bindings_of
from sparktui.tui.screens.history_actions import HistoryActions
from sparktui.tui.screens.history_paint import HistoryPainter
from sparktui.tui.widgets.cell_list import CellList
from sparktui.tui.widgets.compare_panel import ComparePanel
from sparktui.tui.widgets.paged_table import PagedTable
from sparktui.tui.widgets.panel_head import PanelHead
from sparktui.tui.widgets.row_list import RowList
from sparktui.tui.widgets.sheet import Sheet

# time in one frame for medians that are due
_WORK_S = 0.03


class HistoryScreen(HistoryActions):
    """`state` outlives the screen. `compare` begins with the focus on the comparison."""

    KIND = HISTORY
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of(HISTORY)]

    def __init__(self, state: HistoryState, *, compare: bool = False) -> None:
        super().__init__()
        self.state = state
        self.panel: HistoryPanelName = "compare" if compare else "cells"
        self.zoomed = False
        self._shape: object = None
        self._session_rev = -1

    def parts(self) -> ComposeResult:
        yield PanelHead("History", id="cells-head")
        yield CellList(id="cells")
        yield PanelHead("Compare", id="compare-head")
        yield ComparePanel(id="compare")
        yield PanelHead("Runs", id="runs-head")
        yield PagedTable(id="runs")
        yield Sheet(id="notes")
        yield PanelHead("History", id="list-head")
        yield PagedTable(id="list")

    def on_mount(self) -> None:
        self.state.visit()
        self._session_rev = self.spark.session.rev.history
        self.painter = HistoryPainter(self)
        self.state.load(busy=False)
        self._work()
        self.place_parts()
        self.focus_panel(self.panel)

    def places(self, width: int, top: int, bottom: int) -> Mapping[str, Region]:
        if self.state.mode == "runs":
            return {"list-head": Region(0, top, width, 1), "list": Region(0, top + 1, width, max(0, bottom - top - 1))}
        single = is_single(width, self.app.size.height) or self.zoomed
        wanted = self.painter.wanted(width) if self.painter is not None else Wanted(0, 0, 0)
        return history_places(width, top, bottom, wanted, only=self.panel if single else None)

    def paint_body(self, due: Due) -> None:
        state, painter = self.state, self.painter
        if painter is None:
            return
        if self._session_rev != self.spark.session.rev.history:
            self._session_rev = self.spark.session.rev.history
            state.follow_session()
        state.load(busy=bool(self.spark.session.active))
        self._work()
        painter.take_in()
        shape = (state.mode, self.panel, self.zoomed, painter.wanted(self.app.size.width))
        if shape != self._shape:
            self._shape = shape
            self.place_parts()
            # what has just been given its place is painted in it
            self.call_after_refresh(self.repaint_all)
        painter.paint()

    def _work(self) -> None:
        until_s = time.perf_counter() + _WORK_S
        self.state.work(lambda: time.perf_counter() < until_s)

    def focus_panel(self, panel: HistoryPanelName) -> None:
        """Give a panel the focus, and on a small screen the rows."""
        if panel == "compare" and not self.state.marks:
            panel = "cells"
        self.panel = panel
        self.place_parts()
        self.query_one("#list" if self.state.mode == "runs" else f"#{panel}").focus()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        name = event.widget.id
        for panel in PANELS:
            self.query_one(f"#{panel}-head", PanelHead).focused_panel(panel == name)
            if panel == name:
                self.panel = panel
        self.query_one("#list-head", PanelHead).focused_panel(name == "list")
        self.repaint_all()

    def on_descendant_blur(self, event: DescendantBlur) -> None:
        self.repaint_all()

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        self.repaint_all()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        self.act_open()
