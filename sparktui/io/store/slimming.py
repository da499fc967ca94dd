"""Taking the texts out of a journal that nobody needs them in any more. In place: every line stays where it is and as long as it is."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import msgspec

from sparktui.core.events import AnyEvent, Joined, RunDone, RunStarted, decode_event, encode_event
from sparktui.core.slim import without_text
from sparktui.errors import StorageError


def slim_journal(path: Path) -> bool:
    """Overwrite what prompts, answers and the server's log said; figures and times stay. False where a process writes the journal.

    Whoever reads it meanwhile finds whole lines all the way; its size and the time of its last change stay too.
    Raises StorageError where it cannot be written.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        raise _failed(path, error) from error
    try:
        if not _ours(handle):
            return False
        before = os.fstat(handle)
        with path.open("rb") as lines:
            at = 0
            for line in lines:
                slim = _slim(line)
                if slim != line:
                    os.pwrite(handle, slim, at)
                at += len(line)
        os.utime(handle, ns=(before.st_atime_ns, before.st_mtime_ns))
    except OSError as error:
        raise _failed(path, error) from error
    finally:
        os.close(handle)
    return True


def _slim(line: bytes) -> bytes:
    """The line without texts, filled up with spaces. What is no event, a torn end among it, may hold text: nothing of it stays."""
    end = b"\n" if line.endswith(b"\n") else b""
    room = len(line) - len(end)
    try:
        event = decode_event(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return b" " * room + end
    kept = without_text(event)
    if kept is event:
        return line
    return (_encoded(kept) if kept is not None else b"").ljust(room) + end


def _encoded(event: AnyEvent) -> bytes:
    """As JSON; absent texts and figures are left out, so that it is shorter than it was even where a text was one letter."""
    if not isinstance(event, RunStarted | RunDone | Joined):
        return encode_event(event)
    raw = msgspec.to_builtins(event)
    if not isinstance(event, RunStarted):
        raw["record"] = {name: value for name, value in raw["record"].items() if value is not None}
    del raw.get("record", raw)["prompt"]["text"]
    return msgspec.json.encode(raw)


def _ours(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # a file system without locks
        return True
    return True


def _failed(path: Path, error: OSError) -> StorageError:
    return StorageError(f"The texts stay in the journal {path}: {error.strerror or error}.", hint="Delete it if they must not.")
