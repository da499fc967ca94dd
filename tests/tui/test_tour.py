"""The guided tour: three parts with a sentence each, done by real runs; it ends by itself, by escape, or with a reason."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
from textual.pilot import Pilot

from sparktui.core.commands import CancelRun, Run
from sparktui.core.events import AnyEvent, Reply
from sparktui.core.plans import PromptSpec
from sparktui.core.records import RunRecord
from sparktui.tui.options import Options
from sparktui.tui.screens.guided import GuidedScreen
from sparktui.tui.screens.lanes import LanesScreen
from sparktui.tui.showing.guided import GuidedApp
from sparktui.tui.showing.tour import Do, Tour
from sparktui.tui.workers.link import ScriptedLink
from tests.tui.stage import Clock
from tests.tui.test_replay import CODE, STORY
from tests.tui.timelines import DEMO, T0_NS, opening, run

OPTIONS = Options(prompts={name: PromptSpec(name=name, text=f"the {name} prompt") for name in ("story", "code")})


def test_the_steps_and_what_they_ask_for() -> None:
    tour = Tour()
    done: dict[str, RunRecord] = {}
    assert tour.advance(0, ready=False, done=done, lanes_ended=False) is None
    assert tour.advance(1, ready=True, done=done, lanes_ended=False) == Do("run", "story")
    assert tour.advance(9, ready=True, done=done, lanes_ended=False) is None
    done["story"] = STORY
    assert tour.advance(10, ready=True, done=done, lanes_ended=False) is None and tour.step == "story_done"
    assert tour.advance(13.9, ready=True, done=done, lanes_ended=False) is None
    assert tour.advance(14, ready=True, done=done, lanes_ended=False) == Do("run", "code")
    done["code"] = CODE
    tour.advance(20, ready=True, done=done, lanes_ended=False)
    assert tour.advance(24, ready=True, done=done, lanes_ended=False) == Do("lanes")
    assert tour.advance(60, ready=True, done=done, lanes_ended=False) is None
    assert tour.advance(66, ready=True, done=done, lanes_ended=True) is None
    assert tour.advance(67, ready=True, done=done, lanes_ended=True) == Do("close")
    assert tour.over


def test_every_step_has_one_line_of_its_own() -> None:
    captions = set()
    for step in ("start", "story", "story_done", "code", "code_done", "lanes", "over"):
        tour = Tour()
        tour.step = step  # type: ignore[assignment]
        captions.add(caption := tour.caption({"story": "31.4", "code": "57.1"}))
        assert "\n" not in caption and len(caption) <= 118
    assert len(captions) == 7


def test_a_run_that_fails_ends_the_tour_with_its_reason() -> None:
    tour = Tour()
    tour.advance(0, ready=True, done={}, lanes_ended=False)
    broken = msgspec.structs.replace(STORY, status="failed", error="the server closed the line")
    tour.advance(1, ready=True, done={"story": broken}, lanes_ended=False)
    assert tour.over and "the server closed the line" in tour.caption({})


def test_a_loop_begins_again() -> None:
    tour = Tour(loop=True)
    tour.step = "lanes"
    assert tour.advance(7, ready=True, done={}, lanes_ended=True) == Do("close")
    assert tour.step == "start"


class Guide:
    def __init__(self, app: GuidedApp, link: ScriptedLink, clock: Clock, pilot: Pilot[int]) -> None:
        self.app, self.link, self.clock, self.pilot = app, link, clock, pilot

    async def wait(self, seconds: float) -> None:
        end = self.clock.ns + round(seconds * 1e9)
        while self.clock.ns < end:
            self.clock.ns = min(end, self.clock.ns + 100_000_000)
            self.app.tick()
        await self.pilot.pause()
        self.app.tick()
        await self.pilot.pause()

    def text(self) -> str:
        return "\n".join(strip.text.rstrip() for strip in self.app.screen._compositor.render_strips())

    async def answer(self, kind: str) -> None:
        """The worker does the run that was asked for last, all at once."""
        command = self.link.sent[-1]
        assert isinstance(command, Run) and command.prompt.name == kind
        # as the worker does: texts and timelines stay in the history
        events: list[AnyEvent] = [Reply(id=command.id, ok=True)]
        events += [event for _, event in run(kind, at_s=(self.clock.ns - T0_NS) / 1e9, label="tour", info=DEMO)]
        self.link.add(*events)
        await self.wait(0.2)


@asynccontextmanager
async def guided(size: tuple[int, int] = (120, 36)) -> AsyncIterator[Guide]:
    clock = Clock()
    link = ScriptedLink(opening(DEMO), clock)
    app = GuidedApp(lambda: link, OPTIONS, report=lambda error: None, started=lambda app: None)
    app.clock_ns = clock
    app._settle = lambda: None  # type: ignore[method-assign]
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield Guide(app, link, clock, pilot)


async def test_prose_then_code_then_both_and_then_the_screen_is_the_users() -> None:
    async with guided() as guide:
        await guide.wait(0.3)
        assert "Prose flows" in guide.text() and "esc ends the tour" in guide.text() and "DEMO SERVER" in guide.text()
        await guide.answer("story")
        assert f"Prose: {STORY.client_tok_s:.1f} tok/s." in guide.text()
        await guide.wait(4.1)
        assert "Code bursts" in guide.text()
        await guide.answer("code")
        await guide.wait(4.1)
        assert isinstance(guide.app.screen, LanesScreen)
        await guide.wait(5)
        assert "The same two runs." in guide.text() and "code ahead by" in guide.text()
        await guide.wait(30 + 8)
        assert isinstance(guide.app.screen, GuidedScreen) and guide.app.tour.over
        assert "esc ends the tour" not in guide.text() and "s story" in guide.text()
        sent = len(guide.link.sent)
        await guide.pilot.press("s")
        await guide.wait(0.2)
        assert len(guide.link.sent) == sent + 1


async def test_escape_ends_it_and_cancels_what_runs_for_it() -> None:
    async with guided() as guide:
        await guide.wait(0.3)
        command = guide.link.sent[-1]
        guide.link.add(*[event for _, event in run("story", at_s=0.3, label="tour", info=DEMO, until_s=2)])
        await guide.wait(0.2)
        await guide.pilot.press("b", "c")
        assert guide.link.sent[-1] is command, "no key begins a run while it lasts"
        await guide.pilot.press("escape")
        await guide.wait(0.2)
        assert isinstance(guide.link.sent[-1], CancelRun) and guide.app.tour.over


async def test_leaving_the_lanes_by_hand_ends_it() -> None:
    async with guided((80, 24)) as guide:
        await guide.wait(0.3)
        await guide.answer("story")
        await guide.wait(4.1)
        await guide.answer("code")
        await guide.wait(4.3)
        await guide.pilot.press("escape")
        await guide.wait(0.2)
        assert guide.app.tour.over and isinstance(guide.app.screen, GuidedScreen)


async def test_a_small_screen_has_room_for_the_caption() -> None:
    async with guided((50, 20)) as guide:
        await guide.wait(0.3)
        assert "Prose flows" in guide.text().split("\n")[0]
