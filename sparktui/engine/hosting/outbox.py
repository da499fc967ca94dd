"""Events on their way to a reader that may be slow, stopped or gone: an unbounded queue and a writer thread that batches at 60 Hz."""

from __future__ import annotations

import collections
import os
import threading
from collections.abc import Callable, Iterable

from sparktui.core.events import AnyEvent, encode_event
from sparktui.core.slim import for_screen

_BATCH_S = 1 / 60


class Outbox:
    """A sink that never blocks its caller. Writes whole lines to `fd`; when the reader is gone it keeps accepting and drops.

    `before` is called in the writer's thread: what it yields is written first, and what of it was handed over meanwhile is not repeated.
    """

    def __init__(self, fd: int, batch_s: float = _BATCH_S, *, before: Callable[[], Iterable[AnyEvent]] | None = None) -> None:
        self._fd = fd
        self._batch_s = batch_s
        self._queue: collections.deque[AnyEvent] = collections.deque()
        self._ready = threading.Event()
        self._closing = threading.Event()
        self._before = before
        self._told_seq = 0
        self.broken = False
        self._thread = threading.Thread(target=self._run, name="outbox", daemon=True)
        self._thread.start()

    def __call__(self, event: AnyEvent) -> None:
        if not self.broken:
            self._queue.append(event)
            self._ready.set()

    def close(self, timeout_s: float = 2.0) -> bool:
        """Write what is queued and stop. False when the reader did not take it in time."""
        self._closing.set()
        self._ready.set()
        self._thread.join(timeout_s)
        return not self._thread.is_alive() and not self._queue

    def abandon(self) -> None:
        """Drop what is queued and take no more; nobody waits for a writer that is stuck."""
        self.broken = True
        self._queue.clear()
        self._closing.set()
        self._ready.set()

    def _run(self) -> None:
        if self._before is not None:
            for event in self._before():
                self._told_seq = max(self._told_seq, event.seq)
                self._write_all(encode_event(for_screen(event)) + b"\n")
        while not (self._closing.is_set() and not self._queue) and not self.broken:
            self._ready.wait()
            self._ready.clear()
            self._write_all(self._take())
            # pause after writing, so that a lone event leaves at once and a flood leaves in frames
            self._closing.wait(self._batch_s)

    def _take(self) -> bytes:
        lines = []
        while self._queue:
            event = self._queue.popleft()
            if not 0 < event.seq <= self._told_seq:
                lines.append(encode_event(for_screen(event)))
        return b"\n".join([*lines, b""]) if lines else b""

    def _write_all(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError:
            self.broken = True
            self._queue.clear()
