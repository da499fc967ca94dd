"""The app on a stage: a clock that tests move, a script that plays by it, and the screen as lines of text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from rich.cells import cell_len
from textual.pilot import Pilot
from textual.strip import Strip

from sparktui.core.records import RunRecord
from sparktui.tui.app import SparkApp
from sparktui.tui.options import Options
from sparktui.tui.workers.link import ScriptedLink
from tests.tui.timelines import MIDDAY, T0_NS, Script

FRAME_S = 0.1
# how often what was posted in frames (a new layout) is let take effect
PAUSE_FRAMES = 10


class Clock:
    def __init__(self) -> None:
        self.ns = T0_NS

    def __call__(self) -> int:
        return self.ns


class Stage:
    """`at(seconds)` plays up to then, frame by frame; `lines()` is what the screen says."""

    def __init__(self, app: SparkApp, link: ScriptedLink, clock: Clock, pilot: Pilot[Any]) -> None:
        self.app, self.link, self.clock, self.pilot = app, link, clock, pilot

    async def at(self, seconds: float) -> Stage:
        end_ns = T0_NS + round(seconds * 1e9)
        frames = 0
        while self.clock.ns < end_ns:
            self.clock.ns = min(end_ns, self.clock.ns + round(FRAME_S * 1e9))
            self.app.tick()
            frames += 1
            if frames % PAUSE_FRAMES == 1:
                await self.pilot.pause(0)
        await self.settle()
        return self

    async def settle(self) -> None:
        await self.pilot.pause(0)
        self.app.tick()
        await self.pilot.pause(0)

    async def press(self, *keys: str) -> Stage:
        await self.pilot.press(*keys)
        await self.settle()
        return self

    def strips(self) -> list[Strip]:
        return self.app.screen._compositor.render_strips()

    def lines(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.strips()]

    def text(self) -> str:
        return "\n".join(self.lines())

    def widths(self) -> set[int]:
        """Cells of every row: one number, the terminal's width, or something is out of shape."""
        return {sum(cell_len(segment.text) for segment in strip) for strip in self.strips()}


@asynccontextmanager
async def on_stage(
    script: Script, size: tuple[int, int] = (120, 36), options: Options | None = None, *, records: Sequence[RunRecord] = ()
) -> AsyncIterator[Stage]:
    clock = Clock()
    link = ScriptedLink(sorted(script, key=lambda item: item[0]), clock)
    app = SparkApp(lambda: link, options or Options(), clock_ns=clock, wall_clock=lambda: MIDDAY)
    app.session.put_records(records)
    async with app.run_test(size=size, notifications=True) as pilot:
        stage = Stage(app, link, clock, pilot)
        while app.link is None:
            await pilot.pause(0.01)
        await stage.settle()
        yield stage
