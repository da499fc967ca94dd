"""httpx over our own sockets: the pool that keeps connections, direct or through a proxy."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Iterator

import httpcore
import httpx

from sparktui.io.http.dial import IDLE_LIMIT_S, Dialler
from sparktui.io.http.proxies import proxied_pool


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Iterable[bytes]) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._stream)

    def close(self) -> None:
        close = getattr(self._stream, "close", None)
        if close is not None:
            close()


class WireTransport(httpx.BaseTransport):
    """An httpx transport whose errors stay httpcore's, since those tell more."""

    def __init__(self, dialler: Dialler, *, tls: ssl.SSLContext | None, proxy: str | None) -> None:
        options = {"ssl_context": tls, "network_backend": dialler, "keepalive_expiry": IDLE_LIMIT_S, "max_connections": None}
        self._pool = proxied_pool(proxy, **options) if proxy else httpcore.ConnectionPool(**options)  # type: ignore[arg-type]

    def has_idle(self) -> bool:
        """Whether a kept connection is free and still open."""
        return any(connection.is_available() and not connection.has_expired() for connection in self._pool.connections)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = httpcore.URL(scheme=request.url.raw_scheme, host=request.url.raw_host, port=request.url.port, target=request.url.raw_path)
        response = self._pool.handle_request(
            httpcore.Request(request.method, url, headers=request.headers.raw, content=request.stream, extensions=request.extensions)
        )
        stream = response.stream
        if not isinstance(stream, Iterable):
            raise TypeError("an asynchronous response from a synchronous pool")
        return httpx.Response(response.status, headers=response.headers, stream=_Body(stream), extensions=response.extensions)

    def close(self) -> None:
        self._pool.close()
