"""The guided tour: three parts with a sentence each, done by real runs; it ends by itself, by escape, or with a reason."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest
from textual.pilot import Pilot

from sparktui.core.commands import CancelRun, Run
from sparktui.core.events import AnyEvent, Reply
from sparktui.core.plans import PromptSpec
from sparktui.core.records import RunRecord
from sparktui.tui.options import Options
from sparktui.tui.screens.lanes import LanesScreen
from sparktui.tui.screens.live import LiveScreen
from sparktui.tui.showing.guide import guided_tour
from sparktui.tui.showing.tour import BURSTS, GUIDED, Do, Tour, Words
from sparktui.tui.terminal import TerminalApp
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


@pytest.mark.parametrize("words", [GUIDED, BURSTS])
def test_every_step_has_one_line_of_its_own(words: Words) -> None:
    captions = set()
    for step in ("start", "story", "story_done", "code", "code_done", "lanes", "over"):
        tour = Tour(words)
        tour.step = step  # type: ignore[assignment]
        captions.add(caption := tour.caption({"story": STORY, "code": CODE}))
        assert "\n" not in caption and len(caption) <= (118 if words is GUIDED else 96 if step == "over" else 76)
        assert "{" not in caption and "–" not in caption
    assert len(captions) == 7


def test_lanes_that_stay_are_left_by_hand() -> None:
    tour = Tour(BURSTS, stays=True)
    tour.step = "lanes"
    assert tour.advance(70, ready=True, done={}, lanes_ended=True) is None and not tour.over
    tour.end()
    assert "plays them side by side" in tour.caption({"story": STORY, "code": CODE})
    early = Tour(BURSTS, stays=True)
    early.end()
    assert "before both were through" in early.caption({})


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


class Visitor:
    def __init__(self, app: TerminalApp, link: ScriptedLink, clock: Clock, pilot: Pilot[int]) -> None:
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

    @property
    def on_tour(self) -> bool:
        return self.app.guide is not None

    async def answer(self, kind: str, label: str = "tour") -> None:
        """The worker does the run that was asked for last, all at once."""
        command = self.link.sent[-1]
        assert isinstance(command, Run) and command.prompt.name == kind and command.label == label
        # as the worker does: texts and timelines stay in the history
        events: list[AnyEvent] = [Reply(id=command.id, ok=True)]
        events += [event for _, event in run(kind, at_s=(self.clock.ns - T0_NS) / 1e9, label=label, info=DEMO)]
        self.link.add(*events)
        await self.wait(0.2)


@asynccontextmanager
async def visit(size: tuple[int, int] = (120, 36), *, tour: bool = True) -> AsyncIterator[Visitor]:
    clock = Clock()
    link = ScriptedLink(opening(DEMO), clock)
    app = TerminalApp(lambda: link, OPTIONS, report=lambda error: None, started=lambda app: None)
    app.clock_ns = clock
    app._settle = lambda: None  # type: ignore[method-assign]
    if tour:
        guided_tour(app, loop=False)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield Visitor(app, link, clock, pilot)


async def test_prose_then_code_then_both_and_then_the_screen_is_the_users() -> None:
    async with visit() as guide:
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
        assert isinstance(guide.app.screen, LiveScreen) and not guide.on_tour
        assert "esc ends the tour" not in guide.text() and "s story" in guide.text()
        sent = len(guide.link.sent)
        await guide.pilot.press("s")
        await guide.wait(0.2)
        assert len(guide.link.sent) == sent + 1


async def test_escape_ends_it_and_cancels_what_runs_for_it() -> None:
    async with visit() as guide:
        await guide.wait(0.3)
        command = guide.link.sent[-1]
        guide.link.add(*[event for _, event in run("story", at_s=0.3, label="tour", info=DEMO, until_s=2)])
        await guide.wait(0.2)
        await guide.pilot.press("b", "c")
        assert guide.link.sent[-1] is command, "no key begins a run while it lasts"
        await guide.pilot.press("escape")
        await guide.wait(0.2)
        assert isinstance(guide.link.sent[-1], CancelRun) and not guide.on_tour


async def test_leaving_the_lanes_by_hand_ends_it() -> None:
    async with visit((80, 24)) as guide:
        await guide.wait(0.3)
        await guide.answer("story")
        await guide.wait(4.1)
        await guide.answer("code")
        await guide.wait(4.3)
        await guide.pilot.press("escape")
        await guide.wait(0.2)
        assert not guide.on_tour and isinstance(guide.app.screen, LiveScreen)


async def test_a_small_screen_has_room_for_the_caption() -> None:
    async with visit((50, 20)) as guide:
        await guide.wait(0.3)
        assert "Prose flows" in guide.text().split("\n")[0]


async def test_on_the_users_own_server_prose_and_code_are_ordinary_runs_and_the_lanes_stay() -> None:
    async with visit(tour=False) as guide:
        await guide.wait(0.3)
        await guide.pilot.press("B")
        await guide.wait(0.2)
        assert "Prose first." in guide.text() and "esc ends it" in guide.text()
        command = guide.link.sent[-1]
        assert isinstance(command, Run) and (command.params.temperature, command.params.max_tokens) == (1.0, 800)
        await guide.answer("story", "default")
        assert f"Prose: {STORY.client_tok_s:.1f} tok/s, {STORY.tokens_per_chunk:.1f} tokens a chunk." in guide.text()
        await guide.wait(4.1)
        assert "Now code." in guide.text()
        await guide.answer("code", "default")
        await guide.wait(4.1)
        assert isinstance(guide.app.screen, LanesScreen)
        await guide.wait(60)
        assert isinstance(guide.app.screen, LanesScreen) and "The same two runs" in guide.text()
        await guide.pilot.press("escape")
        await guide.wait(0.2)
        assert isinstance(guide.app.screen, LiveScreen) and not guide.on_tour
        assert "esc ends it" not in guide.text() and "s story" in guide.text()


async def test_it_does_not_begin_while_a_run_is_in_flight() -> None:
    async with visit(tour=False) as guide:
        guide.link.add(*[event for _, event in run("story", at_s=0.3, info=DEMO, until_s=2)])
        await guide.wait(0.3)
        await guide.pilot.press("B")
        await guide.wait(0.2)
        assert not guide.on_tour and not guide.link.sent
        assert any("in flight" in note.message for note in guide.app._notifications)


async def test_a_run_that_the_server_refuses_ends_it_with_the_reason() -> None:
    async with visit(tour=False) as guide:
        await guide.wait(0.3)
        await guide.pilot.press("B")
        await guide.wait(0.2)
        number = guide.link.sent[-1].id
        guide.link.add(Reply(id=number, ok=False, error={"title": "The server wants a key.", "detail": "", "hint": ""}))
        await guide.wait(0.2)
        assert not guide.on_tour
        assert any("It ended early: The server wants a key." in note.message for note in guide.app._notifications)
