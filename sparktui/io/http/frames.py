"""Joins the HTTP chunks of one read into one, so that a read is parsed, stamped and passed on as a unit (RFC 9112, section 7.1)."""

from __future__ import annotations

import enum
import re

_CHUNKED = re.compile(rb"\r?\ntransfer-encoding:[^\r\n]*\bchunked[ \t]*\r?\n", re.IGNORECASE)
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(rb"HTTP/\d\.\d (\d{3})")
_MAX_HEAD_BYTES = 128 * 1024
_MAX_LINE_BYTES = 4096


class _State(enum.Enum):
    HEAD = 1
    SIZE = 2
    DATA = 3
    DATA_END = 4
    AS_IT_COMES = 5


class FrameJoiner:
    """Bytes of one response in, the same response out, with every run of whole or partial HTTP chunks re-framed as a single chunk.

    A reader then pays once per read instead of once per chunk, and no byte is held back except an unfinished chunk-size line.
    Anything malformed, and all that follows the last chunk, is passed through unchanged: judging it is the HTTP parser's work.
    """

    def __init__(self) -> None:
        self._state = _State.HEAD
        self._kept = b""
        self._left = 0

    def feed(self, raw: bytes) -> bytes:
        """The bytes to hand on for `raw`; empty when more are needed first."""
        if self._state is _State.AS_IT_COMES:
            return raw
        if self._state is _State.HEAD:
            return self._feed_head(raw)
        return self._feed_chunks(raw)

    def _feed_head(self, raw: bytes) -> bytes:
        seen = len(self._kept)
        head = self._kept + raw
        end = _HEAD_END.search(head)
        if end is None:
            self._kept = head
            if len(head) > _MAX_HEAD_BYTES:
                self._state, self._kept = _State.AS_IT_COMES, b""
            return raw
        self._kept = b""
        own, rest = raw[: end.end() - seen], head[end.end() :]
        status = _STATUS.match(head)
        if status is not None and status[1].startswith(b"1"):
            return own + (self._feed_head(rest) if rest else b"")
        self._state = _State.SIZE if _CHUNKED.search(head, 0, end.end()) else _State.AS_IT_COMES
        return own + (self.feed(rest) if rest else b"")

    def _feed_chunks(self, raw: bytes) -> bytes:
        data = self._kept + raw if self._kept else raw
        parts: list[bytes] = []
        at = self._take_chunks(data, parts)
        rest = data[at:]
        # what is left is an unfinished size line, or, malformed or the last chunk, not ours to read
        waits = self._state is not _State.AS_IT_COMES and len(rest) <= _MAX_LINE_BYTES
        self._kept = rest if waits else b""
        if waits:
            return _framed(parts)
        self._state = _State.AS_IT_COMES
        return _framed(parts) + rest

    def _take_chunks(self, data: bytes, parts: list[bytes]) -> int:
        """Move the text of every chunk in `data` to `parts`; returns where it stopped."""
        at, size = 0, len(data)
        while at < size:
            if self._state is _State.SIZE:
                at = _take_whole(data, at, parts)
                end = data.find(b"\r\n", at)
                if end < 0:
                    break
                self._left = _chunk_size(data[at:end])
                if self._left <= 0:
                    self._state = _State.AS_IT_COMES
                    break
                self._state = _State.DATA
                at = end + 2
            elif self._state is _State.DATA:
                part = data[at : at + self._left]
                parts.append(part)
                self._left -= len(part)
                at += len(part)
                if self._left == 0:
                    self._state = _State.DATA_END
            else:
                if size - at < 2:
                    break
                if data[at : at + 2] != b"\r\n":
                    self._state = _State.AS_IT_COMES
                    break
                self._state = _State.SIZE
                at += 2
        return at


def _take_whole(data: bytes, at: int, parts: list[bytes]) -> int:
    """The quick way for plain chunks that are whole; stops, without judging, at the first that is anything else."""
    find, add = data.find, parts.append
    while (end := find(b"\r\n", at)) > at:
        try:
            stop = end + 2 + int(data[at:end], 16)
        except ValueError:
            break
        if stop <= end + 2 or data[stop : stop + 2] != b"\r\n":
            break
        add(data[end + 2 : stop])
        at = stop + 2
    return at


def _chunk_size(line: bytes) -> int:
    """The size in a chunk's first line; -1 when it is none."""
    try:
        return int(line.partition(b";")[0], 16)
    except ValueError:
        return -1


def _framed(parts: list[bytes]) -> bytes:
    if not parts:
        return b""
    data = parts[0] if len(parts) == 1 else b"".join(parts)
    return b"%x\r\n%b\r\n" % (len(data), data)
