"""A log source run in a thread of its own, and what it has put so far."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sparktui.io.log.logsource import Data, Item, LogSource, Status


class Running:
    def __init__(self, source: LogSource) -> None:
        self.items: list[Item] = []
        self.stop = threading.Event()
        self.thread = threading.Thread(target=source.run, args=(self.items.append, self.stop), daemon=True)
        self.thread.start()

    def text(self, channel: str | None = None) -> bytes:
        return b"".join(item.data for item in list(self.items) if isinstance(item, Data) and channel in (None, item.channel))

    def states(self) -> list[str]:
        return [item.state for item in list(self.items) if isinstance(item, Status)]

    def until(self, condition: Callable[[], bool], seconds: float = 5.0) -> bool:
        """Wait for something that takes milliseconds, with room for a busy machine."""
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            if condition():
                return True
            time.sleep(0.005)
        return condition()


@contextmanager
def running(source: LogSource) -> Iterator[Running]:
    one = Running(source)
    try:
        yield one
    finally:
        one.stop.set()
        one.thread.join(5)
        assert not one.thread.is_alive()
