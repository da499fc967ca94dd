"""Watching: how late a watcher's state is, and what an attached watcher does to the stamps of the bench it watches."""

from __future__ import annotations

import contextlib
import os
import pty
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from sparktui.core.events import AnyEvent, Bye, Chunk, Hello, RunStarted
from sparktui.core.records import PromptInfo, RunParams
from sparktui.core.stats.statistics import percentile
from sparktui.engine.running.emit import Emitter
from sparktui.io.store.journal import JournalWriter
from tests.perf.bench import ROOT, Row, TruthServer, truth_server
from tests.perf.plan import Plan, Send

_SECONDS = 20.0
_CHUNKS_PER_S = 25
_GAP_US = 40_000.0
_CHUNKS = 150
_ROUNDS = 4
_LAG_MS, _STAMP_MS = 100.0, 1.0
# a watcher in a terminal of its own that nobody looks at, its stamps of folding on a pipe
_WATCHER = """
import os, sys, time
from pathlib import Path
from sparktui.core.events import Chunk
from sparktui.tui.workers.journal_link import JournalLink
from sparktui.tui.options import Options
from sparktui.tui.showing.watch import WatchApp

out = os.fdopen(int(sys.argv[2]), "w", buffering=1)

taken = WatchApp._take

def timed(self, event):
    taken(self, event)
    if isinstance(event, Chunk):
        out.write(f"{event.n} {time.perf_counter_ns() - event.t_ns}\\n")

WatchApp._take = timed
WatchApp(JournalLink(Path(sys.argv[1])), Options(), report=lambda error: None).run()
"""


def watch() -> Iterator[Row]:
    """Lag of two watchers of one journal; then the stamps of a stream with and without watchers, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        lags = _lags(Path(folder) / "s.jsonl")
    p50, p99 = percentile(lags, 50), percentile(lags, 99)
    if p50 is None or p99 is None:
        raise RuntimeError("no watcher saw a chunk")
    said = f"p50 {p50:.0f} ms, p99 {p99:.0f} ms, most {max(lags):.0f} ms ({len(lags)} chunks, 2 watchers)"
    yield Row("watch: event to watcher's state", said, f"p99 ≤ {_LAG_MS:.0f} ms", p99 <= _LAG_MS)
    alone: list[float] = []
    watched: list[float] = []
    with truth_server() as server, tempfile.TemporaryDirectory() as folder:
        for number in range(_ROUNDS):
            alone += _stamp_errors(server, Path(folder) / f"a{number}.jsonl", watchers=0)
            watched += _stamp_errors(server, Path(folder) / f"b{number}.jsonl", watchers=2)
    one, two = (percentile(errors, 99) or 0.0 for errors in (alone, watched))
    said = f"{two:.2f} ms watched, {one:.2f} ms alone (median {median(watched):.2f}, {median(alone):.2f})"
    # on a machine that has other work to do, alone is what it is
    yield Row("watch: stamp error of the bench, p99", said, f"≤ {_STAMP_MS:.0f} ms over alone", two - one <= _STAMP_MS)


@contextlib.contextmanager
def _watchers(journal: Path, count: int) -> Iterator[list[int]]:
    """Watchers with a terminal each; their pipes. They are ended at the end."""
    started, pipes, terminals = [], [], []
    for _ in range(count):
        ours, theirs = os.pipe()
        terminal, inside = pty.openpty()
        env = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
        argv = [sys.executable, "-c", _WATCHER, str(journal), str(theirs)]
        started.append(
            subprocess.Popen(argv, stdin=inside, stdout=inside, stderr=subprocess.DEVNULL, pass_fds=[theirs], env=env, cwd=ROOT)
        )
        os.close(theirs)
        os.close(inside)
        pipes.append(ours)
        terminals.append(terminal)
        threading.Thread(target=_drain, args=(terminal,), daemon=True).start()
    try:
        yield pipes
    finally:
        for process in started:
            process.kill()
            process.wait()


def _drain(terminal: int) -> None:
    with contextlib.suppress(OSError):
        while os.read(terminal, 65_536):
            pass


def _lags(path: Path) -> list[float]:
    """Milliseconds from a chunk's emission to its being folded."""
    journal = JournalWriter(path)
    emitter = Emitter([journal])
    for event in _opening():
        emitter.emit(event)
    with _watchers(path, 2) as pipes:
        time.sleep(2.0)
        for n in range(1, round(_SECONDS * _CHUNKS_PER_S) + 1):
            emitter.emit(Chunk(run_id="r", n=n, kind="content", text="some words of prose "))
            time.sleep(1 / _CHUNKS_PER_S + (n % 7) * 0.001)
        time.sleep(0.5)
        emitter.emit(Bye(reason="done"))
        journal.close()
        return [lag for pipe in pipes for lag in _read_lags(pipe)]


def _read_lags(pipe: int) -> list[float]:
    os.set_blocking(pipe, False)
    data = b""
    with contextlib.suppress(BlockingIOError):
        while piece := os.read(pipe, 65_536):
            data += piece
    return [int(line.split()[1]) / 1e6 for line in data.decode().splitlines() if len(line.split()) == 2]


def _opening() -> list[AnyEvent]:
    hello = Hello(
        protocol=1, version="0", pid=os.getpid(), host=socket.gethostname(), session="s", clock_ns=1, wall="2026-11-30T12:00:00Z",
        purpose="bench",
    )  # fmt: skip
    prompt = PromptInfo(name="story", sha256="0")
    started = RunStarted(
        run_id="r", prompt=prompt, params=RunParams(), t_send_ns=time.perf_counter_ns(), started_at="2026-11-30T12:00:00Z"
    )  # fmt: skip
    return [hello, started]


def _stamp_errors(server: TruthServer, path: Path, *, watchers: int) -> list[float]:
    """|receive stamp − send stamp| beyond the smallest, milliseconds, of a run whose journal is watched."""
    journal = JournalWriter(path)
    for event in _opening()[:1]:
        journal(event)
    stamps: list[int] = []

    def note(event: AnyEvent) -> None:
        if isinstance(event, Chunk):
            stamps.append(event.t_ns)

    with _watchers(path, watchers):
        time.sleep(2.0 if watchers else 0.0)
        plan = Plan([Send(_GAP_US * (n + 1), "content", "word ", 1) for n in range(_CHUNKS)])
        _, truth = server.run(plan, journal, note)
    journal.close()
    delays = [stamp - sent for stamp, (_, _, sent) in zip(stamps, truth.texts, strict=True)]
    return [(delay - min(delays)) / 1e6 for delay in delays]
