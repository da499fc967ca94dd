"""Where a worker whose screen was lost is found again: a Unix socket of its own, for its user only, and a mark while nobody is there."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from sparktui.errors import StorageError
from sparktui.io.paths import data_dir, ensure_dir

_FOLDER = "lines"
_BLOCK_BYTES = 64 * 1024
# a socket's address is a fixed field: 108 bytes on Linux, 104 on macOS
_LONGEST_PATH = 100
_CONNECT_S = 5.0


class Door:
    """Listens for screens that come back to `session`. Close it when the worker ends: it takes the socket away.

    Raises StorageError where there can be no such socket.
    """

    def __init__(self, session: str) -> None:
        self._path = _path(session)
        self._mark = self._path.with_suffix(".away")
        ensure_dir(self._path.parent)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with _address(self._path) as address:
                self._socket.bind(address)
            self._path.chmod(0o600)
            self._socket.listen(4)
        except OSError as error:
            self._socket.close()
            raise StorageError(f"The socket {self._path} cannot be made: {error.strerror or error}.") from error

    def accept(self) -> socket.socket | None:
        """The next screen; None once the door is closed."""
        try:
            return self._socket.accept()[0]
        except OSError:
            return None

    def mark(self, away: bool) -> None:
        """Say whether somebody is there. A closed door says nothing."""
        if self._socket.fileno() < 0:
            return
        with contextlib.suppress(OSError):
            if away:
                self._mark.touch(0o600)
            else:
                self._mark.unlink(missing_ok=True)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            # wakes a thread that waits in accept()
            self._socket.shutdown(socket.SHUT_RDWR)
        self.mark(False)
        self._socket.close()
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)


def knock(session: str) -> socket.socket | None:
    """A connection to the worker of `session`; None when it is over."""
    if not session or "/" in session:
        return None
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.settimeout(_CONNECT_S)
    try:
        with _address(_path(session)) as address:
            line.connect(address)
    except OSError:
        line.close()
        return None
    line.settimeout(None)
    return line


def waiting() -> list[str]:
    """Sessions on this machine that measure on without a screen, the newest first. What killed workers left is cleared away."""
    found = []
    try:
        marks = sorted((data_dir() / _FOLDER).glob("*.away"), reverse=True)
    except OSError:
        return []
    for mark in marks:
        line = knock(mark.stem)
        if line is not None:
            line.close()
            found.append(mark.stem)
            continue
        for left in (mark, mark.with_suffix(".sock")):
            with contextlib.suppress(OSError):
                left.unlink(missing_ok=True)
    return found


def lines_of(fd: int) -> Iterator[bytes]:
    """Whole lines read from a descriptor as they come; ends with it."""
    rest = bytearray()
    while True:
        try:
            block = os.read(fd, _BLOCK_BYTES)
        except OSError:
            block = b""
        if not block:
            break
        rest += block
        if b"\n" in block:
            *lines, tail = bytes(rest).split(b"\n")
            rest = bytearray(tail)
            yield from lines
    if rest:
        yield bytes(rest)


def _path(session: str) -> Path:
    return data_dir() / _FOLDER / f"{session}.sock"


@contextlib.contextmanager
def _address(path: Path) -> Iterator[str]:
    """The path, or a short way to it where it is too long for an address (Linux only)."""
    if len(os.fsencode(path)) <= _LONGEST_PATH:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
