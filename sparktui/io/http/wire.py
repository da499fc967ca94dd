"""The socket under httpx: stamps every read before anyone parses it, sees what was already waiting, and can be shut from another thread."""

from __future__ import annotations

import select
import socket
import ssl
import time
from typing import Any

import httpcore

from sparktui.io.http.exchange import Exchange, current_exchange
from sparktui.io.http.frames import FrameJoiner

READ_BYTES = 64 * 1024
_WOULD_BLOCK = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class ConnectFailed(httpcore.ConnectError):
    """No connection. `cause` is the OSError or SSLError behind it."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class WireStream(httpcore.NetworkStream):
    """One non-blocking socket.

    `read_ns`: stamp of the newest read (`time.perf_counter_ns`), taken before its bytes are looked at.
    `late_ns`: how long the oldest byte of that read may have waited before: the time since the receive buffer was last known empty.
    `silence_s`: the longest wait for a read, in place of the caller's; None = as the caller says.
    """

    def __init__(self, sock: socket.socket, *, may_be_stale: bool = False) -> None:
        self._sock = sock
        self._poll = select.poll()
        self._poll.register(sock, select.POLLIN)
        self._joiner = FrameJoiner()
        self._exchange: Exchange | None = None
        self._writing = False
        self._used = may_be_stale
        self._empty_ns = 0
        self._short_means_empty = not isinstance(sock, ssl.SSLSocket)
        self.read_ns = 0
        self.late_ns = 0
        self.silence_s: float | None = None

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of `buffer`; the first write after a read begins a new request."""
        if not self._writing:
            self._begin(buffer)
        view = memoryview(buffer)
        try:
            while view:
                try:
                    view = view[self._sock.send(view) :]
                except _WOULD_BLOCK as block:
                    self._wait_to_write(block, timeout)
        except TimeoutError as error:
            raise httpcore.WriteTimeout("the request could not be written in time") from error
        except OSError as error:
            raise httpcore.WriteError(str(error)) from error
        self._empty_ns = time.perf_counter_ns()

    def _begin(self, buffer: bytes) -> None:
        self._writing = True
        self._joiner = FrameJoiner()
        self.silence_s = None
        self._exchange = None if buffer.startswith(b"CONNECT ") else current_exchange()
        if self._exchange is not None:
            self._exchange.carried_by(self._sock)
            self._exchange.reused = self._used
            self._exchange.t_send_ns = time.perf_counter_ns()
        self._used = True

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes of the response, its chunks joined; b"" at its end. Raises httpcore.ReadTimeout or ReadError."""
        exchange = self._exchange
        if self._writing:
            self._writing = False
            if exchange is not None:
                exchange.sent()
        limit = self.silence_s if self.silence_s is not None else timeout
        while True:
            raw = self._receive(limit)
            if exchange is not None:
                if exchange.stopped:
                    raise httpcore.ReadError("stopped")
                exchange.received += len(raw)
            joined = self._joiner.feed(raw) if raw else b""
            if joined or not raw:
                return joined

    def _receive(self, limit: float | None) -> bytes:
        try:
            try:
                raw = self._sock.recv(READ_BYTES)
            except _WOULD_BLOCK as block:
                raw = self._wait_and_receive(block, limit)
        except TimeoutError as error:
            raise httpcore.ReadTimeout("nothing received") from error
        except OSError as error:
            raise httpcore.ReadError(str(error)) from error
        stamp = self.read_ns = time.perf_counter_ns()
        self.late_ns = stamp - self._empty_ns
        if self._short_means_empty and len(raw) < READ_BYTES:
            self._empty_ns = stamp
        return raw

    def _wait_and_receive(self, block: OSError, limit: float | None) -> bytes:
        while True:
            self._await(select.POLLOUT if isinstance(block, ssl.SSLWantWriteError) else select.POLLIN, limit)
            try:
                raw = self._sock.recv(READ_BYTES)
            except _WOULD_BLOCK as again:
                block = again
                continue
            self._empty_ns = time.perf_counter_ns()
            return raw

    def _wait_to_write(self, block: OSError, limit: float | None) -> None:
        self._await(select.POLLIN if isinstance(block, ssl.SSLWantReadError) else select.POLLOUT, limit)

    def _await(self, event: int, limit: float | None) -> None:
        if self._exchange is not None:
            if self._exchange.stopped:
                raise OSError("stopped")
            limit = self._exchange.remaining_s(limit)
        self._poll.modify(self._sock, event)
        if not self._poll.poll(None if limit is None else limit * 1000):
            raise TimeoutError("nothing received")

    def close(self) -> None:
        self._sock.close()

    def start_tls(self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None) -> WireStream:
        """The same connection under TLS. Raises ConnectFailed."""
        exchange = current_exchange()
        try:
            wrapped = ssl_context.wrap_socket(self._sock, server_hostname=server_hostname, do_handshake_on_connect=False)
        except (OSError, ValueError) as error:
            self.close()
            raise ConnectFailed(error) from error
        try:
            if exchange is not None:
                exchange.carried_by(wrapped)
                timeout = exchange.remaining_s(timeout)
            wrapped.settimeout(timeout)
            wrapped.do_handshake()
            wrapped.setblocking(False)
        except (OSError, ValueError) as error:
            wrapped.close()
            raise ConnectFailed(error) from error
        return WireStream(wrapped)

    def is_gone(self) -> bool:
        """Whether the other end has closed this idle connection, or speaks on it unasked."""
        try:
            waiting = socket.socket.recv(self._sock, 1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:
            return True
        # under TLS a session ticket may wait to be read
        return not waiting or not isinstance(self._sock, ssl.SSLSocket)

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":
            poll = select.poll()
            poll.register(self._sock, select.POLLIN)
            return self._sock.fileno() < 0 or bool(poll.poll(0))
        if info == "ssl_object":
            return self._sock._sslobj if isinstance(self._sock, ssl.SSLSocket) else None  # type: ignore[attr-defined]
        if info == "socket":
            return self._sock
        return None
