"""A theme chosen on the screen, on the next start."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from sparktui.core.config import UiConfig
from sparktui.io.screenstate import load_screen_state
from sparktui.tui.app import SparkApp
from sparktui.tui.options import Options
from sparktui.tui.showing.recorded import NoWorker
from sparktui.tui.terminal import TerminalApp
from sparktui.tui.workers.remember import dress, follow_theme
from tests.support_terminal import program

TRUECOLOR = {"COLORTERM": "truecolor"}
# nord's background
NORD = b"48;2;46;52;64"


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def screen(theme: str = "gruvbox") -> TerminalApp:
    app = TerminalApp(NoWorker, Options(ui=UiConfig(theme=theme)), report=lambda error: None, started=follow_theme)
    dress(app)
    return app


async def choose(app: SparkApp, name: str) -> None:
    async with app.run_test() as pilot:
        await pilot.pause()
        app.theme = name
        await pilot.pause()


async def test_a_choice_is_kept_and_a_start_alone_keeps_nothing(data: Path) -> None:
    await choose(screen(), "gruvbox")
    assert not (data / "screen.json").exists()
    await choose(screen(), "nord")
    assert screen().theme == "nord"
    await choose(screen(), "gruvbox")
    assert screen().theme == "gruvbox"


async def test_a_configured_theme_that_changes_counts_from_then_on(data: Path) -> None:
    await choose(screen(), "nord")
    assert screen("flexoki").theme == "flexoki"
    app = screen()
    async with app.run_test() as pilot:
        await pilot.pause()
        app.use_options(msgspec.structs.replace(app.options, ui=UiConfig(theme="flexoki")))
        await pilot.pause()
        assert app.theme == "flexoki"
    assert screen("flexoki").theme == "flexoki"


async def test_a_folder_that_cannot_be_written_is_told(data: Path) -> None:
    data.write_text("a file where the folder should be")
    app = screen()
    async with app.run_test() as pilot:
        await pilot.pause()
        app.theme = "nord"
        await pilot.pause()
        assert any("until you quit" in notice.message for notice in app._notifications)
    assert screen().theme == "gruvbox"


def test_the_palette_s_choice_is_there_on_the_next_start_and_no_color_stays_grey(tmp_path: Path) -> None:
    with program(tmp_path, "--demo", env=TRUECOLOR) as terminal:
        terminal.until("b bench")
        assert NORD not in terminal.raw
        for keys, seen in (("\x10", "Search"), ("theme\r", "Search for themes"), ("nord", "nord")):
            terminal.type(keys)
            terminal.until(seen)
        terminal.type("\r")
        terminal.until(lambda: NORD in terminal.raw)
        terminal.type("q")
        terminal.exit_code()
    with program(tmp_path, "--demo", env=TRUECOLOR) as terminal:
        terminal.until("b bench")
        assert NORD in terminal.raw
        terminal.type("q")
        terminal.exit_code()
    with program(tmp_path, "--demo", env={**TRUECOLOR, "NO_COLOR": "1"}) as terminal:
        terminal.until("b bench")
        assert NORD not in terminal.raw
        terminal.type("q")
        terminal.exit_code()
    assert load_screen_state(tmp_path / "data").theme == "nord"
