"""Ending a headless command that runs elsewhere, as its own Ctrl-C would: what is finished is kept, a sweep's server is put back."""

from __future__ import annotations

import os
import signal
import socket
import time

from sparktui.cli.streams import say
from sparktui.core.events import ErrorEvent
from sparktui.errors import EXIT_INTERRUPTED, EXIT_OK, EXIT_RUN_FAILED, UsageError
from sparktui.io.store.findsession import purpose_of, running, session_named, writer_pid
from sparktui.io.store.journal import is_written, read_journal
from sparktui.io.store.sessions import Session, session_at

_SAVED_S = 20.0
# a sweep loads the model again before it ends
_PUT_BACK_S = 900.0
_LOOK_S = 0.05


def stop(reference: str, purpose: str, *, wait_s: float | None = None) -> int:
    """End the session named ("": the newest of `purpose`) and wait until it has saved. Raises UsageError where there is none.

    One that was told before is only waited for: a second signal would end it at once, and a sweep would leave its server changed.
    """
    session = session_named(reference) if reference else _newest(purpose)
    pid = writer_pid(session)
    if pid is None:
        raise UsageError(f"Session {session.name} cannot be stopped from here.", detail=_why(session))
    if _told(session):
        say(f"session {session.name} was told to stop before; waiting for it")
    else:
        try:
            os.kill(pid, signal.SIGTERM)
        except OSError as error:
            raise UsageError(f"Process {pid} cannot be told to stop: {error.strerror}.", hint="It belongs to another user.") from error
    sweeps = purpose_of(session) == "sweep"
    if not _over(session, _SAVED_S if wait_s is None else wait_s) and sweeps and wait_s is None:
        say("the sweep puts its server back first; that takes as long as a load (Ctrl-C: wait no longer)")
        _over(session, _PUT_BACK_S)
    if is_written(session.path):
        say(f"session {session.name} was told to stop and is still {'putting its server back' if sweeps else 'saving'} (process {pid})")
        return EXIT_RUN_FAILED
    after = session_at(session.path)
    say(f"session {session.name} has ended: {after.reason or after.state}; what was finished is in the history")
    return EXIT_OK


def _over(session: Session, wait_s: float) -> bool:
    deadline = time.monotonic() + wait_s
    while is_written(session.path) and time.monotonic() < deadline:
        time.sleep(_LOOK_S)
    return not is_written(session.path)


def _told(session: Session) -> bool:
    return any(isinstance(event, ErrorEvent) and event.exit_code == EXIT_INTERRUPTED for event in read_journal(session.path))


def _newest(purpose: str) -> Session:
    found = running(purposes=(purpose,))
    if not found:
        raise UsageError(f"No {purpose} is running.", hint="`sparktui watch --list` shows what did.")
    return found[0]


def _why(session: Session) -> str:
    if session.state != "running":
        return f"It is over already ({session.state}{': ' + session.reason if session.reason else ''})."
    if session.hello is not None and session.hello.host != socket.gethostname():
        return f"It runs on {session.hello.host}."
    return f"No process here is certainly that {purpose_of(session)}."
