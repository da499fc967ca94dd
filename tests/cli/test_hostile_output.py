"""What servers, logs, files and users say reaches no terminal as a command, whichever command prints it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support_paced import HOSTILE, Paced
from tests.support_server import Peer, Received, ScriptedServer
from tests.support_terminal import ROOT, program

_ACTING = re.compile("\x1b\\[31m|\x1b\\[10A|\x1b\\]|[\x00\x08\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]|%\r2")
TYPED = HOSTILE.replace("\x00", "")


def shown(home: Path, *words: str, code: int | None = 0) -> str:
    """Everything the command sends to its terminal; nothing in it acts, and it ends with `code`."""
    with program(home, *words, size=(160, 50)) as terminal:
        got = terminal.exit_code(30)
        raw = terminal.raw.decode()
    assert code is None or got == code, raw
    assert _ACTING.findall(raw) == [], words
    assert "Traceback" not in raw
    return raw


def test_answers_models_labels_and_logs_in_every_command(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    metrics = "Metrics (ID: 1): 20 tokens generated in 1.0 seconds (Queue: 0.0 s, Process: 0 cached tokens and 5 new tokens at 1.0 T/s, "
    lines = (HOSTILE, f"{metrics}Generate: 20.0 T/s, Context: 5 tokens, Draft: 1 / 2 tokens accepted (50.00%)) {HOSTILE}")
    log.write_text("".join(f"2026-01-01 00:00:00.000 INFO:     {line}\n" for line in lines), encoding="utf-8", newline="")
    with Paced(count=20, every_s=0.001, head=HOSTILE, word=HOSTILE + "\ud800", model=HOSTILE) as server:
        options = server.options()
        assert "␛[31mred" in shown(tmp_path, "ask", *options, "--log", str(log), TYPED)
        words = ("--prompts", "story", "--runs", "1", "--temps", "0", "--warmup", "0", "--label", TYPED)
        shown(tmp_path, "bench", *options, *words)
        assert "␛[31mred" in shown(tmp_path, "doctor", *options)
    assert "␛[31mred" in shown(tmp_path, "history", "list")
    for words in (("history", "show", "last"), ("explain", "last"), ("log", "--once", "--all", str(log)), ("log", "--once", str(log))):
        shown(tmp_path, *words)
    for words in (("history", "compare", TYPED, "x"), ("history", "list", TYPED), ("ask", "--log", TYPED, "--base-url", TYPED, "x")):
        shown(tmp_path, *words, code=None)


def test_errors_of_servers_and_values_of_configs(tmp_path: Path) -> None:
    def refuse(request: Received, peer: Peer) -> None:
        status = 200 if request.method == "GET" else 400
        listed = {"data": [{"id": "m"}], "error": None}
        peer.answer(status, json.dumps(listed if status == 200 else {"error": {"message": HOSTILE, "code": HOSTILE}}).encode())

    with ScriptedServer(refuse) as server:
        options = ("--base-url", server.url, "--kind", "openai")
        assert "␛[31mred" in shown(tmp_path, "ask", *options, "x", code=None)
    config = tmp_path / "config.yml"
    for settings in ({TYPED: 1}, {"server": {"base_url": TYPED}}, {"server": {"kind": TYPED}}, {"bench": {"prompts": [TYPED]}}):
        config.write_text(json.dumps(settings), encoding="utf-8")
        config.chmod(0o600)
        shown(tmp_path, "doctor", code=None)


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"LC_ALL": "en_US.ISO-8859-1", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii"},
    ],
    ids=["C", "latin-1", "ascii"],
)  # fmt: skip
def test_d10_bench_into_a_pipe_in_a_locale_that_is_not_utf8(locale: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "runs.md"
    env = {**os.environ, "SPARKTUI_DATA_DIR": str(tmp_path / "data"), "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), **locale}
    with Paced(count=20, every_s=0.001, head="雪 größer 🌍 ", model="größe-雪") as server:
        words = ["bench", *server.options(), "--prompts", "story", "--runs", "1", "--temps", "0", "--warmup", "0", "--out", str(out)]
        argv = [sys.executable, "-m", "sparktui", *words]
        done = subprocess.run(argv, env=env, cwd=tmp_path, capture_output=True, timeout=30, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr and b"\x1b" not in done.stdout + done.stderr
    assert all(byte < 128 for byte in done.stdout + done.stderr)
    assert "größe-雪" in out.read_text("utf-8")
