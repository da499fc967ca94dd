"""The finished screen of a run as an SVG, painted without a terminal."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence

import msgspec
from textual.screen import Screen

from sparktui.core.records import RunRecord
from sparktui.core.replay import Recording
from sparktui.errors import SparkError
from sparktui.tui.app import SparkApp
from sparktui.tui.options import Options
from sparktui.tui.screens.playing import TransportKeys
from sparktui.tui.showing.recorded import NoWorker
from sparktui.tui.showing.recordings import playing, screen_for

SIZE = (120, 36)
# a picture in a README must ask no other host for a font
_OUTSIDE_FONT = re.compile(r"@font-face\s*\{[^}]*\}\s*")


def svg_of(records: Sequence[RunRecord], options: Options, *, at_s: float | None = None, size: tuple[int, int] = SIZE) -> str:
    """The screen of one run, or of two side by side, `at_s` seconds after the send; without it as it ended. Raises UsageError."""
    return asyncio.run(_picture(playing(records), options, at_s, size))


async def _picture(recordings: Sequence[Recording], options: Options, at_s: float | None, size: tuple[int, int]) -> str:
    moment_ns = 0

    def clock_ns() -> int:
        return moment_ns

    app = PictureApp(recordings, options, clock_ns)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        screen = app.screen
        if not isinstance(screen, TransportKeys):
            raise SparkError("The picture could not be painted.")
        end_ns = screen.player.length_ns if at_s is None else round(at_s * 1e9)
        # frame by frame, as on a screen: sparkline and meter are made of moments
        while moment_ns < end_ns:
            moment_ns = min(end_ns, moment_ns + 100_000_000)
            app.tick()
        await pilot.pause()
        app.tick()
        await pilot.pause()
        return _OUTSIDE_FONT.sub("", app.export_screenshot(title=""))


class PictureApp(SparkApp):
    """A replay without a terminal, a worker or a clock of its own."""

    def __init__(self, recordings: Sequence[Recording], options: Options, clock_ns: Callable[[], int]) -> None:
        super().__init__(NoWorker, msgspec.structs.replace(options, source="replay"), clock_ns=clock_ns)
        self._recordings = recordings

    def get_default_screen(self) -> Screen[None]:
        return screen_for(self._recordings)
