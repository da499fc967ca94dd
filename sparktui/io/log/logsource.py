"""Where a log comes from, as one stream of items: bytes, the beginnings of new files, and what is going on with the source."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

TAIL_BYTES = 256 * 1024
POLL_S = 0.25


class Data(Struct, frozen=True):
    """Bytes as they were read. `live`: written after following began; what was there before is False: shown, never taken for a new run's.

    `channel` keeps the two pipes of a command apart.
    """

    data: bytes
    live: bool = True
    channel: str = ""


class Begin(Struct, frozen=True):
    """What follows on this channel is another file (or another start of the command). `mid_file`: it is joined inside, at a line's start.
    `keep_partial` False: the line begun before is lost, its file was truncated."""

    mid_file: bool = False
    keep_partial: bool = True
    channel: str = ""


class Status(Struct, frozen=True):
    """`state` is one of events.LogState's. `reason` is a short text for people. `name`: which file, where the source picks one."""

    state: str
    reason: str = ""
    name: str = ""


Item = Data | Begin | Status
Put = Callable[[Item], None]


class LogSource(Protocol):
    """`shown` names the source for people."""

    shown: str

    def run(self, put: Put, stop: threading.Event) -> None:
        """Follow until `stop` is set or the input has ended (a Status "ended" says so). Blocks; never raises for what the outside world
        does: a missing file, no permission, a command that dies are states, and are tried again."""
        ...
