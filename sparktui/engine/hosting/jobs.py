"""One thing measured at a time: jobs wait in line, the one in flight can be cancelled, and none of them can take the worker down."""

from __future__ import annotations

import collections
import threading
from collections.abc import Callable

from sparktui.engine.running.cancel import Cancel

Work = Callable[[Cancel], None]


class JobQueue:
    """Runs `Work` in one thread, in order. `on_crash` hears of an exception that a job let out; the line goes on.

    A plan (bench, sweep) is one job: cancelling its current run is the plan's own affair, cancelling the job ends it.
    """

    def __init__(self, on_crash: Callable[[BaseException], None]) -> None:
        self._on_crash = on_crash
        self._line: collections.deque[Work] = collections.deque()
        self._wake = threading.Condition()
        self._current: Cancel | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)
        self._thread.start()

    def submit(self, work: Work) -> int:
        """Put `work` in line; how many are before it (0 = it starts at once)."""
        with self._wake:
            before = len(self._line) + (self._current is not None)
            self._line.append(work)
            self._wake.notify()
            return before

    def cancel_current(self) -> bool:
        """Cancel the job in flight. False when there is none."""
        with self._wake:
            current = self._current
        if current is None:
            return False
        current.set()
        return True

    def cancel_all(self) -> int:
        """Empty the line and cancel the job in flight; how many jobs that stopped."""
        with self._wake:
            dropped = len(self._line)
            self._line.clear()
        return dropped + self.cancel_current()

    @property
    def busy(self) -> bool:
        with self._wake:
            return self._current is not None or bool(self._line)

    def close(self, timeout_s: float) -> bool:
        """Cancel everything and wait for the job in flight to save what arrived. False when it did not end in time."""
        self.cancel_all()
        with self._wake:
            self._closing = True
            self._wake.notify()
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while True:
            with self._wake:
                while not self._line and not self._closing:
                    self._wake.wait()
                if not self._line:
                    return
                work = self._line.popleft()
                cancel = self._current = Cancel()
            try:
                work(cancel)
            except BaseException as error:  # noqa: BLE001 - the border of a job: told, never fatal to the line
                self._on_crash(error)
            finally:
                with self._wake:
                    self._current = None
