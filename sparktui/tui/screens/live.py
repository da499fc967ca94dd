"""The live screen: what stands on it, where, and who has the focus."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import DescendantBlur, DescendantFocus, Resize
from textual.strip import Strip
from textual.widget import Widget

from sparktui.core.figures.phase import phase_of
from sparktui.tui.drawing.frame import Due
from sparktui.tui.drawing.pen import Line
from sparktui.tui.drawing.placed import Placed
from sparktui.tui.keys import LIVE, bindings_of
from sparktui.tui.live.layout import PANELS, PARTS, Layout, Panel, layout_for, regions_of
from sparktui.tui.screens.live_actions import LiveActions
from sparktui.tui.screens.live_pages import LivePages
from sparktui.tui.screens.live_paint import LivePainter
from sparktui.tui.screens.needle_actions import NeedleActions
from sparktui.tui.screens.sweep_actions import SweepActions, waits_for_hand
from sparktui.tui.screens.touring import Touring
from sparktui.tui.widgets.burst_strip import BurstStrip
from sparktui.tui.widgets.caption import Caption
from sparktui.tui.widgets.footer import KeyFooter
from sparktui.tui.widgets.header import Header
from sparktui.tui.widgets.history_table import HistoryTable
from sparktui.tui.widgets.log_panel import LogPanel
from sparktui.tui.widgets.meter import Meter
from sparktui.tui.widgets.meter_line import MeterLine
from sparktui.tui.widgets.painted import Painted
from sparktui.tui.widgets.panel_head import PanelHead
from sparktui.tui.widgets.prompt_bar import PromptBar
from sparktui.tui.widgets.stream_view import StreamView


class Rule(Painted):
    """The one vertical line."""

    def rows(self, width: int, height: int) -> list[Strip]:
        line = Line(width, self.roles.style("rule"))
        line.put(0, ("│", self.roles.style("rule")))
        return [line.strip()] * height


class LiveScreen(Touring, NeedleActions, SweepActions, LivePages, LiveActions):
    """Painting is `LivePainter`'s, what keys do is `LiveActions`'."""

    KIND = LIVE
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of(LIVE)]
    AUTO_FOCUS = "StreamView"
    BLANK = True

    def __init__(self) -> None:
        super().__init__()
        self.layout_now = layout_for(80, 24)
        self._quiet = False
        self._placed = Placed()

    def compose(self) -> ComposeResult:
        yield Header(id="header")
        yield PanelHead("Stream", id="stream-head")
        yield StreamView(view=self.spark.options.ui.view, id="stream")
        yield BurstStrip(id="strip")
        yield Rule(id="rule")
        yield PanelHead("Meter", id="meter-head")
        yield Meter(id="meter")
        yield MeterLine(id="meter-line")
        yield PanelHead("Server log", id="log-head")
        yield LogPanel(id="log")
        yield PanelHead("History", id="history-head")
        yield HistoryTable(id="history")
        yield PromptBar(id="prompt")
        yield Caption(id="caption")
        yield KeyFooter(id="footer")

    @property
    def layout(self) -> Placed:
        return self._placed

    def on_mount(self) -> None:
        self.temperature, self.max_tokens = self.spark.options.temperature, self.spark.options.max_tokens
        self.painter = LivePainter(self)
        self.place_parts()
        self.painter.paint(Due(meter=True, second=True))
        if self.spark.guide is not None:
            self.spark.guide.tell()

    def on_resize(self, event: Resize) -> None:
        self.place_parts()
        self.repaint_all()

    def on_screen_resume(self) -> None:
        self.repaint_all()

    def paint(self, due: Due) -> None:
        if self.painter is not None:
            self.painter.paint(due)
        self.sweep_over()

    def restyle(self) -> None:
        super().restyle()
        self.repaint_all()

    def repaint_all(self) -> None:
        """Everything that state decides is painted now, whatever changed: a key is answered at once, not at the next frame."""
        if self.painter is not None and self.is_attached:
            self.painter.forget()
            self.painter.paint(Due(meter=True, second=True))

    def facts(self) -> set[str]:
        session, options = self.spark.session, self.spark.options
        phase = phase_of(session, self.spark.now_ns)
        server = session.server
        found = {"ready": server is not None and server.state in ("ready", "loading") and not options.read_only}
        found["unreachable"] = phase.name == "unreachable"
        found["by_hand"] = server is not None and waits_for_hand(server)
        found["choose"] = server is not None and server.state != "ready" and len(server.candidates) > 1
        found["running"] = self.busy and not options.read_only
        found["shown"] = session.current is not None and phase.name != "unreachable"
        found["records"] = session.record_count > 0
        found["narrow"] = self.layout_now.mode != "wide"
        found |= {panel: self.focused_panel() == panel for panel in PANELS}
        if self.touring:
            found |= {"ready": False, "running": False}
        return {fact for fact, holds in found.items() if holds}

    def focused_panel(self) -> Panel | None:
        """The panel that has the focus, None while a line is being typed."""
        return next((panel for panel in PANELS if self.focused is not None and self.focused.id == panel), None)

    def zoom(self, panel: Panel | None) -> None:
        self.zoomed = panel
        self.place_parts()
        self.repaint_all()

    def make_quiet(self, quiet: bool) -> None:
        """Nothing runs and nothing did: a small screen needs no strip and no meter line."""
        if quiet != self._quiet:
            self._quiet = quiet
            self.place_parts()

    def wanted_layout(self, width: int, height: int) -> Layout:
        """The rows of each part on a terminal of this size."""
        return layout_for(width, height, self.zoomed, quiet=self._quiet)

    def place_parts(self) -> None:
        """Give every part its place."""
        width, height = self.app.size
        layout = self.wanted_layout(width, height)
        self.layout_now = layout
        self._placed.regions = regions_of(layout, width, prompt_over=layout.mode == "small" and self.prompt_open)
        for widget in self.query_children(Widget):
            if widget.id in PARTS:
                widget.display = widget.id in self._placed.regions
        self.place_caption()
        self.query_one(Meter).full = layout.meter == "full"
        self.query_one(BurstStrip).parts(label=bool(layout.strip_label), axis=bool(layout.axis))
        self.refresh(layout=True)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        self._light_heads()

    def on_descendant_blur(self, event: DescendantBlur) -> None:
        self._light_heads()

    def _light_heads(self) -> None:
        panel = self.focused_panel()
        for name in PANELS:
            self.query_one(f"#{name}-head", PanelHead).focused_panel(name == panel)
        self.repaint_all()
