"""`bench` and `ask` as people run them: subprocesses against the simulated server, and the pieces that need none."""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from sparktui.cli import bench
from sparktui.cli.benchtalk import BenchTalk
from sparktui.cli.interrupts import interrupts
from sparktui.cli.parser import Parser
from sparktui.cli.results import exit_code
from sparktui.core.config import Config, PromptConfig
from sparktui.core.events import Chunk, Joined, Plan, PlanProgress, RunDone, RunStarted, Server, Waiting
from sparktui.core.records import PromptInfo, RunParams, RunRecord, ServerInfo
from sparktui.engine.running.cancel import Cancel
from sparktui.errors import ConfigError, RunFailedError, UnreachableError, UsageError
from sparktui.io.store.history import History

ROOT = Path(__file__).parents[2]
# a test run in the background ignores Ctrl-C and would pass that on; a terminal given as stdin becomes the process's own
LAUNCH = [
    sys.executable, "-c",
    "import fcntl, os, signal, sys, termios\n"
    "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
    "if os.isatty(0) and os.getsid(0) == os.getpid(): fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])\n",
]  # fmt: skip
RECORD = RunRecord(
    id="run-1", started_at="2026-11-30T12:00:00.000Z", label="x", status="ok", server=ServerInfo(kind="demo", base_url="http://127.0.0.1:1"),
    prompt=PromptInfo(name="story", sha256="0"), params=RunParams(temperature=0), run_no=1, client_tok_s=30.2, ttft_s=0.6, chunks=160,
    completion_tokens=794,
)  # fmt: skip


def environment(folder: Path, **more: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SPARKTUI_")}
    return {**clean, "PYTHONPATH": str(ROOT), "SPARKTUI_DATA_DIR": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "xdg"), **more}


def start(folder: Path, *words: str, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    command = [*LAUNCH, "-P", "-m", "sparktui", *words]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=env or environment(folder), cwd=folder, **pipes)  # type: ignore[call-overload, no-any-return]


def run(folder: Path, *words: str, env: dict[str, str] | None = None) -> tuple[int, str, str]:
    process = start(folder, *words, env=env)
    out, err = process.communicate(timeout=60)
    return process.returncode, out.decode(), err.decode()


def stored(folder: Path) -> list[RunRecord]:
    with History.open(folder / "data" / "history.sqlite3") as history:
        return history.query()


def test_d19_bench_without_a_terminal_prints_stores_and_exports(tmp_path: Path) -> None:
    files = [tmp_path / f"runs.{suffix}" for suffix in ("md", "csv", "json", "jsonl")]
    outs = [word for file in files for word in ("--out", str(file))]
    words = ["bench", "--demo", "--demo-speed", "60", "--prompts", "code", "--temps", "unset,0", "--runs", "1", "--max-tokens", "100"]
    bare = {name: value for name, value in environment(tmp_path).items() if name not in ("TERM", "COLUMNS", "LINES")}
    code, out, err = run(tmp_path, *words, "--label", "shipped", *outs, env=bare)
    assert code == 0, err
    assert "DEMO SERVER: simulated" in err
    assert "\x1b" not in out + err
    assert "\r" not in out + err
    assert "server default" in out
    assert "imulated" in out
    assert err.count("✓ code") == 4
    assert "✓ code · T 0 · run 1/1" in err
    data = json.loads(files[2].read_bytes())
    assert [(r["run_no"], r["warmup"], r["params"].get("temperature")) for r in data["runs"]] == [
        (0, True, None), (1, False, None), (0, True, 0), (1, False, 0),
    ]  # fmt: skip
    assert all(r["simulated"] and r["label"] == "shipped" and r["draft_proposed"] for r in data["runs"])
    assert len({r["bench_id"] for r in data["runs"]}) == 1
    assert len(list(csv.DictReader(io.StringIO(files[1].read_text(encoding="utf-8-sig"))))) == 4
    assert len(files[3].read_text(encoding="utf-8").splitlines()) == 4
    assert "draft accepted" in files[0].read_text(encoding="utf-8")
    kept = stored(tmp_path)
    assert len(kept) == 4
    assert all(record.acceptance_source == "log" for record in kept)
    assert len(list((tmp_path / "data" / "journals").iterdir())) == 1


def test_d13_interrupted_bench_saves_exports_and_exits_4(tmp_path: Path) -> None:
    out = tmp_path / "runs.json"
    words = ["bench", "--demo", "--demo-speed", "20", "--prompts", "code", "--temps", "0", "--runs", "30", "--out", str(out)]
    process = start(tmp_path, *words)
    assert process.stderr is not None
    while b"run 1/30" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    shown, err = process.communicate(timeout=20)
    assert process.returncode == 4, err
    assert b"what is finished is kept" in err
    exported = json.loads(out.read_bytes())["runs"]
    assert [r["status"] for r in exported[:2]] == ["ok", "ok"]
    assert len(exported) < 31
    assert len(stored(tmp_path)) == len(exported)
    assert b"tok/s" in shown


def test_a_second_interrupt_stops_at_once(tmp_path: Path) -> None:
    code = (
        "import os, signal, threading, time\n"
        "from sparktui.cli.interrupts import interrupts\n"
        "from sparktui.engine.running.cancel import Cancel\n"
        "cancel = Cancel()\n"
        "with interrupts(cancel):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    assert cancel.wait(5)\n"
        "    time.sleep(0.55)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    time.sleep(5)\n"
        "print('not reached')\n"
    )
    done = subprocess.run([*LAUNCH, "-c", code], env=environment(tmp_path), capture_output=True, check=False, timeout=20)
    assert (done.returncode, done.stdout) == (4, b"")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_arrives_twice_still_prints_and_stores_what_is_finished(number: signal.Signals, tmp_path: Path) -> None:
    words = ["bench", "--demo", "--demo-speed", "60", "--prompts", "code", "--temps", "0", "--runs", "60", "--max-tokens", "300"]
    process = start(tmp_path, *words)
    assert process.stderr is not None
    while b"run 1/60" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(number)
    for _ in range(3):
        time.sleep(0.02)
        if process.poll() is None:
            process.send_signal(number)
    shown, err = process.communicate(timeout=20)
    assert process.returncode == 4, err
    assert "  1" in shown.decode()
    assert b"tok/s" in shown
    assert [record.status for record in stored(tmp_path)].count("ok") >= 2


def test_signals_that_were_ignored_stay_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    cancel = Cancel()
    try:
        with interrupts(cancel):
            os.kill(os.getpid(), signal.SIGHUP)
            assert not cancel.wait(0.05)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_lost_terminal_still_saves(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    words = ["bench", "--demo", "--demo-speed", "20", "--prompts", "code", "--temps", "0", "--runs", "30", "--out", "r.json"]
    process = subprocess.Popen(
        [*LAUNCH, "-P", "-m", "sparktui", *words], env=environment(tmp_path, TERM="xterm"), cwd=tmp_path, stdin=slave, stdout=slave,
        stderr=slave, start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    seen = b""
    while b"run 1/30" not in seen:
        seen += os.read(master, 65536)
    time.sleep(0.2)
    os.close(master)
    assert process.wait(15) == 4
    exported = json.loads((tmp_path / "r.json").read_bytes())["runs"]
    assert 0 < len(exported) < 31
    assert len(stored(tmp_path)) == len(exported)


def test_unreachable_is_3_and_a_bad_export_path_is_found_first(tmp_path: Path) -> None:
    code, out, err = run(tmp_path, "bench", "--base-url", "http://127.0.0.1:9", "--runs", "1")
    assert (code, out) == (3, "")
    assert "127.0.0.1:9" in err
    assert "option --base-url" in err
    code, out, err = run(tmp_path, "bench", "--base-url", "http://127.0.0.1:9", "--out", str(tmp_path))
    assert (code, out) == (2, "")
    assert "does not say what to write" in err or "folder" in err
    (tmp_path / "there.md").write_text("mine", encoding="utf-8")
    assert run(tmp_path, "bench", "--demo", "--out", "there.md")[0] == 2
    assert (tmp_path / "there.md").read_text(encoding="utf-8") == "mine"


def test_ask_sends_text_to_stdout_and_nothing_else(tmp_path: Path) -> None:
    code, out, err = run(tmp_path, "ask", "--demo", "--demo-speed", "60", "--max-tokens", "40", "--no-history", "--prompt", "story")
    assert code == 0, err
    assert len(out) > 80
    assert "tok/s" not in out + err
    assert not (tmp_path / "data").exists()
    assert run(tmp_path, "ask", "--demo")[0] == 2
    assert run(tmp_path, "ask", "--demo", " ")[0] == 2


def test_a_reader_that_goes_away_ends_the_answer_quietly(tmp_path: Path) -> None:
    process = start(tmp_path, "ask", "--demo", "--demo-speed", "4", "--prompt", "story")
    assert process.stdout is not None
    assert process.stdout.read(5)
    process.stdout.close()
    begun = time.monotonic()
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    assert process.wait(20) == 0
    process.stderr.close()
    assert time.monotonic() - begun < 4
    assert [record.status for record in stored(tmp_path)] == ["cancelled"]


def test_ask_on_a_terminal_shows_the_meter(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    command = [sys.executable, "-P", "-m", "sparktui", "ask", "--demo", "--demo-speed", "10", "--prompt", "story", "--max-tokens", "100"]
    process = subprocess.Popen(command, env=environment(tmp_path, TERM="xterm"), cwd=tmp_path, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    seen = b""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if not select.select([master], [], [], 1)[0] and process.poll() is not None:
            break
        try:
            seen += os.read(master, 65536)
        except OSError:
            break
    assert process.wait(10) == 0
    os.close(master)
    last = seen.decode().rstrip().splitlines()[-1]
    assert "tok/s" in last
    assert "TTFT" in last


def test_history_that_cannot_be_written_is_said_and_the_bench_goes_on(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder", encoding="utf-8")
    words = ["bench", "--demo", "--demo-speed", "60", "--temps", "0", "--runs", "1", "--warmup", "0", "--max-tokens", "30"]
    code, _, err = run(tmp_path, *words, "--out", "r.json")
    assert code == 0
    assert "could not be stored" in err
    assert len(json.loads((tmp_path / "r.json").read_bytes())["runs"]) == 1


def arguments(*words: str) -> argparse.Namespace:
    parser = Parser("sparktui bench")
    bench.add_arguments(parser)
    return parser.parse_args(words)


def test_the_plan_is_the_configs_unless_options_say_otherwise(tmp_path: Path) -> None:
    plan = bench.plan_of(arguments(), Config())
    assert [prompt.name for prompt in plan.prompts] == ["story"]
    assert (plan.temps, plan.runs, plan.warmup, plan.parallel, plan.max_tokens, plan.label) == ((1.0, 0), 3, 1, 1, 800, "default")
    assert plan.prompts[0].text == "Write a short story about a lighthouse keeper (about 500 words)."
    plan = bench.plan_of(arguments("--prompts", "code,own", "--temps", "unset", "--warmup", "0", "--parallel", "2", "--label", "l"), Config(
        prompts={"own": PromptConfig(text="Mine.", params={"top_p": 0.5})}
    ))  # fmt: skip
    assert [(prompt.name, prompt.params) for prompt in plan.prompts] == [("code", {}), ("own", {"top_p": 0.5})]
    assert (plan.temps, plan.warmup, plan.label) == ((None,), 0, "l ×2")
    file = tmp_path / "my prompt.txt"
    file.write_text("\ufeffLong text\r\n", encoding="utf-8")
    assert bench.plan_of(arguments("--prompt-file", str(file)), Config()).prompts[0].text == "Long text"
    assert bench.plan_of(arguments("--prompt", "Short"), Config()).prompts[0].text == "Short"


@pytest.mark.parametrize(
    ("words", "error"),
    [(("--prompts", "stroy"), UsageError), (("--prompt", " "), UsageError), (("--prompt", "a", "--prompts", "story"), UsageError),
     (("--prompt-file", "/no/such/file"), ConfigError)],
)  # fmt: skip
def test_prompts_that_are_not_there(words: tuple[str, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        bench.plan_of(arguments(*words), Config())


def test_exit_codes() -> None:
    failed = RunRecord(
        id="f", started_at="", label="", status="failed", server=RECORD.server, prompt=RECORD.prompt, params=RECORD.params
    )  # fmt: skip
    gone, broken = UnreachableError("gone"), RunFailedError("broken")
    code = exit_code
    assert code([RECORD], interrupted=False, stopped=None, last=None) == 0
    assert code([RECORD], interrupted=True, stopped=None, last=None) == 4
    assert code([RECORD, failed], interrupted=False, stopped=None, last=broken) == 1
    assert code([RECORD, failed], interrupted=False, stopped=gone, last=broken) == 3
    assert code([failed], interrupted=False, stopped=None, last=gone) == 3


def started(**more: object) -> RunStarted:
    values: dict[str, object] = {"run_no": 1, "runs": 3, **more}
    return RunStarted(run_id="run-1", prompt=RECORD.prompt, params=RECORD.params, t_send_ns=1, started_at="", **values)  # type: ignore[arg-type]


def test_one_line_a_run_with_what_the_log_added() -> None:
    out = io.StringIO()
    talk = BenchTalk(out, painted=False)
    talk(started())
    talk(Chunk(run_id="run-1", n=1, kind="content", text="Once"))
    talk(RunDone(run_id="run-1", status="ok", record=RECORD))
    assert out.getvalue() == ""
    talk(Joined(run_id="run-1", source="log", record=msgspec.structs.replace(RECORD, acceptance_rate=0.651), accepted=310, proposed=476))
    talk(PlanProgress(plan_id="p", done=1, total=3))
    assert out.getvalue() == "✓ story · T 0 · run 1/3   30.2 tok/s   TTFT 0.60 s   794 tokens   160 chunks   draft 65.1 %\n"
    talk(Server(state="unreachable", cause="Nothing listens\x1b[2J.", retry_in_s=4))
    assert out.getvalue().splitlines()[-1] == "  server unreachable: Nothing listens␛[2J.; trying again in 4 s"
    talk.close()


def test_the_progress_line_says_where_it_stands() -> None:
    talk = BenchTalk(io.StringIO(), painted=False)
    assert talk._progress_line() == ""
    talk(Plan(plan_id="p", kind="bench", cells=(), total=8))
    talk(PlanProgress(plan_id="p", done=2, total=8, eta_s=94.0))
    talk(started())
    talk(Waiting(run_id="run-1", elapsed_s=12.3))
    assert talk._progress_line() == "bench ━━────────  2/8 ≈ 1:34 left   story · T 0 · run 1/3   prefill 12 s"
    talk.close()

