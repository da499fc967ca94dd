"""Which session somebody means: the newest that runs, one by the beginning of its id, or a journal by its path; and whose process it is."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from pathlib import Path

from sparktui.errors import UsageError
from sparktui.io.paths import journal_dir
from sparktui.io.store.sessions import Session, session_at, sessions

HEADLESS = ("bench", "needle", "sweep", "ask")
_LIST = "`sparktui watch --list` shows them."


def purpose_of(session: Session) -> str:
    """bench, needle, sweep, ask or worker; "session" where the journal does not say."""
    return session.hello.purpose if session.hello is not None else "session"


def running(folder: Path | None = None, purposes: Sequence[str] = (*HEADLESS, "worker")) -> list[Session]:
    """The sessions that run now, headless ones before screens, each the newest first."""
    found = [item for item in sessions(folder or journal_dir()) if item.state == "running" and purpose_of(item) in purposes]
    return sorted(found, key=lambda item: (purpose_of(item) != "worker", item.name), reverse=True)


def session_named(reference: str, folder: Path | None = None) -> Session:
    """The session of a journal's path, or of an id or the beginning of just one. Raises UsageError."""
    path = Path(reference).expanduser()
    if path.is_file():
        return session_at(path)
    if os.sep in reference or path.suffix == ".jsonl":
        raise UsageError(f"There is no journal {path}.", hint=_LIST)
    found = [item for item in sessions(folder or journal_dir()) if item.name.startswith(reference)]
    exact = [item for item in found if item.name == reference]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if not found or not reference:
        raise UsageError(f"No session id begins with {reference!r}.", hint=_LIST)
    names = ", ".join(item.name for item in found[:6])
    raise UsageError(f"Several session ids begin with {reference!r}.", detail=names, hint="Write more of it.")


def writer_pid(session: Session) -> int | None:
    """The process that writes a running session's journal on this machine; None unless it certainly is that one.

    A process id is used again after its process ended: the process must have this very journal open.
    """
    hello = session.hello
    if hello is None or session.state != "running" or hello.host != socket.gethostname():
        return None
    return hello.pid if _has_open(hello.pid, session.path) else None


def _has_open(pid: int, path: Path) -> bool:
    import psutil

    try:
        opened = psutil.Process(pid).open_files()
    except (psutil.Error, OSError):
        return False
    return any(Path(item.path) == path.resolve() for item in opened)
