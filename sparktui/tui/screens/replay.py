"""A stored run on the live screen, played by a transport: the same stream, strip and meter, every stamp from the record."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

import msgspec
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region

from sparktui.core.replay import Recording
from sparktui.tui.drawing.frame import Due
from sparktui.tui.keys import REPLAY, bindings_of
from sparktui.tui.live.layout import Layout
from sparktui.tui.screens.live import LiveScreen
from sparktui.tui.screens.playing import Stand, TransportKeys
from sparktui.tui.showing.player import Player
from sparktui.tui.widgets.transport_line import TransportLine

if TYPE_CHECKING:
    from sparktui.tui.app import SparkApp

# the stream scrolls with these; here they move the recording
_OURS = ("home", "end", "left", "right")


def playing_bindings(kind: str) -> list[Binding]:
    """The table's bindings of a replay screen; those a focused panel would take for scrolling are the screen's first."""
    first = [binding.priority or binding.key in _OURS for binding in bindings_of(kind)]
    return [Binding(made.key, made.action, show=False, priority=prior) for made, prior in zip(bindings_of(kind), first, strict=True)]


class ReplayScreen(TransportKeys, LiveScreen):
    """`recording` plays from its beginning as soon as it is shown.

    The rows of log and history go to the text, the transport takes the prompt's row.
    """

    KIND = REPLAY
    BINDINGS: ClassVar[list[BindingType]] = [*playing_bindings(REPLAY)]

    def __init__(self, recording: Recording, *, speed: float = 1.0, loop: bool = False) -> None:
        super().__init__()
        self._recording, self._speed, self._looped = recording, speed, loop
        self._stand: Stand | None = None

    @property
    def spark(self) -> SparkApp:
        if self._stand is None:
            app = cast("SparkApp", self.app)
            self.player = Player([self._recording], app.clock_ns(), speed=self._speed, loop=self._looped)
            self._stand = Stand(app, self.player, self.player.tracks[0].session)
        return cast("SparkApp", self._stand)

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield TransportLine(id="transport")

    def on_mount(self) -> None:
        super().on_mount()
        self.player.transport.seek(0, self.moment_ns())

    def paint(self, due: Due) -> None:
        if not self.query(TransportLine):
            return
        self.player.advance(self.moment_ns())
        self.query_one(TransportLine).show(self.player, self.moment_ns())
        super().paint(due)

    def facts(self) -> set[str]:
        return {*super().facts(), "alone"} if len(self.app.screen_stack) == 1 else super().facts()

    def leave(self) -> None:
        """Out of the zoom, then out of the replay."""
        if self.zoomed is not None:
            self.zoom(None)
        else:
            super().leave()

    def wanted_layout(self, width: int, height: int) -> Layout:
        layout = super().wanted_layout(width, height)
        if not layout.text:
            return layout
        freed = layout.log_head + layout.log + layout.history_head + layout.history
        return msgspec.structs.replace(layout, text=layout.text + freed, log_head=0, log=0, history_head=0, history=0)

    def place_parts(self) -> None:
        super().place_parts()
        regions = dict(self._placed.regions)
        prompt = regions.pop("prompt", None)
        transport = self.query_one(TransportLine)
        if prompt is None and self.layout_now.mode == "small" and "stream" in regions and regions["stream"].height > 2:
            stream = regions["stream"]
            regions["stream"] = Region(stream.x, stream.y, stream.width, stream.height - 1)
            moved = {"strip", "meter-line"} & regions.keys()
            prompt = Region(0, min((regions[part].y for part in moved), default=stream.bottom) - 1, stream.width, 1)
        self.query_one("#prompt").display = False
        transport.display = prompt is not None
        if prompt is not None:
            regions["transport"] = prompt
        self._placed.regions = regions
