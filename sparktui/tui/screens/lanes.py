"""Two lanes: two runs side by side on one clock, their strips one above the other, and who is ahead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Resize
from textual.widget import Widget

from sparktui.core.figures.phase import Phase
from sparktui.core.liverun import LiveRun
from sparktui.core.replay import Recording
from sparktui.tui.drawing.frame import Due
from sparktui.tui.drawing.placed import Placed
from sparktui.tui.keys import LANES, footer_keys
from sparktui.tui.screens.live import Rule
from sparktui.tui.screens.playing import TransportKeys
from sparktui.tui.screens.replay import playing_bindings
from sparktui.tui.showing.lane_layout import lane_layout
from sparktui.tui.showing.lane_view import ahead, lane_context, lane_names, lane_view, lanes_server
from sparktui.tui.showing.player import Player
from sparktui.tui.widgets.caption import Caption
from sparktui.tui.widgets.footer import KeyFooter
from sparktui.tui.widgets.header import Header, HeaderView
from sparktui.tui.widgets.lane_head import LaneHead
from sparktui.tui.widgets.lane_strips import LaneStrips
from sparktui.tui.widgets.panel_head import PanelHead
from sparktui.tui.widgets.stream_view import StreamView
from sparktui.tui.widgets.transport_line import TransportLine

_LANES = (0, 1)


class LanesScreen(TransportKeys):
    """Both begin at their send, as soon as the screen is shown. `caption`: one more line, said about the two."""

    KIND = LANES
    BINDINGS: ClassVar[list[BindingType]] = [*playing_bindings(LANES)]
    AUTO_FOCUS = "#text-0"
    BLANK = True

    def __init__(self, recordings: Sequence[Recording], *, speed: float = 1.0, loop: bool = False, caption: str = "") -> None:
        super().__init__()
        self._recordings, self._speed, self._looped, self._caption = list(recordings), speed, loop, caption
        self._records = [recording.records[0] for recording in recordings]
        self._names = lane_names(self._records[0], self._records[1])
        self._shown = 0
        self._runs: list[LiveRun | None] = [None, None]
        self._settled = [False, False]
        self._both = True
        self._placed = Placed()

    def compose(self) -> ComposeResult:
        self.player = Player(self._recordings, self.moment_ns(), speed=self._speed, loop=self._looped)
        yield Header(id="header")
        for lane in _LANES:
            yield PanelHead(self._names[lane], id=f"head-{lane}")
            yield LaneHead(id=f"figures-{lane}")
            yield StreamView(view=self.spark.options.ui.view, id=f"text-{lane}")
        yield Rule(id="rule")
        yield LaneStrips(id="strips")
        yield Caption(self._caption, id="caption")
        yield TransportLine(id="transport")
        yield KeyFooter(id="footer")

    @property
    def layout(self) -> Placed:
        return self._placed

    def on_mount(self) -> None:
        self.player.transport.seek(0, self.moment_ns())
        for lane in _LANES:
            self.query_one(f"#head-{lane}", PanelHead).show(context=lane_context(self._records[lane], self._names[lane]))
        self._place()
        self.paint(Due(meter=True, second=True))

    def on_resize(self, event: Resize) -> None:
        self._place()

    def facts(self) -> set[str]:
        found = {"shown", "alone"} if len(self.app.screen_stack) == 1 else {"shown"}
        return found | (set() if self._both else {"narrow"})

    def paint(self, due: Due) -> None:
        if not self.query(TransportLine):
            return
        self.player.advance(self.moment_ns())
        now_ns = self.player.now_ns
        runs = [track.session.current for track in self.player.tracks]
        strips = self.query_one(LaneStrips)
        strips.show(self._names, runs, now_ns, ahead(self._names, runs))
        for lane, run in enumerate(runs):
            self._text(lane, run, strips.window.full_tokens)
            if due.meter or (run is not None and run.done):
                view = lane_view(run, now_ns)
                self.query_one(f"#figures-{lane}", LaneHead).show(view)
                self.query_one(f"#head-{lane}", PanelHead).show(status=view.status)
        self.query_one(TransportLine).show(self.player, self.moment_ns())
        self._around()

    def restyle(self) -> None:
        super().restyle()
        self._place()

    def act_view(self) -> None:
        for lane in _LANES:
            self.query_one(f"#text-{lane}", StreamView).next_view()

    def act_swap(self) -> None:
        """The other lane's text, where there is room for one alone."""
        self._shown = 1 - self._shown
        self._place()

    def _text(self, lane: int, run: LiveRun | None, full_tokens: float) -> None:
        view = self.query_one(f"#text-{lane}", StreamView)
        if run is not self._runs[lane]:
            self._runs[lane], self._settled[lane] = run, False
            view.begin()
        if run is None:
            return
        view.feed(run.take_pieces(), run.burst_tokens, full_tokens)
        if run.done and not self._settled[lane]:
            self._settled[lane] = True
            view.settle(run.burst_tokens)

    def _around(self) -> None:
        """Header and footer."""
        left, right = footer_keys(self.KIND, self.facts())
        done = [[key for key in keys if self.handler(key) is not None] for keys in (left, right)]
        self.query_one(KeyFooter).show(*done)
        info, models = lanes_server(self._records[0].server, self._records[1].server)
        view = HeaderView(phase=Phase("done"), info=info, source="replay", address=models)
        self.query_one(Header).show(msgspec.structs.replace(view, fields="all" if self._both else "some"))

    def _place(self) -> None:
        width, height = self.app.size
        layout = lane_layout(width, height, shown=self._shown, caption=bool(self._caption))
        self._both = layout.both
        self._placed.regions = layout.regions
        for widget in self.query_children(Widget):
            widget.display = widget.id in layout.regions
        self.query_one(LaneStrips).parts(label=layout.framed, axis=layout.framed)
        self.refresh(layout=True)
