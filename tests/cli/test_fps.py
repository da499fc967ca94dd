"""--fps: every command with a screen has it, and the screen paints no faster than it says."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

import pytest

from sparktui.cli import bench, web
from sparktui.cli.options import loader, looks
from sparktui.cli.parser import Parser
from sparktui.core.events import AnyEvent
from sparktui.core.records import ChunkMark
from sparktui.errors import UsageError
from sparktui.io.store.journal import JournalWriter
from sparktui.tui.app import SparkApp
from sparktui.tui.showing import recorded, watch
from tests.runs import run as run_record
from tests.tui.timelines import opening, run

WITH_A_SCREEN = ("screen", "watch", "replay", "demo", "web", "bench")


@pytest.fixture(autouse=True)
def no_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    for name in [name for name in os.environ if name.startswith("SPARKTUI_") and name != "SPARKTUI_DATA_DIR"]:
        monkeypatch.delenv(name)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[SparkApp]:
    """The apps that were about to open their screen."""
    apps: list[SparkApp] = []
    monkeypatch.setattr(SparkApp, "run", lambda app, **_: apps.append(app))
    return apps


def parser_of(command: str) -> Parser:
    parser = Parser(f"sparktui {command}")
    import_module(f"sparktui.cli.{command}").add_arguments(parser)
    return parser


@pytest.mark.parametrize("command", WITH_A_SCREEN)
def test_it_beats_the_config(command: str, tmp_path: Path) -> None:
    (tmp_path / "config.yml").write_text("ui: {fps: 12}\n")
    parser = parser_of(command)
    assert loader(parser.parse_args([]))().config.ui.fps == 12
    loaded = loader(parser.parse_args(["--fps", "4"]))()
    assert loaded.config.ui.fps == 4
    assert loaded.origins["ui.fps"] == "option --fps"
    assert loader(parser.parse_args(["--fps", "auto"]))().config.ui.fps == "auto"


@pytest.mark.parametrize("command", WITH_A_SCREEN)
@pytest.mark.parametrize("wrong", ["0", "31", "2.5", "fast"])
def test_other_values_are_refused(command: str, wrong: str) -> None:
    with pytest.raises(UsageError, match="--fps"):
        parser_of(command).parse_args(["--fps", wrong])


@pytest.mark.parametrize("command", ["log", "needle", "sweep", "ask"])
def test_a_command_without_a_screen_has_none(command: str) -> None:
    parser = parser_of(command)
    with pytest.raises(UsageError):
        parser.parse_args(["--fps", "4", "x"])
    assert looks(Parser("x").parse_args([])) == {}


def test_a_bench_that_paints_nothing_says_so() -> None:
    with pytest.raises(UsageError, match="live screen"):
        bench.run(parser_of("bench").parse_args(["--demo", "--fps", "4"]))


def test_a_replay_is_painted_at_that_rate(shown: list[SparkApp]) -> None:
    args = parser_of("replay").parse_args(["--fps", "4"])
    args.loaded = loader(args)()
    record = run_record(text="ab", timeline=(ChunkMark(0.5, "content", 1, 1.0), ChunkMark(0.7, "content", 1, 1.0)))
    assert recorded.main(args, [record]) == 0
    assert shown[0].paint_clock.period_s == 0.25


def test_a_watcher_is_painted_at_that_rate(shown: list[SparkApp], tmp_path: Path) -> None:
    args = parser_of("watch").parse_args(["--fps", "5"])
    args.loaded = loader(args)()
    journal = JournalWriter(tmp_path / "s.jsonl")
    events: list[AnyEvent] = [event for _, event in (*opening(), *run("code"))]
    for event in events:
        journal(event)
    assert journal.flush()
    assert watch.main(args, journal.path) == 0
    assert shown[0].paint_clock.period_s == 0.2
    journal.close()


def test_the_web_view_passes_it_on(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[list[str]] = []
    monkeypatch.setattr(web, "find_spec", lambda name: object())
    monkeypatch.setattr("sparktui.tui.webview.serve", lambda argv, port: served.append(argv))
    assert web.run(parser_of("web").parse_args(["--demo", "--fps", "6"])) == 0
    assert web.run(parser_of("web").parse_args(["--demo"])) == 0
    assert "--fps=6" in served[0]
    assert not any(word.startswith("--fps") for word in served[1])
