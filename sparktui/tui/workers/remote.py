"""A line to a worker elsewhere, which may break: it is made again, and the session goes on where the screen left it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import msgspec

from sparktui import __version__
from sparktui.core.commands import AnyCommand, Attach, HelloCommand, RetryServer
from sparktui.core.events import AnyEvent, Bye, ErrorEvent, Hello, Reply, Server
from sparktui.io.link import WorkerLink
from sparktui.io.ssh import Fault, explain
from sparktui.tui.workers.supervisor import mismatch

_DELAYS_S = (0.5, 1.0, 2.0, 4.0, 8.0)
_ASK_AFTER_S = 10.0
_DEAD_AFTER_S = 25.0
_BEYOND_LINGER_S = 60.0
_UNANSWERED = {"title": "The line broke before the answer came.", "detail": "", "hint": "It may have been done all the same."}


class RemoteLink:
    """`connect` makes a line to `place`; `greeting` are the commands a new session is sent first, `greeted` is given what it answers.

    `state` is up, starting (also while a lost line is made again) or down; then `RetryServer` (the screen's retry) tries again.
    A line that says nothing for 10 s is asked something; without an answer within 15 s more it is taken for lost.
    """

    def __init__(
        self,
        connect: Callable[[], WorkerLink],
        place: str,
        greeting: Sequence[AnyCommand],
        *,
        linger_s: float,
        greeted: Callable[[Reply], None] = lambda reply: None,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connect = connect
        self._place = place
        self._greeting = list(greeting)
        self._linger_s = linger_s
        self._greeted_by = greeted
        self._clock_s = clock_s
        self._link: WorkerLink | None = None
        self._told: list[AnyEvent] = []
        self._unanswered: set[int] = set()
        self._own: set[int] = set()
        self._attach = 0
        self._session = ""
        self._seq = 0
        self._server: Server | None = None
        self._lost_s: float | None = None
        self._again_s: float | None = None
        self._tries = 0
        self._bytes = 0
        self._heard_s = self._asked_s = clock_s()
        self._goodbye = self._closed = False
        self._failed = ""
        self._start()

    @property
    def state(self) -> str:
        if self._link is not None:
            return self._link.state if self._link.state != "down" else "starting"
        return "starting" if self._again_s is not None else "down"

    @property
    def reason(self) -> str:
        return self._link.reason if self._link is not None else self._failed

    @property
    def bytes_in(self) -> int:
        """What the line carried here since it was made, in bytes."""
        return self._link.bytes_in if self._link is not None else 0

    def events(self) -> list[AnyEvent]:
        """What arrived, and what is to be said about the line itself."""
        batch, self._told = self._told, []
        if self._link is None:
            if self._again_s is not None and self._clock_s() >= self._again_s:
                self._start()
            return [*batch, *self._take_told()]
        down = self._link.state == "down"
        for event in self._link.events():
            batch += self._taken(event)
        if down and not self._closed:
            batch += self._broken(self._link)
        else:
            self._listen(self._link)
        return [*batch, *self._take_told()]

    def send(self, command: AnyCommand) -> int:
        if self._link is None:
            if isinstance(command, RetryServer):
                self._lost_s, self._tries = None, 0
                self._start()
            return 0
        number = self._link.send(command)
        if number:
            self._unanswered.add(number)
        return number

    def go_on_with(self, session: str) -> None:
        """Leave this worker for the one of `session`, which waits for a screen; its events come from the beginning."""
        before, self._link = self._link, None
        if before is not None:
            threading.Thread(target=before.close, name="leave", daemon=True).start()
        self._unanswered.clear()
        self._session, self._seq = session, 0
        self._start()

    def close(self) -> int | None:
        self._closed = True
        if self._link is None:
            return None
        code = self._link.close()
        # how the line ends says nothing of the worker, which has said its goodbye
        return 0 if self._link.hello is not None else code

    def _take_told(self) -> list[AnyEvent]:
        told, self._told = self._told, []
        return told

    def _start(self) -> None:
        self._again_s = None
        self._goodbye = False
        try:
            self._link = self._connect()
        except OSError as error:
            self._failed = error.strerror or type(error).__name__
            self._told.append(ErrorEvent(title=f"The line to {self._place} cannot be made: {self._failed}.", hint="r tries again."))
            return
        self._bytes, self._heard_s = 0, self._clock_s()
        self._asked_s = self._heard_s
        if self._session:
            self._attach = self._link.send(Attach(session=self._session, from_seq=self._seq))
        else:
            self._greet()

    def _greet(self) -> None:
        assert self._link is not None
        for command in self._greeting:
            self._ask(self._link, command)

    def _ask(self, link: WorkerLink, command: AnyCommand) -> None:
        if number := link.send(command):
            self._own.add(number)

    def _taken(self, event: AnyEvent) -> list[AnyEvent]:
        """The event, unless it was seen before or is the line's own affair."""
        if isinstance(event, Reply):
            return self._replied(event)
        if isinstance(event, Hello):
            return self._greeted(event)
        if 0 < event.seq <= self._seq:
            return []
        self._seq = max(self._seq, event.seq)
        if isinstance(event, Server):
            # told again after a loss, it is no event of the session's
            self._server = msgspec.structs.replace(event, seq=0)
        self._goodbye = isinstance(event, Bye)
        return [event]

    def _greeted(self, hello: Hello) -> list[AnyEvent]:
        # an attached session says its hello again, with everything after `from_seq` behind it
        if hello.session != self._session:
            self._session, self._seq = hello.session, hello.seq
        return [hello, *mismatch(hello)]

    def _replied(self, reply: Reply) -> list[AnyEvent]:
        if reply.id == self._attach and self._attach:
            self._attach = 0
            lost, self._lost_s, self._tries = self._lost_s is not None, None, 0
            if reply.ok:
                back = ErrorEvent(title=f"Back at {self._place}.", detail="What was measured meanwhile is here.", exit_code=0)
                return [*([self._server] if lost and self._server is not None else []), back]
            self._greet()
            gone = ErrorEvent(title=f"The session at {self._place} is over; this is a new one.", hint="Its runs are in the history there.")
            return [gone]
        self._unanswered.discard(reply.id)
        if reply.id in self._own:
            self._own.discard(reply.id)
            if reply.ok:
                self._lost_s, self._tries = None, 0
                self._greeted_by(reply)
                return []
        return [reply]

    def _listen(self, link: WorkerLink) -> None:
        now_s = self._clock_s()
        if link.bytes_in != self._bytes:
            self._bytes, self._heard_s = link.bytes_in, now_s
        silent_s = now_s - self._heard_s
        if link.state == "up" and silent_s > _ASK_AFTER_S and self._asked_s <= self._heard_s:
            self._asked_s = now_s
            self._ask(link, HelloCommand(client_version=__version__))
        elif link.state == "up" and silent_s > _DEAD_AFTER_S and now_s - self._asked_s > _DEAD_AFTER_S - _ASK_AFTER_S:
            link.abandon()

    def _broken(self, link: WorkerLink) -> list[AnyEvent]:
        now_s = self._clock_s()
        answers: list[AnyEvent] = [Reply(id=number, ok=False, error=_UNANSWERED) for number in sorted(self._unanswered)]
        self._unanswered.clear()
        self._own.clear()
        self._link, self._failed, self._attach = None, link.reason, 0
        fault = explain(self._place, link.exit_code, link.said)
        up = link.hello is not None
        if self._goodbye:
            self._session, self._seq = "", 0
        if not up and (self._lost_s is None or fault.lasting):
            return [*answers, _told(fault), *self._unreachable(fault, None)]
        first = self._lost_s is None
        self._lost_s = now_s if self._lost_s is None else self._lost_s
        if now_s - self._lost_s > self._linger_s + _BEYOND_LINGER_S:
            gone = Fault(f"{self._place} did not come back.", "What was measured there is in the history there. r tries again.")
            return [*answers, _told(gone), *self._unreachable(gone, None)]
        delay_s = _DELAYS_S[min(self._tries, len(_DELAYS_S) - 1)]
        self._tries += 1
        self._again_s = now_s + delay_s
        lost = Fault(f"The line to {self._place} is lost ({link.reason}).", self._meanwhile(), lasting=False)
        return [*answers, *([_told(lost)] if first else []), *self._unreachable(lost, delay_s)]

    def _meanwhile(self) -> str:
        if not self._linger_s:
            return "What had arrived there is kept in the history there."
        return f"The worker there measures on for {self._linger_s:g} s; the line is being made again."

    def _unreachable(self, fault: Fault, again_s: float | None) -> list[AnyEvent]:
        return [Server(state="unreachable", cause=fault.title, hint=fault.hint, retry_in_s=again_s)]


def _told(fault: Fault) -> ErrorEvent:
    return ErrorEvent(title=fault.title, detail="", hint=fault.hint or "r tries again.")

