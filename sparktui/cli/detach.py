"""A headless command that goes on after its terminal: a session of its own, a log in place of the terminal, and a word where to find it."""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable
from pathlib import Path

from sparktui.cli.streams import say
from sparktui.core.events import RunStarted
from sparktui.errors import EXIT_INTERNAL, EXIT_OK, SparkError, StorageError
from sparktui.io.paths import FILE_MODE, ensure_dir, worker_log_dir
from sparktui.io.store.findsession import running
from sparktui.io.store.journal import read_journal
from sparktui.io.store.sessions import Session

_BEGUN_S = 15.0
_LOOK_S = 0.1
_TAIL_BYTES = 4_000


def detached(name: str, work: Callable[[], int]) -> int:
    """Run `work` in a process of its own and return once it measures; what it prints goes to a log. Its exit code if it ends before that.

    Raises StorageError where no log can be made.
    """
    log = _log_file(name)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        _second_half(theirs, log, work)
    os.close(theirs)
    os.waitpid(child, 0)
    with os.fdopen(ours, "rb", buffering=0) as pipe:
        return _wait(name, pipe.fileno(), log)


def _log_file(name: str) -> Path:
    path = ensure_dir(worker_log_dir()) / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, FILE_MODE))
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror or error}.") from error
    return path


def _second_half(pipe: int, log: Path, work: Callable[[], int]) -> None:
    """In the child: leave the terminal's session, then fork once more, so that no terminal can become the grandchild's. Never returns."""
    code = EXIT_INTERNAL
    try:
        os.setsid()
        if os.fork() == 0:
            os.write(pipe, f"{os.getpid()}\n".encode())
            _redirect(log)
            code = _worked(work)
            sys.stdout.flush()
            sys.stderr.flush()
            os.write(pipe, f"{code}\n".encode())
    finally:
        os._exit(code)


def _worked(work: Callable[[], int]) -> int:
    """The work's exit code; what it raises is told in the log as the front door would tell it."""
    from sparktui.io.crashreport import write_crash_report

    try:
        return work()
    except SparkError as error:
        say(f"sparktui: {error}")
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - the edge of this process: whatever went wrong becomes a report and one line
        where = write_crash_report(error, "detached")
        say(f"sparktui: internal error ({type(error).__name__}); report: {where}")
        return EXIT_INTERNAL


def _redirect(log: Path) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    out = os.open(log, os.O_WRONLY | os.O_APPEND)
    for source, target in ((nothing, 0), (out, 1), (out, 2)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(out)


def _wait(name: str, pipe: int, log: Path) -> int:
    """Until its first request is out, it has ended, or some seconds have passed; says which."""
    said = b""
    deadline = time.monotonic() + _BEGUN_S
    session: Session | None = None
    while time.monotonic() < deadline:
        if select.select([pipe], [], [], _LOOK_S)[0]:
            read = os.read(pipe, 256)
            said += read
            if not read:
                return _ended(said, log)
        session = _session_of(int(said.split()[0])) if said.strip() else None
        if session is not None and any(isinstance(event, RunStarted) for event in read_journal(session.path)):
            break
    _tell(name, session, log)
    return EXIT_OK


def _session_of(pid: int) -> Session | None:
    return next((item for item in running() if item.hello is not None and item.hello.pid == pid), None)


def _ended(said: bytes, log: Path) -> int:
    """It ended before it measured anything that lasted: its own words, here."""
    words = said.split()
    sys.stderr.write(log.read_text(encoding="utf-8", errors="replace")[-_TAIL_BYTES:])
    return int(words[1]) if len(words) > 1 else EXIT_INTERNAL


def _tell(name: str, session: Session | None, log: Path) -> None:
    if session is None:
        say(f"it runs on, and has not begun to measure yet; its log: {log}")
        return
    print(session.name, flush=True)
    say(f"session {session.name} runs on without this terminal")
    say(f"  look on:  sparktui watch {session.name}")
    say(f"  end it:   sparktui {name} --stop {session.name}")
    say(f"  its log:  {log}")
