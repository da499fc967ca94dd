"""`sweep` and `explain` as people run them: subprocesses against the simulated server."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparktui.demo.process import DemoProcess
from sparktui.io.store.history import History
from tests.cli.test_bench import environment, run, start

KEYS = {"api_key": "user-key", "admin_key": "admin-key"}
CONFIG = """
sweep:
  prompt: json
  runs: 3
  warmup: 0
  max_tokens: 300
  variants:
    - {name: shipped}
    - {name: 8-bit cache, load: {cache_mode: "8,8"}}
    - {name: no draft, load: {draft_model: {draft_mode: disabled}}}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "sweep.yml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


def test_the_published_sweep_in_small(tmp_path: Path, config: Path) -> None:
    files = [tmp_path / f"sweep.{suffix}" for suffix in ("json", "md")]
    words = ["sweep", "--config", str(config), "--demo", "--demo-speed", "40", *(f"--out={file}" for file in files)]
    code, out, err = run(tmp_path, *words)
    assert code == 0, err
    rows = {line.split("  ")[0]: line for line in out.splitlines()}
    assert "= no difference shown" in rows["8-bit cache"]
    assert "▼ slower by" in rows["no draft"]
    assert "baseline" in rows["shipped"]
    assert "2 comparisons against one A: Holm's correction" in out
    assert "Drift" in out
    assert "8-bit cache: cache_mode 8,8: ignored (the server says FP16)" in out
    assert "The server is back in its own configuration." in err
    data = json.loads(files[0].read_bytes())
    assert "●" in out and "●" not in files[1].read_text(encoding="utf-8"), "a plot needs columns that stand"
    assert len(data["runs"]) == 9
    assert [(one["name"], one["verdict"]) for one in data["sweep"]["variants"]] == [
        ("8-bit cache", "no difference shown"), ("no draft", "slower"),
    ]  # fmt: skip
    assert "## Settings sweep" in files[1].read_text(encoding="utf-8")
    assert "slower by" in files[1].read_text(encoding="utf-8")
    code, out, err = run(tmp_path, "explain", "last")
    assert code == 0, err
    assert "It ran without a draft." in out or "verify step" in out
    code, out, _ = run(tmp_path, "explain", "shipped", "no draft", "--json")
    assert code == 0
    assert [part["of"].split(",")[0] for part in json.loads(out)] == ["json", "json", "All of them together"]


@pytest.fixture
def server() -> Iterator[DemoProcess]:
    with DemoProcess.start(speed=40, **KEYS) as process:
        yield process


def test_d13_an_interrupted_sweep_is_put_back_and_resumed(tmp_path: Path, config: Path, server: DemoProcess) -> None:
    env = environment(tmp_path, SPARKTUI_API_KEY="user-key", SPARKTUI_ADMIN_KEY="admin-key")
    words = ["sweep", "--config", str(config), "--base-url", server.base_url, "--kind", "tabbyapi"]
    process = start(tmp_path, *words, env=env)
    assert process.stderr is not None
    said = b""
    while b"\xe2\x9c\x93 8-bit cache" not in said:
        line = process.stderr.readline()
        assert line, said
        said += line
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 4, err
    assert b"The server is back in its own configuration." in err
    assert b"--resume" in err
    with History.open(tmp_path / "data" / "history.sqlite3") as history:
        before = {record.id for record in history.query("status:ok")}
    assert 0 < len(before) < 9
    code, text, told = run(tmp_path, *words, "--resume", env=env)
    assert code == 0, told
    assert "going on with the sweep" in told
    with History.open(tmp_path / "data" / "history.sqlite3") as history:
        after = history.query("status:ok", limit=None)
    assert len(after) == 9
    assert before < {record.id for record in after}
    assert len({record.bench_id for record in after}) == 1
    assert "slower by" in text
    assert "admin-key" not in told + text
    code, _, told = run(tmp_path, *words, "--resume", env=env)
    assert (code, "no unfinished sweep" in told) == (2, True)
    code, _, told = run(tmp_path, *words, "--restore", env=env)
    assert (code, "No sweep left this server changed" in told) == (2, True)


def test_a_killed_sweep_is_put_back_by_restore(tmp_path: Path, config: Path, server: DemoProcess) -> None:
    env = environment(tmp_path, SPARKTUI_API_KEY="user-key", SPARKTUI_ADMIN_KEY="admin-key")
    words = ["sweep", "--config", str(config), "--base-url", server.base_url, "--variants", "no draft"]
    process = start(tmp_path, *words, env=env)
    assert process.stderr is not None
    while "✓ no draft" not in (line := process.stderr.readline().decode()):
        assert line
    process.kill()
    process.communicate()
    code, _, told = run(tmp_path, *words, env=env)
    assert (code, "--restore" in told and "--as-it-is" in told) == (2, True)
    code, _, told = run(tmp_path, *words, "--restore", env=env)
    assert code == 0, told
    assert "The server is back in its own configuration." in told
    code, _, told = run(tmp_path, *words, "--runs", "1", env=env)
    assert code == 0, told


def test_requests_at_once_are_told_together(tmp_path: Path) -> None:
    out = tmp_path / "runs.json"
    words = ["bench", "--demo", "--demo-speed", "20", "--prompts", "code", "--temps", "0", "--runs", "2", "--warmup", "0"]
    code, text, err = run(tmp_path, *words, "--parallel", "3", "--max-tokens", "200", "--out", str(out))
    assert code == 0, err
    assert "Requests at once" in text
    first, second = json.loads(out.read_bytes())["rounds"]
    assert (first["asked"], first["n"], second["run_no"]) == (3, 3, 2)
    # one slot: the requests are taken in turn, which shows as queueing and not in their own rates
    assert first["at_once"] < 1.1
    assert first["queue_s"] > 0.1
    assert first["tok_s"] < 1.1 * first["request_tok_s_max"]
    assert first["wall_tok_s"] < first["tok_s"]


def test_what_is_refused_before_anything_runs(tmp_path: Path, config: Path) -> None:
    code, _, err = run(tmp_path, "sweep", "--config", str(config), "--demo", "--variants", "shiped")
    assert (code, "shipped" in err) == (2, True)
    empty = tmp_path / "empty.yml"
    empty.write_text("sweep: {runs: 3}\n", encoding="utf-8")
    code, _, err = run(tmp_path, "sweep", "--config", str(empty), "--base-url", "http://127.0.0.1:9")
    assert (code, "lists no variants" in err) == (2, True)
    by_hand = tmp_path / "hand.yml"
    by_hand.write_text("sweep: {variants: [{name: a, manual: start it}]}\n", encoding="utf-8")
    code, _, err = run(tmp_path, "sweep", "--config", str(by_hand), "--demo")
    assert (code, "by hand" in err) == (2, True)
    code, _, err = run(tmp_path, "explain", "nothing-like-it")
    assert (code, "neither a label nor a run" in err) == (2, True)
