"""The front door: dispatch, help, errors and exit codes; in a process of its own where the process is the point."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path
from types import ModuleType

import pytest

from sparktui import __version__
from sparktui.cli import main as front
from sparktui.errors import StorageError

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("SPARKTUI_")}


def spark(*words: str, env: dict[str, str] | None = None, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-P", "-m", "sparktui", *words]
    root = str(Path(__file__).parents[2])
    environment = {**CLEAN, "PYTHONPATH": root, "PYTHONWARNINGS": "error", **(env or {})}
    return subprocess.run(command, env=environment, capture_output=True, timeout=30, check=False, stdin=subprocess.DEVNULL, **options)  # type: ignore[call-overload, no-any-return]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A command `probe` whose `run` a test sets."""
    module = ModuleType("tests_probe_command")
    module.add_arguments = lambda parser: parser.add_argument("--number", type=int)  # type: ignore[attr-defined]
    monkeypatch.setattr(front, "COMMANDS", {"probe": ("tests_probe_command", "a probe")})
    monkeypatch.setattr(front, "find_spec", lambda name: object())
    monkeypatch.setattr(front, "import_module", lambda name: module)
    return module


def test_version_is_quick_and_imports_nothing_heavy() -> None:
    heavy = {"httpx", "rich", "textual", "yaml", "msgspec", "argparse", "sqlite3", "psutil", "asyncio"}
    code = f"import sys; from sparktui.cli.main import main; main(['--version']); print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"sparktui {__version__}", "[]"]


def test_version_within_a_tenth_of_a_second() -> None:
    def took_s() -> float:
        begun = time.perf_counter()
        assert spark("--version").stdout.decode().strip() == f"sparktui {__version__}"
        return time.perf_counter() - begun

    assert min(took_s() for _ in range(4)) < 0.1


def test_help_names_every_command_that_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert front.main(["--help"]) == 0
    out = capsys.readouterr().out
    for name in ("bench", "ask", "doctor", "serve-demo", "history"):
        assert f"\n  {name} " in out
    assert "Exit codes" in out


@pytest.mark.parametrize("name", sorted(front.available()))
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert front.main([name, "--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: sparktui " + name)


def test_unknown_commands_name_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert front.main(["benhc"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Did you mean `bench`?" in captured.err


def test_a_module_that_is_not_there_is_no_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(front, "COMMANDS", {"ghost": ("sparktui.cli.ghost", "never built")})
    assert front.available() == {}
    assert front.main(["ghost"]) == 2
    assert "no command 'ghost'" in capsys.readouterr().err


def test_arguments_reach_the_command_and_its_code_comes_back(command: ModuleType) -> None:
    seen: list[Namespace] = []
    command.run = lambda args: seen.append(args) or 3  # type: ignore[attr-defined, func-returns-value]
    assert front.main(["probe", "--number", "7"]) == 3
    assert seen[0].number == 7


def test_errors_become_a_message_and_a_code(command: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    def run(args: Namespace) -> int:
        raise StorageError("The disk is full.", detail="/x\x1b[31m", hint="Free some space.")

    command.run = run  # type: ignore[attr-defined]
    assert front.main(["probe"]) == 1
    err = capsys.readouterr().err
    assert err.splitlines()[0] == "sparktui: The disk is full."
    assert "\x1b" not in err
    assert "→ Free some space." in err


def test_interrupt_and_broken_pipe(command: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def raising(error: type[BaseException]) -> int:
        def run(args: Namespace) -> int:
            raise error

        command.run = run  # type: ignore[attr-defined]
        return front.main(["probe"])

    monkeypatch.setattr("sparktui.cli.streams.silence_stdout", lambda: None)
    assert raising(KeyboardInterrupt) == 4
    assert raising(BrokenPipeError) == 0
    assert capsys.readouterr().err == ""


def test_a_crash_writes_a_report_without_values(
    command: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("SPARKTUI_API_KEY", "SPK-CANARY-env")

    def run(args: Namespace) -> int:
        args.loaded = Namespace(secrets=("SPK-CANARY-file",))
        key = "SPK-CANARY-" + "local"
        raise ValueError(f"bad header {args.loaded.secrets[0]} SPK-CANARY-env" if key else "")

    command.run = run  # type: ignore[attr-defined]
    assert front.main(["probe"]) == 5
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    reports = list((tmp_path / "crashes").iterdir())
    assert str(reports[0]) in err
    assert reports[0].stat().st_mode & 0o777 == 0o600
    text = reports[0].read_text(encoding="utf-8")
    assert "ValueError" in text
    assert "in run" in text
    assert "CANARY-env" not in text + err
    assert "CANARY-file" not in text + err
    assert "CANARY-local" not in text + err


def test_a_crash_that_cannot_be_written_down_is_still_one_line(
    command: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(blocked / "below"))
    command.run = lambda args: 1 // 0  # type: ignore[attr-defined]
    assert front.main(["probe"]) == 5
    assert capsys.readouterr().err == "sparktui: internal error (ZeroDivisionError); no report could be written\n"


@pytest.mark.parametrize("term", ["xterm-256color", "dumb", ""])
def test_d09_without_a_terminal_the_screen_is_refused_before_textual(term: str, tmp_path: Path) -> None:
    done = spark(env={"TERM": term, "SPARKTUI_DATA_DIR": str(tmp_path)})
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"needs a terminal" in done.stderr
    assert b"sparktui bench" in done.stderr
    assert b"Traceback" not in done.stderr


def test_d10_a_locale_that_is_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / "config.yml"
    file.write_text("prompts: {träum: {text: ü}}\nbench: {prompts: [träumm]}\n", encoding="utf-8")
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    env["SPARKTUI_DATA_DIR"] = str(tmp_path / "d")
    done = spark("doctor", "--config", str(file), env=env)
    assert done.returncode == 2
    assert b"config.yml:2" in done.stderr
    assert b"->" in done.stderr
    assert all(byte < 128 for byte in done.stderr)
    file.write_text("bench: {label: größer}\n", encoding="utf-8")
    done = spark("doctor", "--config", str(file), "--base-url", "http://127.0.0.1:9", env=env)
    assert done.returncode == 3
    assert b"gr??er" in done.stdout
