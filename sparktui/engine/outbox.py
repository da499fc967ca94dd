"""Events on their way to a reader that may be slow, stopped or gone: an unbounded queue and a writer thread that batches at 60 Hz."""

from __future__ import annotations

import collections
import os
import threading

from sparktui.core.events import AnyEvent, encode_event

_BATCH_S = 1 / 60


class Outbox:
    """A sink that never blocks its caller. Writes whole lines to `fd`; when the reader is gone it keeps accepting and drops."""

    def __init__(self, fd: int, batch_s: float = _BATCH_S) -> None:
        self._fd = fd
        self._batch_s = batch_s
        self._queue: collections.deque[AnyEvent] = collections.deque()
        self._ready = threading.Event()
        self._closing = threading.Event()
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

    def _run(self) -> None:
        while not (self._closing.is_set() and not self._queue) and not self.broken:
            self._ready.wait()
            self._ready.clear()
            self._write_all(self._take())
            # pause after writing, so that a lone event leaves at once and a flood leaves in frames
            self._closing.wait(self._batch_s)

    def _take(self) -> bytes:
        lines = []
        while self._queue:
            lines.append(encode_event(self._queue.popleft()))
        return b"\n".join([*lines, b""])

    def _write_all(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError:
            self.broken = True
            self._queue.clear()
