"""One answer read to its end: bytes → stream events → deltas, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sparktui.core.figures.state import RunState
from sparktui.core.records import Status
from sparktui.core.sse import SseEvent, SseParser
from sparktui.engine.running.telling import Teller
from sparktui.errors import RunFailedError, SparkError
from sparktui.io.http.failures import ConnectionLostError, SilenceError, StoppedError
from sparktui.io.http.stream import Stream
from sparktui.servers.base import Adapter
from sparktui.servers.wire_errors import explain_http, is_web_page

_MAX_WHOLE_BYTES = 64 << 20
_WHOLE_TYPES = ("application/json", "text/html", "application/xhtml")
_SSE_STARTS = (b"data:", b"event:", b"id:", b"retry:", b":")
_SEE_LOG = "See the server's own log for the reason."
_NOT_OK = ("abort", "aborted", "error", "cancelled", "canceled")


class Outcome(Struct, frozen=True):
    """How a run ended. `error` says why where `status` is failed or cut_off."""

    status: Status
    error: SparkError | None = None


class AnswerReader:
    """Reads one streamed (or, though streaming was asked for, whole) answer and hands its deltas to the teller. Used once.

    `url` is where it comes from, as it may be shown.
    """

    def __init__(self, adapter: Adapter, state: RunState, teller: Teller, url: str) -> None:
        self._adapter = adapter
        self._state = state
        self._teller = teller
        self._url = url
        self._parser = SseParser()
        self._events = 0

    def read(self, stream: Stream, idle_timeout_s: float) -> Outcome:
        """Read to `[DONE]`, an error, or the end of the stream. Raises nothing that the server or the network does."""
        if stream.compressed:
            self._teller.warn("compressed", f"The answer came compressed ({stream.compressed}): its timing is not the server's.")
        content_type = stream.headers.get("content-type", "").lower()
        try:
            reads = stream.reads()
            first = next(reads, None)
            if first is None:
                outcome = self._empty()
            elif content_type.startswith(_WHOLE_TYPES) and not first[1].lstrip().startswith(_SSE_STARTS):
                outcome = self._whole(_joined(first[1], reads), content_type, stream.last_read_ns)
            else:
                outcome = self._streamed(stream, first, reads, idle_timeout_s)
        except StoppedError:
            outcome = Outcome("cancelled")
        except SparkError as error:
            outcome = self._broken(error)
        self._state.note_done(stream.last_read_ns, self._teller.finish_reason)
        self._teller.close()
        return outcome

    def _streamed(self, stream: Stream, first: tuple[int, bytes], reads: Iterator[tuple[int, bytes]], idle_timeout_s: float) -> Outcome:
        teller = self._teller
        self._feed(first[0], first[1], stream.late_ns)
        limited = False
        while not teller.done:
            if teller.chunks and not limited:
                limited = True
                stream.limit_silence(idle_timeout_s)
            read = next(reads, None)
            if read is None:
                for event in self._parser.close():
                    self._take(stream.last_read_ns, event, 0)
                break
            self._feed(read[0], read[1], stream.late_ns)
        return self._ended(stream)

    def _feed(self, t_ns: int, data: bytes, late_ns: int) -> None:
        teller, parser = self._teller, self._parser
        for event in parser.feed(data):
            self._events += 1
            self._take(t_ns, event, late_ns)
            if teller.done:
                return
        if parser.comments > teller.pings:
            teller.ping(t_ns, parser.comments)

    def _take(self, t_ns: int, event: SseEvent, late_ns: int) -> None:
        if self._state.first_event_ns is None:
            self._state.note_first_event(t_ns)
        self._teller.take(t_ns, self._adapter.decode(event), late_ns)

    def _ended(self, stream: Stream) -> Outcome:
        teller = self._teller
        if teller.error is not None:
            return Outcome("failed", teller.error)
        if not self._events and (unframed := self._parser.unframed.strip()):
            return self._whole(unframed, stream.headers.get("content-type", ""), stream.last_read_ns)
        return self._judged()

    def _judged(self) -> Outcome:
        """Whether what came is a complete answer."""
        teller = self._teller
        if teller.error is not None:
            return Outcome("failed", teller.error)
        if (teller.finish_reason or "").lower() in _NOT_OK:
            return Outcome("failed", RunFailedError(f"The server ended the answer itself ({teller.finish_reason}).", hint=_SEE_LOG))
        if teller.finish_reason or (teller.done and teller.chunks):
            return Outcome("ok")
        if not teller.chunks:
            return self._empty()
        error = RunFailedError(f"The answer was cut off after {self._tokens()}: the stream ended without saying so.", hint=_SEE_LOG)
        return Outcome("cut_off", error)

    def _empty(self) -> Outcome:
        return Outcome("failed", RunFailedError("The server ended the answer without any text.", hint=_SEE_LOG))

    def _whole(self, body: bytes, content_type: str, t_ns: int) -> Outcome:
        """An answer in one piece: a completion, an error, or no API at all."""
        if is_web_page(body, content_type):
            return Outcome("failed", explain_http(200, body, content_type=content_type, url=self._url))
        delta = self._adapter.whole(body)
        self._state.note_first_event(t_ns)
        self._teller.take(t_ns, delta)
        if delta.error is None:
            self._teller.warn("not_streamed", "The server sent the answer in one piece: there is no rate to measure.")
        return self._judged()

    def _broken(self, error: SparkError) -> Outcome:
        """The connection ended before the stream did."""
        if not isinstance(error, ConnectionLostError | SilenceError):
            return Outcome("failed", error)
        if self._teller.error is None and (self._teller.finish_reason or "").lower() not in ("", *_NOT_OK):
            self._teller.warn("connection", "The connection broke after the answer was complete.")
            return Outcome("ok")
        if self._teller.error is not None:
            return Outcome("failed", self._teller.error)
        what = "Nothing more came" if isinstance(error, SilenceError) else "The connection was lost"
        return Outcome("failed", RunFailedError(f"{what} after {self._tokens()}.", detail=error.detail, hint=error.hint))

    def _tokens(self) -> str:
        """How much came, in words: the server's count where it keeps one, else an estimate."""
        totals = self._state.chunk_totals
        exact = totals[-1] if totals else None
        if exact is None and (count := self._state.figures.completion_tokens) is not None:
            exact = count
        if exact is not None:
            return f"{exact} token{'s' * (exact != 1)}"
        from sparktui.core.figures.tokens import estimate_tokens

        state = self._state
        about = estimate_tokens(state.text) + estimate_tokens(state.reasoning) + estimate_tokens(state.tool_calls, kind="tool")
        return f"about {max(1, round(about))} tokens" if state.chunks else "0 tokens"


def _joined(first: bytes, reads: Iterator[tuple[int, bytes]]) -> bytes:
    """The rest of a whole answer. Raises RunFailedError for one that has no end."""
    parts = [first]
    size = len(first)
    for _, data in reads:
        parts.append(data)
        size += len(data)
        if size > _MAX_WHOLE_BYTES:
            raise RunFailedError("The server's answer is larger than 64 MB and was not read on.", hint=_SEE_LOG)
    return b"".join(parts)
