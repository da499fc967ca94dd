"""What a carrier puts around each line of a log: docker's json-file, CRI, journald, compose, kubectl. Taken off before un-wrapping."""

from __future__ import annotations

import re
from typing import Literal

import msgspec
from msgspec import Struct

from sparktui.core.log.loghead import head_in
from sparktui.core.log.loglines import redrawn, strip_escapes

_LIMIT_CHARACTERS = 1 << 20
_JSON_START = '{"'
_ISO = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?"
_CRI = re.compile(rf"{_ISO} (stdout|stderr) ([FP]) ?")
_JOURNAL = re.compile(rf"(?:[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?|{_ISO}) \S+ ([A-Za-z_(][^\s:\[\]]*(?:\[\d+\])?): ?")
_STAMPED = re.compile(rf"()(?:{_ISO}) ")
_KUBECTL = re.compile(r"\[(pod/[^\]\s]+)(?: [^\]]*)?\] ")
_COMPOSE = re.compile(r"([A-Za-z0-9][\w.@-]*) *\| ")
_UNMISTAKABLE = (_CRI, _JOURNAL, _KUBECTL)
_GUESSED = (_COMPOSE, _STAMPED)


class _DockerLine(Struct, gc=False):
    log: str
    stream: str = "stdout"


_decode_docker = msgspec.json.Decoder(_DockerLine).decode
Shape = Literal["", "bare", "carried"]


class Envelope:
    """Takes the carrier's prefix off the lines of one stream and says which of the streams inside (a container, a unit) each belongs to.

    A stream that has shown one bare record head has no carrier: from then on nothing is taken off, so that text inside a record
    cannot pose as a carrier's line.
    """

    def __init__(self) -> None:
        self.shape: Shape = ""
        self._known: set[str] = set()
        self._parts: dict[str, list[str]] = {}

    def open(self, line: str) -> tuple[str, str] | None:
        """(channel, text) of a line; None when it is a part of a longer line that is not complete yet."""
        if self.shape == "bare":
            return "", line
        if line.startswith(_JSON_START):
            docker = self._docker(line)
            if docker is not None:
                return self._joined(docker.stream, docker.log, not docker.log.endswith("\n"))
        for pattern in _UNMISTAKABLE:
            found = pattern.match(line)
            if found:
                text, partial = line[found.end() :], pattern is _CRI and found[2] == "P"
                return self._joined(found[1], text, partial)
        return self._guess(line)

    def _docker(self, line: str) -> _DockerLine | None:
        try:
            return _decode_docker(line)
        except (msgspec.DecodeError, UnicodeEncodeError):
            return None

    def _joined(self, channel: str, text: str, partial: bool) -> tuple[str, str] | None:
        self.shape = "carried"
        self._known.add(channel)
        parts = self._parts.get(channel)
        if partial or parts:
            parts = self._parts.setdefault(channel, [])
            parts.append(text)
            if partial and sum(map(len, parts)) < _LIMIT_CHARACTERS:
                return None
            text = "".join(parts)
            parts.clear()
        return channel, strip_escapes(redrawn(text.rstrip("\n")))

    def _guess(self, line: str) -> tuple[str, str] | None:
        for pattern in _GUESSED:
            found = pattern.match(line)
            if found is None:
                continue
            inner = line[found.end() :]
            if found[1] in self._known or ((found[1] or pattern is _STAMPED) and head_in(inner) is not None):
                return self._joined(found[1], inner, False)
        if not self.shape and head_in(line) is not None:
            self.shape = "bare"
        return "", line
