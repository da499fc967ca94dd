"""The journals of a folder: which session is running, which ended, which was killed; and clearing old ones away."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from sparktui.core.events import Bye, Hello, decode_event
from sparktui.errors import StorageError
from sparktui.io.store.journal import is_written

State = Literal["running", "ended", "killed"]

_HEAD_BYTES = 8 * 1024
_TAIL_BYTES = 4 * 1024
_DAY_S = 86_400


class Session(Struct, frozen=True, kw_only=True):
    """One journal. `state`: running (its writer lives), ended (it said goodbye, `reason` says why) or killed (neither).

    `hello` is None where the journal does not begin as one. Times in seconds since 1970.
    """

    path: Path
    state: State
    reason: str = ""
    hello: Hello | None = None
    size_bytes: int = 0
    changed_s: float = 0.0

    @property
    def name(self) -> str:
        return self.path.stem


def sessions(folder: Path) -> list[Session]:
    """Every journal in `folder`, the one written last first. [] where there is no such folder."""
    found = []
    for path, _, _ in journals(folder):
        with contextlib.suppress(FileNotFoundError):  # cleared away meanwhile
            found.append(session_at(path))
    return sorted(found, key=lambda session: (session.state == "running", session.changed_s, session.name), reverse=True)


def journals(folder: Path) -> list[tuple[Path, int, float]]:
    """Path, size in bytes and time of the last change of every journal in `folder`; nothing in them is read."""
    found = []
    try:
        for path in folder.iterdir():
            if path.suffix == ".jsonl" and not path.name.startswith("."):
                with contextlib.suppress(FileNotFoundError):
                    state = path.stat()
                    found.append((path, state.st_size, state.st_mtime))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StorageError(f"The folder {folder} cannot be read: {error.strerror or error}.") from error
    return found


def session_at(path: Path) -> Session:
    """The session of one journal. Raises FileNotFoundError."""
    # asked before the end is read: a writer that ends in between has said its goodbye by then
    living = is_written(path)
    state = path.stat()
    head, end = _ends(path, state.st_size)
    goodbye = _goodbye(end)
    word: State = "running" if living and goodbye is None else "ended" if goodbye is not None else "killed"
    return Session(
        path=path,
        state=word,
        reason=goodbye.reason if goodbye else "",
        hello=_hello(head),
        size_bytes=state.st_size,
        changed_s=state.st_mtime,
    )


def prune_journals(folder: Path, *, days: float, megabytes: float, now_s: float, keep: Sequence[str] = ()) -> list[Path]:
    """Delete journals older than `days`, then the oldest until the rest is within `megabytes`; returns what was deleted.

    Running sessions and those named in `keep` are never touched.
    """
    found = sorted(journals(folder), key=lambda item: item[2])
    kept_bytes = sum(size for _, size, _ in found)
    deleted = []
    for path, size, changed_s in found:
        wanted = now_s - changed_s <= days * _DAY_S and kept_bytes <= megabytes * 1e6
        if wanted or path.stem in keep or is_written(path):
            continue
        try:
            path.unlink()
        except OSError:
            continue
        kept_bytes -= size
        deleted.append(path)
    return deleted


def _ends(path: Path, size: int) -> tuple[bytes, bytes]:
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
            file.seek(max(0, size - _TAIL_BYTES))
            return head, file.read(_TAIL_BYTES)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StorageError(f"The journal {path} cannot be read: {error.strerror or error}.") from error


def _hello(head: bytes) -> Hello | None:
    for line in head.splitlines()[:20]:
        with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
            event = decode_event(line)
            if isinstance(event, Hello):
                return event
    return None


def _goodbye(end: bytes) -> Bye | None:
    lines = end.rstrip(b"\n").rsplit(b"\n", 1)
    with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
        event = decode_event(lines[-1])
        return event if isinstance(event, Bye) else None
    return None
