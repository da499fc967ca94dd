"""A link that outlives its worker: the end of one is told with its reason, and another is started."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence

from sparktui.core.commands import AnyCommand, RetryServer
from sparktui.core.events import PROTOCOL, AnyEvent, ErrorEvent, Hello, Reply
from sparktui.tui.workers.link import Connect, Link

_RESTARTS = 3
_WITHIN_S = 60.0
_GONE = {"title": "The measuring process ended before it answered.", "detail": "", "hint": ""}
_KEPT = "Finished runs are in the history, what the unfinished one had received is taken from its journal."


class SupervisedLink:
    """`connect` makes a link to a new worker, `greeting` are the commands each one is sent first. Links number their commands as one.

    A worker that ends by itself is replaced, at most three times a minute; after that `RetryServer` (the screen's retry) tries again.
    """

    def __init__(self, connect: Connect, greeting: Sequence[AnyCommand], clock_s: Callable[[], float] = time.monotonic) -> None:
        self._connect = connect
        self._greeting = list(greeting)
        self._clock_s = clock_s
        self._deaths: deque[float] = deque(maxlen=_RESTARTS)
        self._told: list[AnyEvent] = []
        self._unanswered: set[int] = set()
        self._closed = False
        self._link: Link | None = None
        self._failed = ""
        self._start()

    @property
    def state(self) -> str:
        return self._link.state if self._link is not None else "down"

    @property
    def reason(self) -> str:
        return self._link.reason if self._link is not None else self._failed

    def events(self) -> list[AnyEvent]:
        """What arrived, and what is to be said about the worker itself."""
        batch, self._told = self._told, []
        link = self._link
        if link is None:
            return batch
        down = link.state == "down"
        arrived = link.events()
        self._unanswered -= {event.id for event in arrived if isinstance(event, Reply)}
        batch += arrived
        batch += [told for event in batch if isinstance(event, Hello) for told in mismatch(event)]
        if down and not self._closed:
            batch += [Reply(id=number, ok=False, error=_GONE) for number in sorted(self._unanswered)]
            self._unanswered.clear()
            batch.append(self._replace(link.reason))
        return batch

    def send(self, command: AnyCommand) -> int:
        if self._link is None and isinstance(command, RetryServer):
            self._deaths.clear()
            self._start()
            return 0
        number = self._link.send(command) if self._link is not None else 0
        if number:
            self._unanswered.add(number)
        return number

    def close(self) -> int | None:
        self._closed = True
        return self._link.close() if self._link is not None else None

    def _start(self) -> None:
        try:
            self._link = self._connect()
        except OSError as error:
            self._link, self._failed = None, error.strerror or type(error).__name__
            self._told.append(ErrorEvent(title=f"The measuring process cannot be started: {self._failed}.", hint="r tries again."))
            return
        for command in self._greeting:
            self._link.send(command)

    def _replace(self, reason: str) -> ErrorEvent:
        now_s = self._clock_s()
        often = len(self._deaths) == _RESTARTS and now_s - self._deaths[0] < _WITHIN_S
        self._deaths.append(now_s)
        title = f"The measuring process ended ({reason})."
        if often:
            self._link, self._failed = None, reason
            return ErrorEvent(title=title, detail="It ended several times in a minute and was not started again.", hint="r tries again.")
        self._start()
        return ErrorEvent(title=title, detail="It was started again.", hint=_KEPT)


def mismatch(hello: Hello) -> list[AnyEvent]:
    """What is to be said of a worker that speaks another protocol than this screen; [] of one that does not."""
    if hello.protocol == PROTOCOL:
        return []
    title = f"The worker at {hello.host} speaks protocol {hello.protocol}, this screen {PROTOCOL}."
    return [ErrorEvent(title=title, detail=f"It is sparktui {hello.version}.", hint="Install the same version at both ends.")]
