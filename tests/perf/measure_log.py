"""The log's way from write() to a record in the worker's events: latency, bursts, opening, parsing, idling."""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from sparktui.core.stats.statistics import percentile
from sparktui.io.log.logsource import Data
from sparktui.io.log.logtail import FileTail
from sparktui.servers.grammar import LogReader
from tests.perf.bench import ROOT, Row, truth_server

_STAMP = b"2026-11-30 18:06:50.971 | INFO     | "
_PLAIN = _STAMP + b"%07d a record of a length that is usual in the log of a server that works\n"
_METRICS = _STAMP + (
    b"Metrics (ID: %032x): 794 tokens generated in 26.86 seconds (Queue: 0.0 s, Process: 0 cached tokens and 36 new tokens at "
    b"900.0 T/s, Generate: 29.6 T/s, Context: 36 tokens, Draft: 311 / 533 tokens accepted (58.35%%)) \n"
)
_BURST_LINES = 100_000
_BURST_S = 2.0


class Child:
    """A process that follows a log (tests.perf.logchild)."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.begun = self._read()

    def ask(self, word: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found


@contextlib.contextmanager
def following(log: Path, *options: str) -> Iterator[Child]:
    command = [sys.executable, "-m", "tests.perf.logchild", str(log), *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            yield Child(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(10)


@contextlib.contextmanager
def new_log() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "tabby.log"
        log.touch()
        yield log


def latency(lines: int = 120) -> Iterator[Row]:
    """write() to the event, lines at random moments, with the kernel's change events and without."""
    for name, options, p50_ms, p99_ms in (("inotify", (), 25, 60), ("no inotify", ("--no-events",), 150, 300)):
        with new_log() as log, following(log, *options) as child, log.open("ab", buffering=0) as file:
            written = []
            for number in range(lines):
                time.sleep(0.03 + random.random() * (0.03 if not options else 0.3))
                written.append(time.perf_counter_ns())
                file.write(_METRICS % number)
            time.sleep(0.6)
            stamps = child.ask("stamps")["stamps"]
        lags = [(seen - sent) / 1e6 for seen, sent in zip(stamps, written, strict=True)]
        for share, limit in ((50, p50_ms), (99, p99_ms)):
            value = percentile(lags, share) or 0.0
            yield Row(f"write() to the record, {name}, p{share}", f"{value:.1f} ms", f"≤ {limit} ms", value <= limit)


def idle(seconds: float = 10.0) -> Iterator[Row]:
    """CPU of the process while nothing is written."""
    with new_log() as log, following(log) as child:
        time.sleep(1.0)
        before = child.ask("cost")["cpu_s"]
        time.sleep(seconds)
        share = (child.ask("cost")["cpu_s"] - before) / seconds
    yield Row("log idle, CPU", f"{share:.2%}", "≤ 0.5 %", share <= 0.005)


def opening() -> Iterator[Row]:
    """A 1 GB log: time until its last lines are read, and memory that takes."""
    import psutil

    block = b"".join(_PLAIN % number for number in range(12_000))
    with new_log() as log:
        with log.open("wb") as file:
            while file.tell() < 1 << 30:
                file.write(block)
        before = psutil.Process().memory_info().rss
        began = time.perf_counter()
        tail, reader = FileTail(log), LogReader()
        items, _ = tail.poll()
        records = [record for item in items if isinstance(item, Data) for record in reader.feed(item.data)]
        took = time.perf_counter() - began
        grown = psutil.Process().memory_info().rss - before
        tail.close()
    fine = took <= 0.030 and len(records) > 2000
    yield Row("opening a 1 GB log", f"{took * 1e3:.1f} ms, {len(records):,} records of its end", "≤ 30 ms", fine)
    yield Row("opening a 1 GB log, memory", f"{grown / 1e6:+.1f} MB", "≤ 20 MB", grown <= 20e6)


def burst() -> Iterator[Row]:
    """100,000 lines in 2 s, while a stream runs in the same process."""
    with truth_server() as server, new_log() as log, following(log, "--truth", str(server.port)) as child:
        quiet = _errors_ms(child.ask("stream"))
        with ThreadPoolExecutor(1) as pool:
            stream = pool.submit(child.ask, "stream")
            time.sleep(0.3)
            written = _write_burst(log)
            busy = _errors_ms(stream.result())
        time.sleep(0.3)
        stamps = child.ask("stamps")["stamps"]
    with new_log() as log, following(log) as child:
        before = child.ask("cost")
        _write_burst(log)
        time.sleep(0.5)
        cost = child.ask("cost")
    lags = [(seen - sent) / 1e6 for seen, sent in zip(stamps, written, strict=False)]
    share = (cost["cpu_s"] - before["cpu_s"]) / _BURST_S
    worst = max(lags)
    yield Row("burst of 100,000 lines in 2 s: seen", f"{len(stamps):,}", "100,000", len(stamps) == _BURST_LINES)
    yield Row("burst: lag, worst", f"{worst:.0f} ms", "≤ 150 ms", worst <= 150)
    yield Row("burst: CPU", f"{share:.1%} of one core over the 2 s", "≤ 15 %", share <= 0.15)
    p99 = percentile(busy, 99) or 0.0
    yield Row("burst: stamps of a stream meanwhile, p99", f"{p99:.2f} ms (quiet: {percentile(quiet, 99):.2f} ms)", "≤ 1 ms", p99 <= 1.0)


def _write_burst(log: Path) -> list[int]:
    """Lines written in 10 ms steps; when each was."""
    steps = int(_BURST_S / 0.01)
    each = _BURST_LINES // steps
    blocks = [b"".join(_PLAIN % (step * each + number) for number in range(each)) for step in range(steps)]
    written = []
    began = time.perf_counter()
    fd = os.open(log, os.O_WRONLY | os.O_APPEND)
    for step, block in enumerate(blocks):
        os.write(fd, block)
        written += [time.perf_counter_ns()] * each
        time.sleep(max(0.0, began + (step + 1) * 0.01 - time.perf_counter()))
    os.close(fd)
    return written


def _errors_ms(told: dict[str, Any]) -> list[float]:
    return [(seen - sent) / 1e6 for seen, sent in zip(told["seen"], told["sent"], strict=True)]


def parsing() -> Iterator[Row]:
    """Bytes to records, in 64 KB pieces. The best of many short rounds: what the code can do when nothing else takes the core."""
    log = (ROOT / "tests/fixtures/tabbyapi-e632af4/logs/console-pipe-80col-draft.log").read_bytes()
    lines = log[log.rindex(b"\n", 0, log.index(b"Metrics (ID")) + 1 :].splitlines(keepends=True)
    console = b"".join(lines[:4])
    for name, line, limit in (
        ("plain lines, file log", _PLAIN.replace(b"%07d", b"x"), 200_000),
        ("plain lines, console", _PLAIN.replace(b"%07d", b"x").replace(b"| INFO     | ", b"INFO:     "), 200_000),
        ("metrics records, file log", _METRICS % 7, 50_000),
        ("metrics records wrapped at 80 columns", console, 50_000),
    ):
        speed = max(_speed(line * 2_000, 2_000) for _ in range(100))
        yield Row(f"parsing, {name}", f"{speed:,.0f} /s", f"≥ {limit:,}", speed >= limit)


def _speed(data: bytes, records: int) -> float:
    reader = LogReader()
    began = time.perf_counter()
    for start in range(0, len(data), 65_536):
        reader.feed(data[start : start + 65_536])
    reader.quiet()
    took = time.perf_counter() - began
    if reader.seen != records:
        raise RuntimeError(f"{reader.seen} records for {records}")
    return records / took


def memory() -> Iterator[Row]:
    """What following keeps of a million lines that went by."""
    import psutil

    data = b"".join(_PLAIN % number for number in range(10_000))
    reader = LogReader()
    reader.feed(data)
    before = psutil.Process().memory_info().rss
    for _ in range(100):
        reader.feed(data)
    grown = psutil.Process().memory_info().rss - before
    fine = reader.seen == 1_010_000 and grown < 5e6
    yield Row("reader's memory after a million lines more", f"{grown / 1e6:+.1f} MB, {reader.seen:,} counted", "bounded", fine)
