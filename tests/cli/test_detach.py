"""Headless commands that go on after their terminal, are found again, and ended: what was finished is kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sparktui.core.events import ErrorEvent
from sparktui.demo.process import DemoProcess
from sparktui.io.paths import history_path, journal_dir
from sparktui.io.store.history import History
from sparktui.io.store.journal import read_journal
from sparktui.io.store.sessions import Session, sessions

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
    done = sparktui(env, tmp_path, "bench", *_QUICK, "--runs", "500", "--detach")
    assert done.returncode == 0, done.stderr
    name = done.stdout.strip()
    assert f"sparktui watch {name}" in done.stderr
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


def begun(env: dict[str, str], folder: Path, *words: str) -> Session:
    """Start it detached; its session."""
    done = sparktui(env, folder, *words, "--detach")
    assert done.returncode == 0, done.stderr
    name = done.stdout.strip()
    assert f"sparktui {words[0]} --stop {name}" in done.stderr
    return next(item for item in sessions(journal_dir()) if item.name == name)


def test_a_detached_needle_search_is_stopped_in_its_prefill(env: dict[str, str], tmp_path: Path) -> None:
    session = begun(env, tmp_path, "needle", "--demo", "--lengths", "50k", "--depths", "0,0.5,1")
    assert session.hello is not None and (session.state, session.hello.purpose) == ("running", "needle")
    # only what was asked for: a needle search is no bench
    wrong = sparktui(env, tmp_path, "bench", "--stop")
    assert wrong.returncode == 2 and "No bench is running." in wrong.stderr
    stopped = sparktui(env, tmp_path, "needle", "--stop")
    assert stopped.returncode == 0, stopped.stderr
    assert f"session {session.name} has ended: interrupted" in stopped.stderr
    with History.open(history_path()) as history:
        assert [record.status for record in history.query()] == ["cancelled"]


SWEEP = """
sweep:
  prompt: code
  runs: 200
  warmup: 0
  max_tokens: 100
  variants:
    - {name: shipped}
    - {name: no draft, load: {draft_model: {draft_mode: disabled}}}
"""


def test_a_detached_sweep_that_is_stopped_puts_the_server_back(env: dict[str, str], tmp_path: Path) -> None:
    config = tmp_path / "sweep.yml"
    config.write_text(SWEEP, encoding="utf-8")
    with DemoProcess.start(speed=40, api_key="user-key", admin_key="admin-key") as server:
        env = {**env, "SPARKTUI_API_KEY": "user-key", "SPARKTUI_ADMIN_KEY": "admin-key"}
        words = ("sweep", "--config", str(config), "--base-url", server.base_url, "--kind", "tabbyapi")
        session = begun(env, tmp_path, *words)
        assert session.name in sparktui(env, tmp_path, "watch", "--list").stdout
        stopped = sparktui(env, tmp_path, "sweep", "--stop", session.name)
        assert stopped.returncode == 0, stopped.stderr
        told = [event.title for event in read_journal(session.path) if isinstance(event, ErrorEvent)]
        after = told[told.index("Stopping; what is finished is kept.") + 1 :]
        # whoever looks on is told what becomes of the server; where it was not changed there is nothing to tell
        assert not after or after[-1] == "The server is back in its own configuration."
        nothing = sparktui(env, tmp_path, *words, "--restore")
        assert nothing.returncode == 2 and "No sweep left this server changed" in nothing.stderr
        log = next((tmp_path / "data" / "logs").glob("sweep-*")).read_text()
        assert "--resume" in log and "admin-key" not in log


def test_nobody_switches_by_hand_for_a_detached_sweep(env: dict[str, str], tmp_path: Path) -> None:
    config = tmp_path / "hand.yml"
    config.write_text("sweep: {variants: [{name: a, manual: start it}, {name: b, manual: start that}]}\n", encoding="utf-8")
    done = sparktui(env, tmp_path, "sweep", "--demo", "--config", str(config), "--detach")
    assert done.returncode == 2 and "by hand" in done.stderr
