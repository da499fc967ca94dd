"""`python -m tests.perf.kill_test [COUNT [SEED]]`: kills screen, worker or bench at random moments, counts what is lost."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import msgspec
import psutil

from sparktui.core.commands import AnyCommand, Bench, Configure, encode_command
from sparktui.core.events import Chunk, Hello, RunDone, RunStarted
from sparktui.core.plans import BenchPlan, PromptSpec
from sparktui.core.records import RunRecord
from sparktui.demo.process import DemoProcess
from sparktui.io.store.history import History
from sparktui.io.store.journal import read_journal
from sparktui.io.store.recovery import tidy
from tests.perf.line import Line, SlowTerminal

ROOT = Path(__file__).parents[2]
KINDS = ("bench", "worker", "screen")
_GONE_S = 8.0
_PLAN = BenchPlan(prompts=(PromptSpec(name="story", text="Tell a story."),), temps=(1.0,), runs=8, warmup=1, max_tokens=160)


class Outcome(msgspec.Struct, frozen=True):
    """What one kill left: runs by status, and every fault in a sentence (none, if all is well)."""

    runs: dict[str, int]
    faults: list[str]


def killed(kind: str, after_s: float, folder: Path, demo: DemoProcess) -> Outcome:
    """Start `kind` with its own data folder, measuring `demo` and following its log by a command; SIGKILL it `after_s` later; look."""
    data = folder / "data"
    config = folder / "config.yml"
    log = f"[tail, -n, '0', -F, '{demo.log_path}']"
    config.write_text(f"server: {{base_url: '{demo.base_url}'}}\nlog: {{command: {log}}}\ndefaults: {{max_tokens: 160}}\n")
    env = {**os.environ, "SPARKTUI_DATA_DIR": str(data), "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "HOME": str(folder)}
    {"bench": _bench, "worker": _worker, "screen": _screen}[kind](config, env, after_s)
    faults = [f"still there: {left}" for left in _left(data)]
    return Outcome(*_looked_at(data, faults))


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "sparktui", *words]


def _bench(config: Path, env: dict[str, str], after_s: float) -> None:
    matrix = ("--prompt", "Tell a story.", "--temps", "1.0", "--runs", "8", "--max-tokens", "160")
    command = _command("bench", "--config", str(config), *matrix)
    process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after_s)
    process.kill()
    process.wait()


def _worker(config: Path, env: dict[str, str], after_s: float) -> None:
    command = _command("worker", "--config", str(config))
    process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin and process.stdout
    ready, stdin, stdout = threading.Event(), process.stdin, process.stdout

    def read() -> None:
        for line in stdout:
            if b'"state":"ready"' in line:
                ready.set()

    def ask(command: AnyCommand) -> None:
        stdin.write(encode_command(command) + b"\n")
        stdin.flush()

    def talk() -> None:
        ask(Configure())
        if ready.wait(10):
            ask(Bench(plan=_PLAN))

    reader, talker = threading.Thread(target=read, daemon=True), threading.Thread(target=_quietly(talk), daemon=True)
    reader.start()
    talker.start()
    time.sleep(after_s)
    process.kill()
    process.wait()
    reader.join(5)
    ready.set()
    talker.join(5)
    for pipe in (stdin, stdout):
        _quietly(pipe.close)()


def _screen(config: Path, env: dict[str, str], after_s: float) -> None:
    began = time.monotonic()
    terminal = SlowTerminal(["--config", str(config)], env, Line(rate=1e9, delay_s=0))
    while (left_s := after_s - (time.monotonic() - began)) > 0:
        if any(word in terminal.text for word in ("idle", "✓ done")):
            terminal.press("s")
        time.sleep(min(0.2, left_s))
    terminal.close(signal.SIGKILL)


def _quietly(work: object) -> object:
    def doing() -> None:
        try:
            work()  # type: ignore[operator]
        except (OSError, ValueError):
            return

    return doing


def _left(data: Path) -> list[str]:
    """Processes that carry this data folder in their environment a while later."""
    deadline = time.monotonic() + _GONE_S
    while True:
        left = []
        for process in psutil.process_iter():
            try:
                if process.environ().get("SPARKTUI_DATA_DIR") == str(data) and process.status() != psutil.STATUS_ZOMBIE:
                    left.append(" ".join(process.cmdline())[:120])
            except (psutil.Error, OSError):
                continue
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.1)


def _looked_at(data: Path, faults: list[str]) -> tuple[dict[str, int], list[str]]:
    """Recover as the next start does, then hold the history against the journals."""
    runs: Counter[str] = Counter()
    with History.open(data / "history.sqlite3") as history:
        tidy(history, data / "journals")
        for journal in sorted((data / "journals").glob("*.jsonl")):
            for run_id, (chunks, text, done) in _told(journal).items():
                if not history.has(run_id):
                    faults.append(f"{run_id} is not in the history")
                    continue
                record = history.get(run_id, text=True)
                runs[record.status] += 1
                faults += _compared(record, chunks, text, done)
    with sqlite3.connect(data / "history.sqlite3") as database:
        whole = database.execute("PRAGMA integrity_check").fetchone()[0]
    database.close()
    return dict(runs), faults + ([] if whole == "ok" else [f"the database is damaged: {whole}"])


def _told(journal: Path) -> dict[str, tuple[set[int], str, RunRecord | None]]:
    """Of every run in a journal: the numbers of its chunks, their text, and the record of its end."""
    told: dict[str, tuple[set[int], str, RunRecord | None]] = {}
    for number, event in enumerate(read_journal(journal)):
        if number == 0 and not isinstance(event, Hello):
            raise ValueError(f"{journal} does not begin with hello")
        if isinstance(event, RunStarted):
            told[event.run_id] = (set(), "", None)
        elif isinstance(event, Chunk):
            numbers, text, done = told[event.run_id]
            told[event.run_id] = (numbers | {event.n}, text + event.text, done)
        elif isinstance(event, RunDone):
            numbers, text, _ = told.get(event.run_id, (set(), "", None))
            told[event.run_id] = (numbers, text, event.record)
    return told


def _compared(record: RunRecord, chunks: set[int], text: str, done: RunRecord | None) -> list[str]:
    if done is None and record.status == "ok":
        # its end was stored, and the journal a batch behind
        return [] if (record.text or "").startswith(text) else [f"{record.id} has another text than its journal"]
    expected = "cut_off" if done is None else done.status
    faults = [] if record.status == expected else [f"{record.id} is {record.status}, not {expected}"]
    if chunks and (record.chunks != len(chunks) or record.text != text):
        faults.append(f"{record.id} lost text: {record.chunks} of {len(chunks)} chunks")
    return faults


def main(count: int = 50, seed: int = 1) -> int:
    """Prints one line a kind and every fault; 1 when there was one."""
    rng = random.Random(seed)
    runs: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    faults: list[str] = []
    with DemoProcess.start(speed=8) as demo:
        for number in range(count):
            kind = KINDS[number % len(KINDS)]
            after_s = rng.uniform(0.1, 8.0 if kind == "screen" else 5.0)
            with tempfile.TemporaryDirectory(prefix="sparktui-kill-") as folder:
                outcome = killed(kind, after_s, Path(folder), demo)
            runs[kind].update(outcome.runs)
            runs[kind]["kills"] += 1
            faults += [f"{kind} killed after {after_s:.3f} s: {fault}" for fault in outcome.faults]
    for kind, counted in runs.items():
        print(f"{kind}: {', '.join(f'{number} {word}' for word, number in sorted(counted.items()))}")
    print(f"faults: {len(faults)}", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:])))
