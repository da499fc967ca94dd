"""A response that arrives piece by piece, each piece with the time it was read."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator, Mapping

import httpcore
import httpx

from sparktui.errors import RunFailedError
from sparktui.io.http.echoes import Echoes
from sparktui.io.http.exchange import Exchange
from sparktui.io.http.failures import StoppedError, lost
from sparktui.io.http.wire import WireStream
from sparktui.servers.url import BaseUrl

_DRAIN_S = 0.02
_DRAIN_BYTES = 64 * 1024
_ZLIB_BITS = {"gzip": 47, "x-gzip": 47, "deflate": 47}


class Stream:
    """The answer to one request, head received. Made by Client.stream and used in the same thread.

    `t_send_ns`: stamp just before the request's first byte. `connect_s`: what connecting took in between (0 = was connected).
    `t_headers_ns`: when the head was complete. `compressed`: the encoding the server used though none was asked for, or "".
    `hops`: addresses the server redirected to on the way, shown form.
    """

    def __init__(self, response: httpx.Response, exchange: Exchange, base: BaseUrl, hops: tuple[str, ...], echoes: Echoes) -> None:
        wire = response.extensions["network_stream"]
        if not isinstance(wire, WireStream):
            raise TypeError("the response did not come through a WireStream")
        self._response = response
        self._wire = wire
        self._exchange = exchange
        self._base = base
        self._echoes = echoes
        self._pieces = response.iter_raw()
        self.t_send_ns = exchange.t_send_ns
        self.t_headers_ns = wire.read_ns
        self.connect_s = exchange.connect_s
        self.hops = hops
        self.compressed = echoes.masked_text(_encoding(response))

    @property
    def status(self) -> int:
        return self._response.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        """The response's header fields; names in any case, a key that comes back masked."""
        fields = self._response.headers
        return httpx.Headers({name: self._echoes.masked_text(value) for name, value in fields.items()})

    @property
    def last_read_ns(self) -> int:
        """Stamp of the newest read, the empty one at the end included."""
        return self._wire.read_ns

    @property
    def late_ns(self) -> int:
        """How long, at most, the newest piece's first byte had waited in the socket before it was stamped."""
        return self._wire.late_ns

    def reads(self) -> Iterator[tuple[int, bytes]]:
        """(stamp of the read in perf_counter ns, its bytes), until the body's end.

        Raises StoppedError, ConnectionLostError, SilenceError, or RunFailedError for an encoding that cannot be undone.
        """
        decode = self._decoder()
        try:
            for piece in self._pieces:
                data = decode.decompress(piece) if decode is not None else piece
                if data:
                    yield self._wire.read_ns, self._echoes.masked(data)
        except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError) as error:
            raise self._failure(error) from error
        except zlib.error as error:
            raise RunFailedError(f"The server's {self.compressed} encoding is broken.", detail=str(error)) from error

    def limit_silence(self, seconds: float) -> None:
        """From now on a pause longer than this ends the stream with SilenceError; 0 or less = no limit."""
        self._wire.silence_s = seconds if seconds > 0 else None

    def body(self, limit: int = 1 << 20, within_s: float = 10.0) -> bytes:
        """The whole body of a short answer, cut at `limit` bytes; what came when it breaks off or takes longer than `within_s` to go on."""
        self.limit_silence(within_s)
        parts: list[bytes] = []
        size = 0
        try:
            for _, data in self.reads():
                parts.append(data[: limit - size])
                size += len(parts[-1])
                if size >= limit:
                    break
        except RunFailedError:
            # half an error page still says more than none
            return b"".join(parts)
        return b"".join(parts)

    def finish(self) -> None:
        """The answer is complete: take the end of the body if it follows at once, so that the connection can be kept."""
        self.limit_silence(_DRAIN_S)
        size = 0
        with contextlib.suppress(httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError):
            for piece in self._pieces:
                size += len(piece)
                if size > _DRAIN_BYTES:
                    break

    def close(self) -> None:
        """Give the connection back if the body was read to its end, else close it."""
        self._response.close()

    def _decoder(self) -> zlib._Decompress | None:
        if not self.compressed:
            return None
        bits = _ZLIB_BITS.get(self.compressed)
        if bits is None:
            raise RunFailedError(
                f"The server compressed its answer ({self.compressed}) though none was asked for.",
                hint="Switch compression off for this path.",
            )
        return zlib.decompressobj(bits)

    def _failure(self, error: Exception) -> Exception:
        return StoppedError() if self._exchange.stopped else lost(error, self._base, self._echoes)


def _encoding(response: httpx.Response) -> str:
    encoding = response.headers.get("content-encoding", "").strip().lower()
    return "" if encoding == "identity" else encoding
