"""What every log grammar gives, and the number forms they share."""

from __future__ import annotations

import math
import re
from typing import Protocol

from msgspec import Struct

from sparktui.core.log.logrecord import Generation
from sparktui.servers.lenient import LARGEST_COUNT


class Found(Struct, frozen=True, gc=False):
    """What one record says. `started`/`ended` name the request it opens or closes; `cancelled` with no name: some request was.

    `hold`: the next record may tell the same generation with more figures; then that one counts.
    """

    generation: Generation | None = None
    started: str = ""
    ended: str = ""
    cancelled: bool = False
    hold: bool = False


class Grammar(Protocol):
    """Reads the records of one channel in order. `starts` False: the line only continues a record."""

    def read(self, text: str, starts: bool) -> Found | None:
        """What the record says, None for one of no interest."""
        ...


def number(text: str | None) -> float | None:
    """A finite number, else None: "Indeterminate", "None", "nan", "inf" and dashes are no figure."""
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def whole(text: str | None) -> int | None:
    """A count, None where `text` is none, below 0 or beyond what can have been counted."""
    return _count(number(text))


def rate(accepted: int | None, proposed: int | None) -> float | None:
    """accepted ÷ proposed, None when nothing was proposed."""
    return accepted / proposed if accepted is not None and proposed else None


class Field:
    """One `name: value` inside a line whose fields are found by name, never by place; an ending % is kept apart."""

    def __init__(self, name: str) -> None:
        self._pattern = re.compile(rf"(?:^|[:,] ){name}: ?([\w.+-]+)(%?)")

    def number(self, text: str) -> float | None:
        found = self._pattern.search(text)
        return number(found[1]) if found else None

    def count(self, text: str) -> int | None:
        return _count(self.number(text))

    def fraction(self, text: str) -> float | None:
        """The value as 0..1, whether printed as a percentage or as a fraction."""
        found = self._pattern.search(text)
        value = number(found[1]) if found else None
        return value / 100 if found and value is not None and found[2] else value


def _count(value: float | None) -> int | None:
    return int(value) if value is not None and 0 <= value <= LARGEST_COUNT else None
