"""The real screen in a pseudo-terminal: keys in, every read of its output kept with its time, processor time and memory from the system."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import signal
import struct
import sys
import termios
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pyte

from sparktui.core.events import AnyEvent
from sparktui.io.store.journal import read_journal
from tests.perf.bench import ROOT

WIDTH, HEIGHT = 120, 36


class Screen:
    """`reads`: (seconds of the monotonic clock, bytes). `emulate` feeds a terminal emulator too, which costs time of the measuring side."""

    def __init__(self, pid: int, fd: int, data: Path, *, emulate: bool) -> None:
        self.pid = pid
        self.data = data
        self.reads: list[tuple[float, bytes]] = []
        self.process = psutil.Process(pid)
        self._fd = fd
        self._terminal = pyte.Screen(WIDTH, HEIGHT) if emulate else None
        self._stream = pyte.ByteStream(self._terminal) if self._terminal is not None else None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def keys(self, keys: bytes) -> float:
        """Type; returns when."""
        now = time.perf_counter()
        os.write(self._fd, keys)
        return now

    def resize(self, width: int, height: int) -> None:
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        os.kill(self.pid, signal.SIGWINCH)

    def rows(self) -> list[str]:
        """What the emulated terminal shows."""
        assert self._terminal is not None
        with self._lock:
            return list(self._terminal.display)

    def until(self, holds: Callable[[], bool], within_s: float = 30.0, step_s: float = 0.002) -> float:
        """Wait until it holds; returns when. Raises TimeoutError."""
        deadline = time.perf_counter() + within_s
        while not holds():
            if time.perf_counter() > deadline:
                raise TimeoutError("the screen never got there")
            time.sleep(step_s)
        return time.perf_counter()

    def bytes_between(self, start: float, end: float) -> tuple[int, int]:
        """Bytes written between two times, plain and as a compressing line (ssh -C) would carry them."""
        squeeze = zlib.compressobj(6)
        plain = small = 0
        for when, data in list(self.reads):
            part = squeeze.compress(data) + squeeze.flush(zlib.Z_SYNC_FLUSH)
            if start <= when <= end:
                plain += len(data)
                small += len(part)
        return plain, small

    def cpu_s(self) -> float:
        """Processor seconds of the screen's own process so far."""
        times = self.process.cpu_times()
        return times.user + times.system

    def events(self) -> list[AnyEvent]:
        """What its worker has journalled so far."""
        journals = sorted((self.data / "journals").glob("*.jsonl"))
        return list(read_journal(journals[-1])) if journals else []

    def close(self) -> int:
        """Quit as a user does; returns the exit code."""
        for key in (b"q", b"q"):
            with contextlib.suppress(OSError):
                os.write(self._fd, key)
            time.sleep(0.3)
        deadline = time.monotonic() + 8
        while time.monotonic() < deadline:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.05)
        os.kill(self.pid, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._fd, 65536)
            except OSError:
                return
            if not data:
                return
            self.reads.append((time.perf_counter(), data))
            if self._stream is not None:
                with self._lock:
                    self._stream.feed(data)


@contextlib.contextmanager
def screen(
    data: Path, prompts: Mapping[str, Mapping[str, Any]], url: str | None, *, emulate: bool = False, options: tuple[str, ...] = ()
) -> Iterator[Screen]:
    """The screen against the server at `url` (None: the demo). `prompts`: name → the plan that its requests carry."""
    data.mkdir(parents=True, exist_ok=True)
    config = data / "config.yml"
    settings = {
        "server": {"base_url": url, "kind": "openai", "model": "truth"} if url else {},
        "defaults": {"max_tokens": 100000},
        "prompts": {name: {"text": "hello", "params": {"plan": plan}} for name, plan in prompts.items()},
    }
    config.write_text(json.dumps(settings, ensure_ascii=False), encoding="utf-8")
    argv = [sys.executable, "-m", "sparktui", "--config", str(config), *options, *([] if url else ["--demo"])]
    with _on_a_terminal(argv, data, emulate=emulate) as shown:
        yield shown


_SMALLEST = """
from textual.app import App
from textual.widgets import Static

class Smallest(App):
    BINDINGS = [("q", "quit", "")]

    def compose(self):
        yield Static("nothing else")

Smallest().run()
"""


@contextlib.contextmanager
def smallest_app(data: Path) -> Iterator[Screen]:
    """A Textual app of one line ("nothing else"): what no app made with it can be quicker than."""
    data.mkdir(parents=True, exist_ok=True)
    with _on_a_terminal([sys.executable, "-c", _SMALLEST], data, emulate=False) as shown:
        yield shown


@contextlib.contextmanager
def _on_a_terminal(argv: list[str], data: Path, *, emulate: bool) -> Iterator[Screen]:
    env = {**os.environ, "TERM": "xterm-256color", "SPARKTUI_DATA_DIR": str(data), "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}
    # over ssh the terminal's colours are not told; and a user's Python keeps its compiled modules
    for name in ("COLORTERM", "PYTHONDONTWRITEBYTECODE"):
        env.pop(name, None)
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(argv[0], argv, env)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
    shown = Screen(pid, fd, data, emulate=emulate)
    try:
        yield shown
    finally:
        shown.close()
        os.close(fd)
