"""The command palette: keys that work now, the configured prompts, and names that look like markup."""

from __future__ import annotations

import msgspec
import pytest

from sparktui.core.commands import Run
from sparktui.core.plans import PromptSpec
from sparktui.tui.app import SparkApp
from tests.tui.scenes import OPTIONS
from tests.tui.stage import on_stage
from tests.tui.timelines import opening

OWN = msgspec.structs.replace(
    OPTIONS, prompts={**OPTIONS.prompts, "haiku": PromptSpec(name="haiku", text="Write three haiku about rain.", params={"top_p": 0.9})}
)


def titles(app: SparkApp) -> list[str]:
    return [command.title for command in app.get_system_commands(app.screen)]


async def test_a_configured_prompt_is_found_and_sent_with_its_parameters() -> None:
    async with on_stage(opening(), options=OWN) as stage:
        await stage.at(1)
        assert titles(stage.app).count("stream the story prompt") == 1, "what has a key is listed once"
        await stage.press("ctrl+p")
        await stage.press(*"haiku")
        await stage.pilot.pause(0.2)
        assert "stream the haiku prompt" in stage.text()
        await stage.press("enter")
        await stage.pilot.pause(0.1)
        command = stage.link.sent[-1]
        assert isinstance(command, Run)
        assert (command.prompt.name, command.prompt.text) == ("haiku", "Write three haiku about rain.")
        assert command.params.extra == {"top_p": 0.9}


async def test_without_a_server_no_prompt_is_offered() -> None:
    async with on_stage([], options=OWN) as stage:
        assert "stream the haiku prompt" not in titles(stage.app)


@pytest.mark.parametrize("name", ["[bold]x[/bold]", "[/]", "[link=file:///etc]y", "a\x1b[31mb"])
async def test_a_name_that_looks_like_markup_is_shown_as_it_is(name: str) -> None:
    options = msgspec.structs.replace(OPTIONS, prompts={name: PromptSpec(name=name, text="x")})
    async with on_stage(opening(), options=options) as stage:
        await stage.at(1)
        await stage.press("ctrl+p")
        await stage.press(*"stream the")
        await stage.pilot.pause(0.2)
        shown = stage.text()
        assert "\x1b" not in shown
        assert f"stream the {name.replace(chr(27), '␛')} prompt" in shown
