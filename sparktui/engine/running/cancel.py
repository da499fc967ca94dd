"""A request to stop that also wakes whoever waits: closing a socket, ending a sleep."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Cancel:
    """Set once, from any thread. Callbacks run at once in the thread that sets it (or that registers too late)."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    def set(self) -> None:
        with self._lock:
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Sleep up to `seconds`; True as soon as it is set."""
        return self._event.wait(seconds)

    def on_set(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` when set. Returns a function that takes it back."""
        with self._lock:
            if not self._event.is_set():
                self._callbacks.append(callback)
                return lambda: self._forget(callback)
        callback()
        return lambda: None

    def _forget(self, callback: Callable[[], None]) -> None:
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)
