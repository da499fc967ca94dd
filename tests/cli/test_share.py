"""`share` and `replay` as people run them: a file, a picture, a cast; and what is refused."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from sparktui.core.records import ChunkMark
from sparktui.io.paths import history_path
from sparktui.io.store.history import History
from tests.io.test_sharefile import whole
from tests.runs import run

ROOT = Path(__file__).parents[2]


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    with History.open(history_path()) as history:
        history.add_all([whole(), run(2, prompt="story", timeline=None)])
    return {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}


def sparktui(env: dict[str, str], folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sparktui", *words]
    return subprocess.run(
        command, check=False, cwd=folder, env=env, text=True, capture_output=True, timeout=60, stdin=subprocess.DEVNULL
    )  # fmt: skip


def test_a_run_becomes_a_file_of_its_own_name(env: dict[str, str], tmp_path: Path) -> None:
    done = sparktui(env, tmp_path, "share", "run-000001")
    assert (done.returncode, done.stdout.strip()) == (0, "code-Qwen-Next-exl3-57.1.spark"), done.stderr
    path = tmp_path / done.stdout.strip()
    assert path.stat().st_size < 20_000
    assert f"sparktui replay {path.name}" in done.stderr
    again = sparktui(env, tmp_path, "share", "run-000001")
    assert again.returncode == 2 and "exists already" in again.stderr
    assert sparktui(env, tmp_path, "share", "run-000001", "--force").returncode == 0


def test_a_picture_asks_no_other_host_for_anything(env: dict[str, str], tmp_path: Path) -> None:
    done = sparktui(env, tmp_path, "share", "run-000001", "--svg", "--out", "run.svg")
    assert done.returncode == 0, done.stderr
    svg = (tmp_path / "run.svg").read_text()
    text = re.sub(r"<[^>]+>", " ", svg).replace("&#160;", " ")
    assert "53.7" in text and "▶ replay" in text and "self._lock" in text
    assert "@font-face" not in svg and "src:" not in svg


def test_two_runs_make_a_picture_of_two_lanes_but_no_file(env: dict[str, str], tmp_path: Path) -> None:
    with History.open(history_path()) as history:
        history.add(whole(id="run-000003", label="no-draft"))
    done = sparktui(env, tmp_path, "share", "run-000001", "run-000003", "--svg", "--at", "4", "--out", "two.svg")
    assert done.returncode == 0, done.stderr
    assert "both&#160;on&#160;one&#160;clock" in (tmp_path / "two.svg").read_text()
    refused = sparktui(env, tmp_path, "share", "run-000001", "run-000003")
    assert refused.returncode == 2 and "One file holds one run" in refused.stderr


def test_a_cast_is_the_replay_as_a_terminal_saw_it(env: dict[str, str], tmp_path: Path) -> None:
    marks = tuple(ChunkMark(round(0.1 + n * 0.005, 6), "content", 53, 16.2) for n in range(49))
    with History.open(history_path()) as history:
        history.add(msgspec.structs.replace(whole(id="run-000004"), total_s=0.4, timeline=marks))
    done = sparktui(env, tmp_path, "share", "run-000004", "--cast", "--out", "run.cast")
    assert done.returncode == 0, done.stderr
    head, *events = [json.loads(line) for line in (tmp_path / "run.cast").read_text().splitlines()]
    assert (head["version"], head["width"], head["height"]) == (2, 120, 36)
    assert [event[0] for event in events] == sorted(event[0] for event in events)
    assert "sparktui" in "".join(event[2] for event in events)


def test_what_cannot_be_shared_or_played_says_why(env: dict[str, str], tmp_path: Path) -> None:
    for words, said in (
        (("share", "run-000002"), "it has no timeline"),
        (("share", "zzz"), "No run id begins"),
        (("share", "run-000001", "--at", "3"), "--at is for --svg"),
        (("share", "run-000001", "--svg", "--cast"), "not allowed with"),
        (("replay", "run-000001"), "needs a terminal"),
        (("replay", "--speed", "40"), "between 0.25 and 16"),
    ):
        done = sparktui(env, tmp_path, *words)
        assert done.returncode == 2 and said in done.stderr, done.stderr
