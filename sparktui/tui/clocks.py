"""The worker's monotonic clock as seen from here: stamps are its own, counting seconds on the screen needs its now. Pure."""

from __future__ import annotations


class WorkerClock:
    """The offset between two clocks, from events that arrive: their stamps are never later than the worker's now."""

    def __init__(self) -> None:
        self._offset_ns: int | None = None

    def see(self, t_ns: int, here_ns: int) -> None:
        """An event stamped `t_ns` arrived at `here_ns`."""
        if t_ns and (self._offset_ns is None or t_ns - here_ns > self._offset_ns):
            self._offset_ns = t_ns - here_ns

    def now(self, here_ns: int) -> int:
        """The worker's now at `here_ns`; before any event the same as here."""
        return here_ns + (self._offset_ns or 0)

    def forget(self) -> None:
        """Another worker, another clock."""
        self._offset_ns = None
