"""Server-sent events, bytes in, events out (HTML standard, "event stream interpretation"). No I/O, no clock."""

from __future__ import annotations

from msgspec import Struct


class SseEvent(Struct, frozen=True):
    """One dispatched event: its `event:` name ("" = none) and its data lines joined with LF."""

    name: str
    data: str
