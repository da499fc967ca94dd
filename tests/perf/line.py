"""A terminal at the end of a slow line: the real program in a pty, its output held back as such a line would, and read by an emulator."""

from __future__ import annotations

import fcntl
import os
import pty
import queue
import signal
import struct
import sys
import termios
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyte

ROOT = Path(__file__).parents[2]
_WHOLE_S = 0.01


@dataclass(frozen=True)
class Line:
    """`rate` in bytes a second towards the screen, `delay_s` each way, `window` bytes on their way before the writer has to wait."""

    rate: float = 64_000
    delay_s: float = 0.15
    window: int = 1 << 30


class SlowTerminal:
    """Runs `sparktui ARGS` on a screen of `columns` × `rows`. `looked` is called after every piece that arrived."""

    def __init__(
        self,
        args: list[str],
        env: Mapping[str, str],
        line: Line,
        looked: Callable[[SlowTerminal], None] = lambda terminal: None,
        *,
        columns: int = 120,
        rows: int = 36,
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self.bytes_in = 0
        self._stream = pyte.ByteStream(self.screen)
        self._line = line
        self._looked = looked
        self._pieces: queue.SimpleQueue[tuple[float, bytes] | None] = queue.SimpleQueue()
        self._on_the_way = 0
        self._room = threading.Condition()
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execve(sys.executable, [sys.executable, "-m", "sparktui", *args], {**env, "PYTHONPATH": str(ROOT)})
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._deliver)]
        for thread in self._threads:
            thread.start()

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def press(self, keys: str) -> None:
        """They arrive there after the line's delay."""
        threading.Timer(self._line.delay_s, os.write, (self._fd, keys.encode())).start()

    def wait(self, wanted: Callable[[str], bool], limit_s: float = 20.0) -> float:
        """Until the screen shows it; the seconds that took. Raises TimeoutError with the screen."""
        began = time.monotonic()
        while not wanted(self.text):
            if time.monotonic() - began > limit_s:
                raise TimeoutError(self.text)
            time.sleep(_WHOLE_S)
        return time.monotonic() - began

    def close(self, number: signal.Signals = signal.SIGTERM) -> None:
        """End the program by a signal and wait for it."""
        os.kill(self.pid, number)
        os.waitpid(self.pid, 0)
        for thread in self._threads:
            thread.join(10)
        os.close(self._fd)

    def _read(self) -> None:
        while True:
            with self._room:
                self._room.wait_for(lambda: self._on_the_way < self._line.window)
            try:
                piece = os.read(self._fd, 1024)
            except OSError:
                piece = b""
            if not piece:
                self._pieces.put(None)
                return
            with self._room:
                self._on_the_way += len(piece)
            self._pieces.put((time.monotonic(), piece))

    def _deliver(self) -> None:
        free = 0.0
        while (item := self._pieces.get()) is not None:
            written, piece = item
            free = max(free, written) + len(piece) / self._line.rate
            time.sleep(max(0.0, free - time.monotonic()))
            with self._room:
                self._on_the_way -= len(piece)
                self._room.notify_all()
            time.sleep(max(0.0, free + self._line.delay_s - time.monotonic()))
            self.bytes_in += len(piece)
            self._stream.feed(piece)
            self._looked(self)
