"""`p` over a history: the run under the cursor is played, two marked ones side by side; the session below goes on."""

from __future__ import annotations

import msgspec
import pytest

from sparktui.core.commands import RunGet
from sparktui.core.events import Reply
from sparktui.tui.screens.lanes import LanesScreen
from sparktui.tui.screens.live import LiveScreen
from sparktui.tui.screens.replay import ReplayScreen
from tests.tui.stage import Stage, on_stage
from tests.tui.test_replay import CODE, STORY
from tests.tui.timelines import opening, run

SCRIPT = [*opening(), *run("code", joined=False), *run("story", at_s=20, run_no=2, joined=False)]


def asked(stage: Stage) -> tuple[int, RunGet]:
    command = stage.link.sent[-1]
    assert isinstance(command, RunGet)
    return command.id, command


async def test_the_run_under_the_cursor_is_played_and_escape_comes_back() -> None:
    async with on_stage(SCRIPT) as stage:
        await stage.at(60)
        await stage.press("4", "p")
        number, command = asked(stage)
        assert command.text and command.timeline and len(command.run_ids) == 1
        stage.link.add(Reply(id=number, ok=True, data=msgspec.to_builtins({"runs": [STORY]})))
        await stage.settle()
        await stage.at(63)
        assert isinstance(stage.app.screen, ReplayScreen)
        assert "▶ replay" in stage.text() and "esc back" in stage.text()
        await stage.press("escape")
        assert type(stage.app.screen) is LiveScreen and "▶ replay" not in stage.text()


async def test_two_marked_runs_are_played_side_by_side_while_the_session_goes_on() -> None:
    script = [*SCRIPT, *run("code", at_s=62, run_no=3, seed=3, joined=False)]
    async with on_stage(script) as stage:
        await stage.at(60)
        await stage.press("4", "a", "down", "a", "p")
        number, command = asked(stage)
        assert len(command.run_ids) == 2
        stage.link.add(Reply(id=number, ok=True, data=msgspec.to_builtins({"runs": [CODE, STORY]})))
        await stage.settle()
        await stage.at(70)
        assert isinstance(stage.app.screen, LanesScreen) and "ahead by" in stage.text()
        assert len(stage.app.session.active) == 1, "what is measured below is still taken in"
        await stage.press("q")
        assert "A run is in flight." in stage.text(), "leaving for good asks about it"


async def test_a_run_that_cannot_be_played_is_told_and_nothing_opens() -> None:
    async with on_stage(SCRIPT) as stage:
        await stage.at(60)
        await stage.press("4", "p")
        number, _ = asked(stage)
        bare = msgspec.structs.replace(CODE, timeline=None)
        stage.link.add(Reply(id=number, ok=True, data=msgspec.to_builtins({"runs": [bare]})))
        await stage.settle()
        assert type(stage.app.screen) is LiveScreen
        assert any("cannot be played" in note.title for note in stage.app._notifications)


async def test_without_runs_there_is_nothing_to_play() -> None:
    async with on_stage(opening()) as stage:
        await stage.press("p")
        assert not stage.link.sent and type(stage.app.screen) is LiveScreen


async def test_a_run_is_played_beside_its_baseline() -> None:
    plain = msgspec.structs.replace(STORY, id="plain", label="no draft", started_at="2020-01-01T00:00:00.000Z")
    fast = msgspec.structs.replace(CODE, baseline_id="plain")
    async with on_stage(opening(), records=[fast, plain]) as stage:
        await stage.at(1)
        await stage.press("4", "P")
        number, command = asked(stage)
        assert command.run_ids == (fast.id, "plain")
        stage.link.add(Reply(id=number, ok=True, data=msgspec.to_builtins({"runs": [fast, plain]})))
        await stage.settle()
        await stage.at(8)
        assert isinstance(stage.app.screen, LanesScreen) and "ahead by" in stage.text()


@pytest.mark.parametrize(
    ("baseline", "told"), [(None, "no good run without a draft"), ("config", "the rate that the configuration gives")]
)
async def test_without_a_baseline_run_it_says_why(baseline: str | None, told: str) -> None:
    async with on_stage(opening(), records=[msgspec.structs.replace(CODE, baseline_id=baseline)]) as stage:
        await stage.at(1)
        await stage.press("4", "P")
        assert not stage.link.sent and type(stage.app.screen) is LiveScreen
        assert any(told in note.message and CODE.id in note.title for note in stage.app._notifications)


async def test_a_baseline_that_was_deleted_is_told() -> None:
    async with on_stage(opening(), records=[msgspec.structs.replace(CODE, baseline_id="gone")]) as stage:
        await stage.at(1)
        await stage.press("4", "enter", "P")
        number, command = asked(stage)
        assert command.run_ids == (CODE.id, "gone")
        stage.link.add(Reply(id=number, ok=False, error={"title": "There is no run gone.", "detail": "", "hint": "deleted?"}))
        await stage.settle()
        assert any("There is no run gone." in note.title for note in stage.app._notifications)
