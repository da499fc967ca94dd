"""Bytes of a log in, physical lines out: LF ends a line, CR redraws it, colours are taken out. No I/O, no clock."""

from __future__ import annotations

import re

LINE_LIMIT_BYTES = 1 << 20
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\^-~])")


def strip_escapes(text: str) -> str:
    """`text` without terminal sequences (CSI, OSC and two-character ones). Other control characters are left for the scrubber."""
    return _ESCAPES.sub("", text) if "\x1b" in text else text


def redrawn(line: str) -> str:
    """What a terminal shows of a line redrawn with CR: the text after the last CR that has any. A CR at the end is a CRLF."""
    if "\r" not in line:
        return line
    for part in reversed(line.split("\r")):
        if part and strip_escapes(part):
            return part
    return ""


class LineSplitter:
    """Only whole lines come out; what follows the last LF waits. A line longer than `limit` bytes is cut there, the rest of it dropped.

    NUL bytes are dropped, bytes that are no UTF-8 become U+FFFD; a character cut between two reads stays whole.
    """

    def __init__(self, limit: int = LINE_LIMIT_BYTES) -> None:
        self._limit = limit
        self._carry = bytearray()

    @property
    def partial(self) -> bool:
        """Whether a line has begun that has no end yet."""
        return bool(self._carry)

    def feed(self, data: bytes) -> list[str]:
        block = self.block(data)
        return [] if block is None else block.split("\n")

    def block(self, data: bytes) -> str | None:
        """The whole lines as one text with LF between them, None where there is none."""
        if b"\0" in data:
            data = data.replace(b"\0", b"")
        end = data.rfind(b"\n")
        if end < 0:
            self._wait(data)
            return None
        whole = bytes(self._carry) + data[:end] if self._carry else data[:end]
        self._carry.clear()
        self._wait(data[end + 1 :])
        if len(whole) > self._limit:
            return "\n".join(self._shown(self._cut(raw)) for raw in whole.split(b"\n"))
        return self._shown(whole)

    def end(self) -> list[str]:
        """The input has ended: what is left is a line as it stands."""
        rest = bytes(self._carry)
        self._carry.clear()
        return [self._shown(self._cut(rest))] if rest else []

    def discard(self) -> None:
        """Forget a begun line (its file was truncated)."""
        self._carry.clear()

    def _wait(self, rest: bytes) -> None:
        carry = self._carry
        carry += rest
        if len(carry) > self._limit:
            self._carry = bytearray(self._cut(bytes(carry)))

    def _cut(self, line: bytes) -> bytes:
        if len(line) <= self._limit:
            return line
        last = line.rfind(b"\r", 0, len(line) - 1)
        line = line[last + 1 :]
        ending = b"\r" if line.endswith(b"\r") else b""
        return line[: self._limit] + ending if len(line) > self._limit else line

    @staticmethod
    def _shown(block: bytes) -> str:
        text = block.decode("utf-8", "replace")
        if "\r" in text:
            text = "\n".join(redrawn(line) for line in text.split("\n"))
        if "\x1b" in text:
            text = "\n".join(strip_escapes(line) for line in text.split("\n"))
        return text
