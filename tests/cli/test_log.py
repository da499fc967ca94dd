"""`sparktui log`, as a program: one JSON line a generation, from files, pipes and commands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sparktui.cli.main import main
from sparktui.errors import EXIT_INTERRUPTED, EXIT_OK, EXIT_RUN_FAILED, EXIT_USAGE

FIXTURES = Path(__file__).parents[1] / "fixtures"
TABBY = FIXTURES / "tabbyapi-e632af4" / "logs"
FIELDS = [
    "time", "level", "request_id", "completion_tokens", "total_s", "queue_s", "cached_tokens", "new_tokens", "prompt_tokens",
    "prefill_tok_s", "server_tok_s", "draft_accepted", "draft_proposed", "acceptance_rate", "mean_acceptance_length", "scope", "grammar",
]  # fmt: skip


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No config of the machine counts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))


def printed(capfd: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capfd.readouterr().out.splitlines()]


@contextmanager
def program(*arguments: str, stdin: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "sparktui", "log", *arguments]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def test_a_file_read_once(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["log", str(TABBY / "file-nodraft.log"), "--once"]) == EXIT_OK
    rows = printed(capfd)
    assert [row["completion_tokens"] for row in rows] == [799, 799, 121]
    assert list(rows[0]) == FIELDS
    assert rows[0]["draft_accepted"] is None


def test_console_and_file_print_the_same(capfd: pytest.CaptureFixture[str]) -> None:
    main(["log", str(TABBY / "console-pipe-80col-draft.log"), "--once"])
    console = printed(capfd)
    main(["log", str(TABBY / "file-draft.log"), "--once"])
    assert console == printed(capfd)
    assert len(console) == 23


def test_a_requeued_generation_is_flagged(capfd: pytest.CaptureFixture[str]) -> None:
    main(["log", str(TABBY / "file-requeue.log"), "--once"])
    (row,) = printed(capfd)
    assert row["flags"] == ["partial_acceptance"]


def test_tasks_are_named_and_live_lines_left_out(capfd: pytest.CaptureFixture[str]) -> None:
    main(["log", str(FIXTURES / "llamacpp-b11434/logs/parallel2.log"), "--once"])
    assert [(row["task"], row["request_id"], row["completion_tokens"]) for row in printed(capfd)] == [("0", None, 150), ("28", None, 150)]


def test_all_records(capfd: pytest.CaptureFixture[str]) -> None:
    main(["log", str(TABBY / "file-nodraft.log"), "--once", "--all"])
    rows = printed(capfd)
    assert len(rows) == 43
    assert rows[0] == {"time": rows[0]["time"], "level": "info", "text": "Configured backend: cudaMallocAsync"}
    assert "stub-api-key" not in json.dumps(rows)


def test_a_folder_means_its_newest_log(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for age, name in ((100, "file-queued"), (50, "file-requeue")):
        copy = tmp_path / f"{name}.log"
        copy.write_bytes((TABBY / f"{name}.log").read_bytes())
        os.utime(copy, (1_700_000_000 - age, 1_700_000_000 - age))
    assert main(["log", str(tmp_path), "--once"]) == EXIT_OK
    assert [row["completion_tokens"] for row in printed(capfd)] == [316]


def test_the_grammar_can_be_chosen(capfd: pytest.CaptureFixture[str]) -> None:
    main(["log", str(TABBY / "file-queued.log"), "--once", "--grammar", "vllm"])
    assert printed(capfd) == []


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["none.log", "--once"], EXIT_RUN_FAILED, "none.log cannot be read"),
        (["none-*.log", "--once"], EXIT_RUN_FAILED, "No log matches none-*.log"),
        (["--once"], EXIT_USAGE, "--once reads one file"),
        (["x.log", "--once", "--from-start"], EXIT_USAGE, "--once reads one file"),
        ([], EXIT_USAGE, "No log is configured"),
        (["x.log", "--command", "cat"], EXIT_USAGE, "--command takes the place of PATH"),
        (["--command"], EXIT_USAGE, "--command takes the place of PATH"),
        (["x.log", "--grammar", "exl"], EXIT_USAGE, "exl"),
    ],
)
def test_what_cannot_work_is_said(arguments: list[str], code: int, words: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["log", *arguments]) == code
    captured = capfd.readouterr()
    assert words in captured.err
    assert captured.out == ""


def test_stdin_to_its_end() -> None:
    with program("-", stdin=subprocess.PIPE) as process:
        out, _ = process.communicate((TABBY / "console-pipe-80col-queued.log").read_text(encoding="utf-8"), timeout=20)
    assert [json.loads(line)["queue_s"] for line in out.splitlines()] == [0.0, 4.07]
    assert process.returncode == EXIT_OK


def test_following_prints_each_generation_as_it_is_written_and_ends_with_an_interrupt(tmp_path: Path) -> None:
    log = tmp_path / "tabby.log"
    with program(str(log)) as process:
        assert process.stdout is not None and process.stderr is not None
        assert "waiting: tabby.log" in process.stderr.readline()
        log.write_bytes((TABBY / "file-requeue.log").read_bytes())
        assert json.loads(process.stdout.readline())["completion_tokens"] == 316
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == EXIT_INTERRUPTED


def test_a_command_is_followed() -> None:
    with program("--command", "cat", str(TABBY / "console-pipe-80col-requeue.log")) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["draft_accepted"] == 30
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == EXIT_INTERRUPTED


def test_a_reader_that_has_enough_ends_it_quietly() -> None:
    with program(str(TABBY / "file-draft.log"), "--once", "--all") as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.wait(20) == EXIT_OK
        assert process.stderr.read() == ""


def test_the_configured_log_is_followed(tmp_path: Path) -> None:
    (tmp_path / "tabby" / "logs").mkdir(parents=True)
    (tmp_path / "tabby" / "logs" / "2030.log").write_bytes((TABBY / "file-requeue.log").read_bytes())
    config = tmp_path / "c.yml"
    config.write_text(f"log: {{tabbyapi_dir: {tmp_path / 'tabby'}}}\n", encoding="utf-8")
    with program("--config", str(config)) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["completion_tokens"] == 316
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == EXIT_INTERRUPTED
