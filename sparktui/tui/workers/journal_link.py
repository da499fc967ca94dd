"""A link to a journal that another process writes: everything so far at once, then live, then how its writer ended. Nothing is sent."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

from sparktui.core.commands import AnyCommand
from sparktui.core.events import AnyEvent, Bye, ErrorEvent, Hello, RunDone, RunStarted
from sparktui.errors import StorageError
from sparktui.io.store.journal import JournalTail, is_written
from sparktui.io.store.recovery import recover

End = Literal["", "ended", "killed"]

# an event loop must not stand still while a large journal is taken in
_MOST_BYTES = 4 << 20
_ALIVE_EVERY_NS = 300_000_000


class JournalLink:
    """Read-only. `end` is "" while the writer lives, then ended (it said goodbye, `reason` says why) or killed.

    A killed session's unfinished runs are ended as `cut_off`, with what had arrived. `clock_ns` is this machine's monotonic clock.
    """

    def __init__(self, path: Path, clock_ns: Callable[[], int] = time.perf_counter_ns) -> None:
        self.path = path
        self.end: End = ""
        self.reason = ""
        self.hello: Hello | None = None
        self.last_ns = 0
        self.caught_up = False
        self._tail = JournalTail(path)
        self._clock_ns = clock_ns
        self._asked_ns: int | None = None
        self._running: set[str] = set()
        self._bye: Bye | None = None

    @property
    def state(self) -> str:
        return "down" if self.end else "up"

    @property
    def same_clock(self) -> bool:
        """Whether stamps are of this machine's own clock, which all its processes share."""
        return self.hello is not None and self.hello.host == socket.gethostname()

    def events(self) -> list[AnyEvent]:
        """What was written since the last call; once the writer is gone also how it ended."""
        if self.end:
            return []
        try:
            batch = self._read()
            if self._bye is not None and self.caught_up:
                self.end, self.reason = "ended", self._bye.reason
            if self.end or batch or not self._due() or is_written(self.path):
                return batch
            # what was written between the read above and the end
            last = self._read()
            return [*last, *([] if last else self._killed())]
        except StorageError as error:
            self.end, self.reason = "killed", error.title
            return [ErrorEvent(title=error.title)]

    def send(self, command: AnyCommand) -> int:
        """Nobody is there to answer."""
        return 0

    def close(self) -> int | None:
        return None

    def _read(self) -> list[AnyEvent]:
        before = self._tail.offset
        batch = self._tail.read_new(_MOST_BYTES)
        self.caught_up = self._tail.offset - before < _MOST_BYTES
        self._note(batch)
        return batch

    def _note(self, batch: Iterable[AnyEvent]) -> None:
        for event in batch:
            self.last_ns = max(self.last_ns, event.t_ns)
            if isinstance(event, Hello):
                self.hello, self._bye = event, None
            elif isinstance(event, RunStarted):
                self._running.add(event.run_id)
            elif isinstance(event, RunDone):
                self._running.discard(event.run_id)
            elif isinstance(event, Bye):
                self._bye = event

    def _due(self) -> bool:
        """Whether to ask again if the writer lives: every 0.3 s while there is no news."""
        now_ns = self._clock_ns()
        if self._asked_ns is not None and now_ns - self._asked_ns < _ALIVE_EVERY_NS:
            return False
        self._asked_ns = now_ns
        return True

    def _killed(self) -> list[AnyEvent]:
        """The ends of the runs that were in flight, as the history will get them."""
        self.end, self.reason = "killed", "its process ended without a goodbye"
        if not self._running:
            return []
        return [
            RunDone(run_id=record.id, status=record.status, record=record, error=record.error, t_ns=self.last_ns)
            for record in recover(self.path)
            if record.id in self._running
        ]
