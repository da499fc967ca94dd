"""Ending a bench that runs elsewhere, as its own Ctrl-C would: what is finished is kept."""

from __future__ import annotations

import os
import signal
import socket
import time

from sparktui.cli.streams import say
from sparktui.errors import EXIT_OK, EXIT_RUN_FAILED, UsageError
from sparktui.io.store.findsession import HEADLESS, purpose_of, running, session_named, writer_pid
from sparktui.io.store.journal import is_written
from sparktui.io.store.sessions import Session, session_at

_SAVED_S = 20.0
_LOOK_S = 0.05


def stop(reference: str, *, wait_s: float = _SAVED_S) -> int:
    """End the session named ("": the newest headless one) and wait until it has saved. Raises UsageError where there is none."""
    session = session_named(reference) if reference else _newest()
    pid = writer_pid(session)
    if pid is None:
        raise UsageError(f"Session {session.name} cannot be stopped from here.", detail=_why(session))
    try:
        os.kill(pid, signal.SIGTERM)
    except OSError as error:
        raise UsageError(f"Process {pid} cannot be told to stop: {error.strerror}.", hint="It belongs to another user.") from error
    deadline = time.monotonic() + wait_s
    while is_written(session.path) and time.monotonic() < deadline:
        time.sleep(_LOOK_S)
    if is_written(session.path):
        say(f"session {session.name} was told to stop and is still saving (process {pid})")
        return EXIT_RUN_FAILED
    after = session_at(session.path)
    say(f"session {session.name} has ended: {after.reason or after.state}; what was finished is in the history")
    return EXIT_OK


def _newest() -> Session:
    found = running(purposes=HEADLESS)
    if not found:
        raise UsageError("No bench is running.", hint="`sparktui watch --list` shows what did.")
    return found[0]


def _why(session: Session) -> str:
    if session.state != "running":
        return f"It is over already ({session.state}{': ' + session.reason if session.reason else ''})."
    if session.hello is not None and session.hello.host != socket.gethostname():
        return f"It runs on {session.hello.host}."
    return f"No process here is certainly that {purpose_of(session)}."
