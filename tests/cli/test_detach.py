"""A bench that goes on after its terminal, is found again, and ended: what was finished is kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sparktui.io.paths import history_path, journal_dir
from sparktui.io.store.history import History
from sparktui.io.store.sessions import sessions

ROOT = Path(__file__).parents[2]
_QUICK = ("--demo", "--demo-speed", "20", "--prompts", "code", "--temps", "0", "--warmup", "0", "--max-tokens", "100")


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def sparktui(env: dict[str, str], folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sparktui", *words]
    return subprocess.run(
        command, check=False, cwd=folder, env=env, text=True, capture_output=True, timeout=60, stdin=subprocess.DEVNULL
    )  # fmt: skip


def test_a_detached_bench_is_listed_and_stopped(env: dict[str, str], tmp_path: Path) -> None:
    begun = sparktui(env, tmp_path, "bench", *_QUICK, "--runs", "500", "--detach")
    assert begun.returncode == 0, begun.stderr
    name = begun.stdout.strip()
    assert f"sparktui watch {name}" in begun.stderr
    session = next(item for item in sessions(journal_dir()) if item.name == name)
    assert session.state == "running" and session.hello is not None
    assert os.getsid(session.hello.pid) != os.getsid(0)
    assert f"{name}  " in (listed := sparktui(env, tmp_path, "watch", "--list").stdout) and "running" in listed
    stopped = sparktui(env, tmp_path, "bench", "--stop")
    assert (stopped.returncode, stopped.stdout) == (0, ""), stopped.stderr
    assert f"session {name} has ended: interrupted" in stopped.stderr
    with History.open(history_path()) as history:
        assert history.count("status:ok") + history.count("status:cancelled") >= 1
    log = next((tmp_path / "data" / "logs").iterdir())
    assert log.stat().st_mode & 0o777 == 0o600 and "DEMO SERVER" in log.read_text()
    again = sparktui(env, tmp_path, "bench", "--stop", name)
    assert again.returncode == 2 and "over already" in again.stderr


def test_a_bench_that_cannot_begin_says_so_here_and_with_its_exit_code(env: dict[str, str], tmp_path: Path) -> None:
    done = sparktui(env, tmp_path, "bench", "--base-url", "http://127.0.0.1:9", "--prompt", "x", "--detach")
    assert done.returncode == 3
    assert "Nothing listens at http://127.0.0.1:9" in done.stderr


def test_what_does_not_go_together_is_refused(env: dict[str, str], tmp_path: Path) -> None:
    for option in ("--live", "--no-history"):
        done = sparktui(env, tmp_path, "bench", "--demo", "--detach", option)
        assert done.returncode == 2 and "exclude each other" in done.stderr
    assert sparktui(env, tmp_path, "bench", "--stop").returncode == 2
    nothing = sparktui(env, tmp_path, "watch")
    assert nothing.returncode == 2 and "terminal" in nothing.stderr
