"""The doctor: settings with origins, keys masked, one line a check, exit codes."""

from __future__ import annotations

import os
import pty
import threading
from pathlib import Path

import pytest

from sparktui.cli.main import main
from sparktui.cli.terminalcheck import ambiguous_width, colours
from sparktui.core.config import LogConfig
from sparktui.demo.process import DemoProcess
from sparktui.engine.checks.check import Check, exit_code_of
from sparktui.engine.checks.localcheck import check_log


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("SPARKTUI_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    monkeypatch.chdir(tmp_path)


def test_unreachable_is_3_and_says_where_the_address_came_from(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUI_BASE_URL", "http://user:SPK-CANARY@127.0.0.1:9")
    monkeypatch.setenv("SPARKTUI_API_KEY", "SPK-CANARY")
    assert main(["doctor"]) == 3
    out = capsys.readouterr().out
    assert "CANARY" not in out
    assert "server.api_key" in out
    assert "environment SPARKTUI_API_KEY" in out
    assert "environment SPARKTUI_BASE_URL" in out
    assert "fail  server: " in out
    assert "ok    python: " in out
    assert "default" in out


def test_a_key_that_is_wanted_refused_accepted(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with DemoProcess.start(speed=50, api_key="right-key") as demo:
        words = ["doctor", "--no-settings", "--base-url", demo.base_url]
        assert main(words) == 3
        assert "fail  key: the server wants a key (401)" in capsys.readouterr().out
        monkeypatch.setenv("MY_KEY", "wrong-key")
        assert main([*words, "--api-key-env", "MY_KEY"]) == 3
        out = capsys.readouterr().out
        assert "fail  key: the server refuses the key (401)" in out
        assert "wrong-key" not in out
        monkeypatch.setenv("MY_KEY", "right-key")
        assert main([*words, "--api-key-env", "MY_KEY", "--log", str(demo.log_path)]) == 0
        out = capsys.readouterr().out
        assert "ok    key: accepted" in out
        assert "simulated" in out
        assert "ok    model: " in out
        assert f"ok    log: {demo.log_path}" in out


def test_a_broken_config_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.yml").write_text("server:\n  base_ulr: x\n", encoding="utf-8")
    assert main(["doctor"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "config.yml:2:3: unknown key `server.base_ulr`" in captured.err


def test_api_key_env_wants_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--api-key-env", "NOT_SET_ANYWHERE"]) == 2
    assert "NOT_SET_ANYWHERE" in capsys.readouterr().err


def test_logs_that_can_and_cannot_be_followed(tmp_path: Path) -> None:
    def state(log: LogConfig, kind: str = "") -> tuple[str, str]:
        (check,) = check_log(log, kind)
        return check.state, check.text

    assert state(LogConfig(source=str(tmp_path / "none.log")))[0] == "fail"
    assert state(LogConfig(command=("no-such-program-here", "logs")))[0] == "fail"
    assert state(LogConfig(command=("sh", "-c", "true")))[0] == "ok"
    assert state(LogConfig())[0] == "ok"
    assert state(LogConfig(), "tabbyapi")[0] == "warn"
    line = (
        "2026-11-30 18:06:50.971 | INFO     | Metrics (ID: 873d2e811f6d432ca60dd43975a13752): "
        "794 tokens generated in 26.86 seconds (Queue: 0.0 s, Process: 0 cached tokens and 36 new tokens at 900.0 T/s, "
        "Generate: 29.6 T/s, Context: 36 tokens) \n"
    )
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_text(line, encoding="utf-8")
    (tmp_path / "logs" / "old.zip").write_bytes(b"PK")
    state_, text = state(LogConfig(tabbyapi_dir=str(tmp_path)))
    assert state_ == "ok"
    assert "a.log" in text
    assert "1 generation records" in text
    (tmp_path / "other.log").write_text("hello\nworld\n" * 9, encoding="utf-8")
    assert state(LogConfig(source=str(tmp_path / "*.log")))[0] == "warn"


def test_exit_codes_of_checks() -> None:
    assert exit_code_of([Check("a", "ok", ""), Check("b", "warn", "")]) == 0
    assert exit_code_of([Check("a", "fail", "")]) == 1
    assert exit_code_of([Check("a", "fail", ""), Check("b", "fail", "", "", 3)]) == 3


def test_colours_of_terminals() -> None:
    assert colours({"TERM": "xterm-256color"}) == 256
    assert colours({"TERM": "xterm-256color", "COLORTERM": "truecolor"}) == 1 << 24
    assert colours({"TERM": "linux"}) == 8
    assert colours({"TERM": "xterm"}) == 16
    assert colours({"TERM": "xterm", "NO_COLOR": "1"}) == 0


@pytest.mark.parametrize(("after", "width"), [(b"\x1b[5;2R", 1), (b"\x1b[5;3R", 2), (b"", None)])
def test_glyph_width_is_asked_of_the_terminal(after: bytes, width: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparktui.cli.terminalcheck._ANSWER_S", 0.2)
    master, slave = pty.openpty()
    answers = [b"\x1b[5;1R", after]

    def terminal() -> None:
        seen = b""
        while answers:
            seen += os.read(master, 100)
            while b"\x1b[6n" in seen and answers:
                seen = seen.split(b"\x1b[6n", 1)[1]
                os.write(master, answers.pop(0))

    thread = threading.Thread(target=terminal, daemon=True)
    thread.start()
    try:
        assert ambiguous_width(slave, slave) == width
    finally:
        thread.join(1)
        os.close(slave)
        os.close(master)
