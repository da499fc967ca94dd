"""Memory of the graphics cards by nvidia-smi, where there is one and it knows: unified-memory machines print [N/A]."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections.abc import Callable, Sequence

from sparktui.core.records import GpuMemory

ARGV = ("nvidia-smi", "--query-gpu=memory.used,memory.total", "--format=csv,noheader,nounits")
LIMIT_S = 2.0
_EVERY_S = 5.0
_MIB = 1024**2
_LINE = re.compile(r"\s*(\d+)\s*(?:MiB)?\s*,\s*(\d+)\s*(?:MiB)?\s*")


def parse_gpus(text: str) -> tuple[GpuMemory, ...]:
    """One card a line, `used, total` in MiB with or without the unit; () where any line says something else ([N/A], an error)."""
    matches = [_LINE.fullmatch(line) for line in text.splitlines() if line.strip()]
    cards = [GpuMemory(used=int(match[1]) * _MIB, total=int(match[2]) * _MIB) for match in matches if match is not None]
    return tuple(cards) if len(cards) == len(matches) and all(card.total for card in cards) else ()


class GpuSampler:
    """Called, it gives the newest reading at once, () where there is none; nvidia-smi itself runs in a thread, every 5 s at most.

    It is not asked again once it was missing, took longer than 2 s, failed, or knew nothing.
    """

    def __init__(
        self,
        argv: Sequence[str] = ARGV,
        *,
        every_s: float = _EVERY_S,
        limit_s: float = LIMIT_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._argv = tuple(argv)
        self._every_s = every_s
        self._limit_s = limit_s
        self._clock = clock
        self._newest: tuple[GpuMemory, ...] = ()
        self._asked_s: float | None = None
        self._off = False
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def __call__(self) -> tuple[GpuMemory, ...]:
        with self._lock:
            due = self._asked_s is None or self._clock() - self._asked_s >= self._every_s
            if due and not self._off and (self._thread is None or not self._thread.is_alive()):
                self._asked_s = self._clock()
                self._thread = threading.Thread(target=self._look, name="gpu", daemon=True)
                self._thread.start()
            return self._newest

    @property
    def off(self) -> bool:
        """Whether nvidia-smi has been given up."""
        return self._off

    def _look(self) -> None:
        found = parse_gpus(said) if (said := _output(self._argv, self._limit_s)) is not None else ()
        with self._lock:
            self._newest = found
            self._off = not found


def _output(argv: Sequence[str], limit_s: float) -> str | None:
    """What a command prints; None where it cannot run, fails, or does not end in time (then it is killed and not waited for)."""
    try:
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
    except OSError:
        return None
    try:
        said, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        # a driver that hangs does not let its callers die either: waiting for the end could take for ever
        process.kill()
        if process.stdout is not None:
            process.stdout.close()
        return None
    return said.decode("utf-8", "replace") if process.returncode == 0 else None
