"""Where events come from and commands go: a worker, a journal, or a script. The screen does not care which."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from sparktui.core.commands import AnyCommand
from sparktui.core.events import AnyEvent


class Link(Protocol):
    """Never blocks. `state` is starting, up, mismatch or down; `reason` says why it is down."""

    @property
    def state(self) -> str: ...

    @property
    def reason(self) -> str: ...

    def events(self) -> list[AnyEvent]:
        """All events since the last call, in order."""
        ...

    def send(self, command: AnyCommand) -> int:
        """Send a command, return the id that its reply will carry; 0 when nobody is there to answer."""
        ...

    def close(self) -> int | None:
        """Ask the other end to save and stop; returns its exit code where it has one."""
        ...


Connect = Callable[[], Link]


class ScriptedLink:
    """Plays events at their times (seconds since the first call of `events`) by an injected clock; keeps what was sent."""

    def __init__(self, script: Sequence[tuple[float, AnyEvent]], clock_ns: Callable[[], int]) -> None:
        self.state = "up"
        self.reason = ""
        self.sent: list[AnyCommand] = []
        self._script = list(script)
        self._clock_ns = clock_ns
        self._began_ns: int | None = None
        self._at = 0

    def events(self) -> list[AnyEvent]:
        if self._began_ns is None:
            self._began_ns = self._clock_ns()
        elapsed_s = (self._clock_ns() - self._began_ns) / 1e9
        start = self._at
        while self._at < len(self._script) and self._script[self._at][0] <= elapsed_s:
            self._at += 1
        return [event for _, event in self._script[start : self._at]]

    def add(self, *events: AnyEvent) -> None:
        """Events that arrive at the next call."""
        self._script[self._at : self._at] = [(0.0, event) for event in events]

    def send(self, command: AnyCommand) -> int:
        if self.state != "up":
            return 0
        self.sent.append(msgspec.structs.replace(command, id=len(self.sent) + 1))
        return len(self.sent)

    def close(self) -> int | None:
        self.state = "down"
        return 0
