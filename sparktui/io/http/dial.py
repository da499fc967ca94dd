"""New connections for httpx's pool, and ones opened in advance so that a timed request finds its connection ready."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterable

import httpcore

from sparktui.io.http.connect import open_socket
from sparktui.io.http.exchange import current_exchange
from sparktui.io.http.wire import ConnectFailed, WireStream

# uvicorn drops a silent connection after 5 s
IDLE_LIMIT_S = 4.0


class ReadyStream(WireStream):
    """A connection whose TLS handshake, if it needs one, is already done."""

    def start_tls(self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None) -> WireStream:
        return self


class Dialler(httpcore.NetworkBackend):
    """httpcore's network backend over WireStream. Thread-safe."""

    def __init__(self) -> None:
        self._ready: list[tuple[float, tuple[str, int], ReadyStream]] = []
        self._lock = threading.Lock()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> WireStream:
        """A connection to `host`: one opened in advance if it still lives. Raises ConnectFailed."""
        return self._take((host, port)) or self._dial(host, port, timeout)

    def prepare(self, host: str, port: int, timeout: float | None, tls: ssl.SSLContext | None) -> None:
        """Open a connection that the next `connect_tcp` to the same place gets. Raises ConnectFailed."""
        stream = self._dial(host, port, timeout)
        if tls is not None:
            stream = stream.start_tls(tls, host, timeout)
        ready = ReadyStream(stream.get_extra_info("socket"), may_be_stale=True)
        with self._lock:
            self._ready.append((time.monotonic() + IDLE_LIMIT_S, (host, port), ready))

    def close(self) -> None:
        """Close what was opened in advance and not used."""
        with self._lock:
            ready, self._ready = self._ready, []
        for _, _, stream in ready:
            stream.close()

    def _take(self, place: tuple[str, int]) -> ReadyStream | None:
        with self._lock:
            kept = []
            taken = None
            for until, where, stream in self._ready:
                if time.monotonic() > until or stream.is_gone():
                    stream.close()
                elif taken is None and where == place:
                    taken = stream
                else:
                    kept.append((until, where, stream))
            self._ready = kept
        return taken

    def _dial(self, host: str, port: int, timeout: float | None) -> WireStream:
        exchange = current_exchange()
        try:
            return WireStream(open_socket(host, port, timeout if exchange is None else exchange.remaining_s(timeout), exchange))
        except (OSError, UnicodeError) as error:
            raise ConnectFailed(error) from error
