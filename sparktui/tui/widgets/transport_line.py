"""The transport: playing or paused, the position, a line of progress, the length, the speed."""

from __future__ import annotations

from textual.strip import Strip

from sparktui.report import numbers
from sparktui.tui.drawing.pen import Line
from sparktui.tui.showing.player import Player
from sparktui.tui.widgets.meter import progress_inks
from sparktui.tui.widgets.painted import Painted

_LEAST_BAR = 8


class TransportLine(Painted):
    """`show(player, now_ns)`."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._said = ("▶", "0.0 s", 0.0, "", "", "")

    def show(self, player: Player, now_ns: int) -> None:
        transport, length_s = player.transport, player.length_ns / 1e9
        glyph = "✓" if transport.ended(now_ns) else "▶" if transport.playing else "‖"
        position = numbers.elapsed(player.position_ns / 1e9)
        share = player.position_ns / player.length_ns if player.length_ns else 1.0
        said = (glyph, position, share, numbers.elapsed(length_s), f"{transport.speed:g}×", "  loop" if transport.loop else "")
        if said != self._said:
            self._said = said
            self.repaint()

    def rows(self, width: int, height: int) -> list[Strip]:
        glyph, position, share, length, speed, loop = self._said
        text, muted = self.roles.style(), self.roles.style("muted")
        line = Line(width, text)
        line.put(1, (glyph, self.roles.style("accent" if glyph != "‖" else "burst", bold=True)))
        line.end(9, (position, self.roles.style(bold=True)))
        stop = line.end(-2, (length, muted), ("   ", muted), (speed, self.roles.style(bold=True)), (" speed", muted), (loop, muted))
        room = stop - 2 - 11
        if room >= _LEAST_BAR:
            line.put(11, *progress_inks(share, room, self.roles.style("flow"), self.roles.style("rule")))
        return [line.strip()]
