"""The newest records of a log, and how many there were in all. Pure; O(1) per event: what came in a burst is read when it is looked at."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from sparktui.core.events import LogLine
from sparktui.core.log.logrecord import LogRecord


class LogRing:
    """Keeps the newest `most` records. `count`: all that came."""

    def __init__(self, most: int) -> None:
        self.count = 0
        self._most = most
        self._records: deque[LogRecord] = deque(maxlen=most)
        self._unread: deque[LogLine] = deque()
        self._unread_count = 0

    def add(self, event: LogLine) -> None:
        """Take in an event; those that nobody looked at and that are out of the ring by now are let go."""
        self._unread.append(event)
        self._unread_count += event.count
        self.count += event.count
        while self._unread_count - self._unread[0].count >= self._most:
            self._unread_count -= self._unread.popleft().count

    def begin(self) -> None:
        """Another log, whose numbers begin again: the records of the old one go, the count stays."""
        self._records.clear()
        self._unread.clear()
        self._unread_count = 0

    def __len__(self) -> int:
        return min(self._most, len(self._records) + self._unread_count)

    @property
    def records(self) -> Sequence[LogRecord]:
        """The oldest first."""
        for event in self._unread:
            self._records.extend(event.newest(self._most))
        self._unread.clear()
        self._unread_count = 0
        return self._records
