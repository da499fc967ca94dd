"""One request in flight, as its caller and the sockets that carry it both see it."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol


class Sent(NamedTuple):
    """A request has been written. `connect_s`: what connecting for it took, 0 when a connection was ready.

    `again`: why it was written once more, "" the first time.
    """

    t_send_ns: int
    connect_s: float
    again: str = ""


class Stop(Protocol):
    """A request to stop: what engine.cancel.Cancel offers."""

    def is_set(self) -> bool: ...

    def on_set(self, callback: Callable[[], None]) -> Callable[[], None]: ...


class Exchange:
    """Stamps and limits of one request. Times are `time.perf_counter_ns`.

    `begun_ns`: when it was asked for. `t_send_ns`: just before the first byte of the request was written.
    `received`: response bytes so far. `reused`: it went over a connection that may have gone stale meanwhile.
    `on_sent` is called once the request is written, before anything is read.
    """

    def __init__(
        self,
        *,
        stop: Stop | None = None,
        deadline_ns: int | None = None,
        on_sent: Callable[[Sent], None] | None = None,
        again: str = "",
    ) -> None:
        self.begun_ns = time.perf_counter_ns()
        self.t_send_ns = 0
        self.received = 0
        self.reused = False
        self.stopped = False
        self._deadline_ns = deadline_ns
        self._stop = stop
        self._on_sent = on_sent
        self._again = again
        self._socket: socket.socket | None = None
        self._lock = threading.RLock()

    def remaining_s(self, limit_s: float | None) -> float | None:
        """The time a wait may take: `limit_s`, or what the deadline leaves of it; None = no limit."""
        if self._deadline_ns is None:
            return limit_s
        left = max(0.0, (self._deadline_ns - time.perf_counter_ns()) / 1e9)
        return left if limit_s is None else min(limit_s, left)

    def carried_by(self, sock: socket.socket) -> None:
        """From now on a stop shuts this socket down."""
        with self._lock:
            self._socket = sock
            if self.stopped:
                shut(sock)

    @property
    def connect_s(self) -> float:
        """What connecting took before the request could be sent; 0 over a connection that was there."""
        return 0.0 if self.reused or not self.t_send_ns else (self.t_send_ns - self.begun_ns) / 1e9

    def sent(self) -> None:
        """The request is written. Calls `on_sent`, once."""
        callback, self._on_sent = self._on_sent, None
        if callback is not None:
            callback(Sent(self.t_send_ns, self.connect_s, self._again))

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Make this the calling thread's exchange; while it lasts, a stop ends whatever the thread waits for."""
        before = getattr(_thread, "exchange", None)
        _thread.exchange = self
        forget = self._stop.on_set(self._shut_down) if self._stop is not None else None
        try:
            yield
        finally:
            _thread.exchange = before
            if forget is not None:
                forget()
            with self._lock:
                self._socket = None

    def _shut_down(self) -> None:
        with self._lock:
            self.stopped = True
            if self._socket is not None:
                shut(self._socket)


_thread = threading.local()


def current_exchange() -> Exchange | None:
    """The exchange that the calling thread runs, if any."""
    exchange: Exchange | None = getattr(_thread, "exchange", None)
    return exchange


def shut(sock: socket.socket) -> None:
    """End both directions at once, so that a thread that waits for this socket wakes. TLS says no goodbye."""
    # already closed or never connected: nobody waits for it
    with contextlib.suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
