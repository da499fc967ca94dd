"""The HTTP client: one server, its key, and connections that are ready before they are needed. Synchronous; safe in several threads."""

from __future__ import annotations

import contextlib
import os
import time
import urllib.parse
from collections.abc import Callable, Iterator, Mapping

import httpcore
import httpx
import msgspec

from sparktui.errors import SparkError
from sparktui.io.http.credentials import Credentials
from sparktui.io.http.dial import Dialler
from sparktui.io.http.exchange import Exchange, Sent, Stop
from sparktui.io.http.failures import StoppedError, lost, unreachable
from sparktui.io.http.proxies import proxy_for, shown_proxy
from sparktui.io.http.requests import Body, build_request, check_url, redirect_target
from sparktui.io.http.stream import Stream
from sparktui.io.http.tls import tls_context
from sparktui.io.http.transport import WireTransport
from sparktui.servers.base import Answer, Get, Post
from sparktui.servers.url import BaseUrl, without_secrets

_MAX_HOPS = 5
_MAX_ANSWER_BYTES = 1 << 20
_MAX_POSTED_BYTES = 64 << 20
# a stale connection shows itself in a round trip; later than that the server was at work on the request
_STALE_S = 5.0
_BROKEN = (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError, httpcore.ProxyError, httpcore.UnsupportedProtocol)


class Client:
    """Requests to the server at `base`.

    `key_header` names the header a key goes in ("" = there is none); `tls_verified` is False where an https server is not checked.
    Raises ConfigError for a key, a proxy or a CA file that cannot be used.
    """

    def __init__(
        self,
        base: BaseUrl,
        *,
        api_key: str | None = None,
        connect_timeout_s: float = 10.0,
        idle_timeout_s: float = 0.0,
        verify: bool = True,
        ca_file: str | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        parts = urllib.parse.urlsplit(base.root)
        check_url(base.root)
        self.base = base
        self.idle_timeout_s = idle_timeout_s
        self.tls_verified = verify or parts.scheme != "https"
        self._credentials = Credentials(base.root, api_key)
        self.key_header = self._credentials.key_header
        self._connect_timeout_s = connect_timeout_s
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._tls = tls_context(verify=verify, ca_file=ca_file) if parts.scheme == "https" else None
        proxy = proxy_for(parts.scheme, base.host, environ)
        self._proxy = shown_proxy(proxy) if proxy else ""
        self._dialler = Dialler()
        self._transport = WireTransport(self._dialler, tls=self._tls, proxy=proxy)

    def __repr__(self) -> str:
        return f"Client({self.base.shown})"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._transport.close()
        self._dialler.close()

    def warm(self, stop: Stop | None = None) -> float:
        """Have a connection ready for the next request: seconds it took to make one, 0 if one was there (or a proxy is in between).

        Raises UnreachableError, or StoppedError.
        """
        if self._proxy or self._transport.has_idle():
            return 0.0
        exchange = Exchange(stop=stop)
        with exchange.running():
            try:
                self._dialler.prepare(self.base.host, self._port, self._connect_timeout_s, self._tls)
            except httpcore.ConnectError as error:
                raise self._explained(error, exchange) from None
        return (time.perf_counter_ns() - exchange.begun_ns) / 1e9

    def get(self, ask: Get, stop: Stop | None = None) -> Answer:
        """One short GET; redirects within the origin are followed. Never raises for what the network does: status 0 and a reason."""
        deadline_ns = time.perf_counter_ns() + int(ask.timeout_s * 1e9)
        asked = self._respond("GET", self.base.at(ask.path), stop, with_key=ask.with_key, deadline_ns=deadline_ns)
        return _answer(asked, _MAX_ANSWER_BYTES, ask.timeout_s)

    def post_json(self, ask: Post, stop: Stop | None = None) -> Answer:
        """One POST of JSON, its answer read whole (64 MB at most). Never raises for what the network does, as `get`."""
        deadline_ns = time.perf_counter_ns() + int(ask.timeout_s * 1e9)
        body = msgspec.json.encode(ask.body)
        asked = self._respond("POST", self.base.at(ask.path), stop, with_key=True, body=body, deadline_ns=deadline_ns)
        return _answer(asked, _MAX_POSTED_BYTES, ask.timeout_s)

    @contextlib.contextmanager
    def stream(
        self, body: Body, stop: Stop | None = None, *, on_sent: Callable[[Sent], None] | None = None, url: str | None = None
    ) -> Iterator[Stream]:
        """POST `body` (JSON, in one piece or several) to the chat endpoint, or to `url` on the same server, and hand out the answer.

        Blocks until the response's head is there, however long that takes; `stop` ends it at once, from any thread.
        `on_sent` is called each time the request has been written: again when a connection proved stale or the server redirected.
        Raises UnreachableError, ConnectionLostError, StoppedError.
        """
        with self._respond("POST", url or self.base.chat_url, stop, with_key=True, body=body, on_sent=on_sent) as stream:
            yield stream

    @contextlib.contextmanager
    def _respond(
        self,
        method: str,
        url: str,
        stop: Stop | None,
        *,
        with_key: bool,
        body: Body = b"",
        deadline_ns: int | None = None,
        on_sent: Callable[[Sent], None] | None = None,
    ) -> Iterator[Stream]:
        hops: tuple[str, ...] = ()
        again = ""
        retried = False
        while True:
            exchange = Exchange(stop=stop, deadline_ns=deadline_ns, on_sent=on_sent, again=again)
            with exchange.running(), contextlib.ExitStack() as stack:
                try:
                    response = self._send(exchange, build_request(method, url, self._credentials.headers(with_key=with_key), body))
                except _BROKEN as error:
                    if retried or not _was_stale(exchange):
                        raise self._explained(error, exchange) from None
                    retried, again = True, "the server had dropped the connection"
                    continue
                stack.callback(response.close)
                target = redirect_target(method, url, response)
                if target is None or len(hops) >= _MAX_HOPS:
                    yield Stream(response, exchange, self.base, hops, self._credentials.echoes)
                    return
                Stream(response, exchange, self.base, hops, self._credentials.echoes).finish()
                url = target
                hops = (*hops, self._credentials.echoes.masked_text(without_secrets(url)))
                again = f"redirected to {hops[-1]}"

    def _send(self, exchange: Exchange, request: httpx.Request) -> httpx.Response:
        if exchange.stopped:
            raise StoppedError()
        request.extensions["timeout"] = {"connect": self._connect_timeout_s, "read": None, "write": None, "pool": None}
        return self._transport.handle_request(request)

    def _explained(self, error: Exception, exchange: Exchange) -> Exception:
        if exchange.stopped:
            return StoppedError()
        if isinstance(error, httpcore.ConnectError | httpcore.ConnectTimeout | httpcore.ProxyError) or not exchange.t_send_ns:
            return unreachable(error, self.base, connect_timeout_s=self._connect_timeout_s, proxy=self._proxy)
        return lost(error, self.base, self._credentials.echoes)


def _answer(asked: contextlib.AbstractContextManager[Stream], most_bytes: int, within_s: float) -> Answer:
    try:
        with asked as stream:
            return Answer(
                status=stream.status,
                content_type=stream.headers.get("content-type", ""),
                body=stream.body(most_bytes, within_s),
                server_header=stream.headers.get("server", ""),
            )
    except StoppedError:
        return Answer(status=0, failure="stopped")
    except SparkError as error:
        return Answer(status=0, failure=error.title)


def _was_stale(exchange: Exchange) -> bool:
    """Whether the request met a kept connection that the server had already dropped: it was never read, so it may be sent again."""
    waited_s = (time.perf_counter_ns() - exchange.t_send_ns) / 1e9
    return exchange.reused and not exchange.received and not exchange.stopped and waited_s < _STALE_S
