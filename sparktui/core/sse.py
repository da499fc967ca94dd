"""Server-sent events, bytes in, events out (HTML standard, "event stream interpretation"). No I/O, no clock."""

from __future__ import annotations

from msgspec import Struct

from sparktui.errors import RunFailedError

DEFAULT_MAX_EVENT_BYTES = 16 * 1024 * 1024
UNFRAMED_MAX_BYTES = 64 * 1024

_BOM = b"\xef\xbb\xbf"
_FIELDS = (b"data", b"event", b"id", b"retry")


class SseEvent(Struct, frozen=True):
    """One dispatched event: its `event:` name ("" = none) and its data lines joined with LF."""

    name: str
    data: str


class EventTooLargeError(RunFailedError):
    """One event of the stream is larger than the parser's cap; the stream cannot be read on."""


class SseParser:
    """Incremental parser: however the bytes are cut into reads, the events are the same.

    Differs from the standard in two points, both on purpose: an event without data is not dispatched even if it has an empty `data:` line
    (pings), and a last event without its blank line is dispatched by `close()`.
    """

    def __init__(self, max_event_bytes: int = DEFAULT_MAX_EVENT_BYTES) -> None:
        self._max_event_bytes = max_event_bytes
        self._tail: list[bytes] = []
        self._tail_bytes = 0
        self._head: bytes | None = b""
        self._after_cr = False
        self._framed = False
        self._too_large = False
        self._unframed = bytearray()
        self.comments = 0

    @property
    def unframed(self) -> bytes:
        """Lines before the first field that are no event stream (bare JSON, a web page), at most 64 KB; complete after `close()`."""
        return bytes(self._unframed)

    def feed(self, data: bytes) -> list[SseEvent]:
        """Events completed by `data`. Raises EventTooLargeError; events ahead of the oversized one are returned first."""
        if self._is_one_plain_event(data):
            return [SseEvent("", data[6:-2].decode("utf-8", "replace"))]
        if self._too_large:
            raise self._oversize()
        data = self._normalised(data)
        if not data:
            return []
        if self._tail and not (data[0] == 10 and self._tail[-1].endswith(b"\n")) and b"\n\n" not in data:
            return self._keep(data, [])
        if self._tail:
            self._tail.append(data)
            data = b"".join(self._tail)
            self._tail.clear()
            self._tail_bytes = 0
        blocks = data.split(b"\n\n")
        rest = blocks.pop()
        events: list[SseEvent] = []
        for block in blocks:
            if self._framed and block[:6] == b"data: " and b"\n" not in block and len(block) <= self._max_event_bytes:
                if len(block) > 6:
                    events.append(SseEvent("", block[6:].decode("utf-8", "replace")))
            elif not self._general(block, events):
                return self._stop(events)
        return self._keep(rest, events)

    def close(self) -> list[SseEvent]:
        """The event left without its blank line at the end of the stream, if any. Raises EventTooLargeError."""
        if self._too_large:
            raise self._oversize()
        rest = (self._head or b"") + b"".join(self._tail)
        self._head, self._tail, self._tail_bytes = None, [], 0
        events: list[SseEvent] = []
        if rest and not self._general(rest, events):
            raise self._oversize()
        return events

    def _is_one_plain_event(self, data: bytes) -> bool:
        """Whether a read is exactly one `data: …` event in a stream already under way: the usual read, worth a short cut."""
        return (
            data.find(b"\n") == len(data) - 2
            and data[:6] == b"data: "
            and data[-1] == 10
            and not self._tail
            and not self._too_large
            and self._framed
            and not self._after_cr
            and 8 < len(data) <= self._max_event_bytes
            and b"\r" not in data
        )

    def _normalised(self, data: bytes) -> bytes:
        """`data` without the stream's BOM, every line end as LF; a CR at the end of a read counts at once, its LF is dropped later."""
        if self._head is not None:
            data = self._head + data
            if len(data) < len(_BOM) and _BOM.startswith(data):
                self._head = data
                return b""
            self._head = None
            data = data.removeprefix(_BOM)
        if self._after_cr and data:
            data = data.removeprefix(b"\n")
            self._after_cr = False
        if b"\r" in data:
            self._after_cr = data.endswith(b"\r")
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return data

    def _keep(self, rest: bytes, events: list[SseEvent]) -> list[SseEvent]:
        if rest:
            self._tail.append(rest)
            self._tail_bytes += len(rest)
            if self._tail_bytes > self._max_event_bytes:
                return self._stop(events)
        return events

    def _stop(self, events: list[SseEvent]) -> list[SseEvent]:
        self._too_large = True
        self._tail.clear()
        if events:
            return events
        raise self._oversize()

    def _oversize(self) -> EventTooLargeError:
        return EventTooLargeError(
            f"The server sent one event of more than {self._max_event_bytes:,} bytes.",
            hint="Check that the address is a chat completions endpoint and not a file or a page.",
        )

    def _general(self, block: bytes, events: list[SseEvent]) -> bool:
        """Parse a block of lines that holds at most one event; False if it is larger than the cap."""
        if len(block) > self._max_event_bytes:
            return False
        name, data = b"", []
        for line in block.split(b"\n"):
            if line[:1] == b":":
                self.comments += 1
                continue
            field, _, value = line.partition(b":")
            if field not in _FIELDS:
                self._note_unframed(line)
                continue
            self._framed = True
            value = value.removeprefix(b" ")
            if field == b"data":
                data.append(value)
            elif field == b"event":
                name = value
        text = b"\n".join(data)
        if text:
            events.append(SseEvent(name.decode("utf-8", "replace"), text.decode("utf-8", "replace")))
        return True

    def _note_unframed(self, line: bytes) -> None:
        if not self._framed and (line or self._unframed) and len(self._unframed) < UNFRAMED_MAX_BYTES:
            self._unframed += (line + b"\n")[: UNFRAMED_MAX_BYTES - len(self._unframed)]
