"""How soon a command does something."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from statistics import median

from tests.perf.bench import ROOT, Row, truth_server

_TIMES = 7


def start() -> Iterator[Row]:
    """`--version`, and a bench from its start to the first byte of its first request at the server."""
    command = [sys.executable, "-m", "sparktui", "--version"]
    version_s = []
    for _ in range(_TIMES):
        begin = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        version_s.append(time.perf_counter() - begin)
    yield _row("--version", version_s, 0.1)
    first_s, prompt_s = [], []
    for _ in range(_TIMES):
        any_s, post_s = _bench_start()
        first_s.append(any_s)
        prompt_s.append(post_s)
    yield _row("bench, start to the first request on the wire", first_s, 0.4)
    yield _row("bench, start to the first prompt on the wire", prompt_s, 0.4)


def _bench_start() -> tuple[float, float]:
    """Seconds to the first request of any kind, and to the first prompt."""
    options = ["--kind", "openai", "--prompt", "hello", "--temps", "0", "--runs", "1", "--warmup", "0", "--no-history"]
    with truth_server() as server:
        begin_ns = time.perf_counter_ns()
        command = [sys.executable, "-m", "sparktui", "bench", "--base-url", server.url, *options]
        done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise RuntimeError(f"the bench ended with {done.returncode}: {done.stderr[-500:]}")
        stamps = server.told()["first_byte_ns"]
    return (stamps["any"] - begin_ns) / 1e9, (stamps["POST"] - begin_ns) / 1e9


def _row(figure: str, seconds: list[float], limit_s: float) -> Row:
    middle = median(seconds)
    return Row(figure, f"{middle:.3f} s (best {min(seconds):.3f}, worst {max(seconds):.3f})", f"≤ {limit_s:g} s", middle <= limit_s)
