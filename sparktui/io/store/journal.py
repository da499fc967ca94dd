"""The journal of a session: its event stream as JSON lines, complete, in a file that outlives every crash."""

from __future__ import annotations

import collections
import fcntl
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from sparktui.core.events import AnyEvent, decode_event, encode_event
from sparktui.errors import StorageError
from sparktui.io.paths import FILE_MODE, ensure_dir
from sparktui.io.store.recordjson import clean

_BATCH_S = 1 / 60
_RETRY_S = 2.0
_BLOCK_BYTES = 1 << 20
_SHORTEST_SECRET = 8
_MASK = b"***"


class JournalWriter:
    """A sink. Events are written by a thread, a batch at a time, each batch at once in the file; the caller never waits.

    The file is locked while it is open, so that a reader can tell a living writer from one that was killed.
    What cannot be written (disk full) is kept and tried again; `error` says why, None when all is well.
    `secrets` are masked wherever they occur. A journal that exists is gone on with.
    Raises StorageError where the file cannot be made or another process writes it.
    """

    def __init__(self, path: Path, *, secrets: Sequence[str] = (), batch_s: float = _BATCH_S, retry_s: float = _RETRY_S) -> None:
        self.path = path
        self.error: StorageError | None = None
        # as they are spelt inside a JSON string
        self._secrets = [msgspec.json.encode(secret)[1:-1] for secret in secrets if len(secret) >= _SHORTEST_SECRET]
        self._batch_s = batch_s
        self._retry_s = retry_s
        self._queue: collections.deque[AnyEvent] = collections.deque()
        self._unwritten = b""
        self._wake = threading.Event()
        self._closing = threading.Event()
        self._written = threading.Condition()
        self._fd = _open_locked(path)
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def __call__(self, event: AnyEvent) -> None:
        self._queue.append(event)
        self._wake.set()

    def flush(self, timeout_s: float = 2.0) -> bool:
        """Wait until everything handed over so far is in the file. False where it is not by then."""
        self._wake.set()
        with self._written:
            return self._written.wait_for(lambda: not self._queue and not self._unwritten, timeout_s)

    def close(self, timeout_s: float = 2.0) -> bool:
        """Write what is left and give up the lock. False where some of it could not be written."""
        self._closing.set()
        self._wake.set()
        self._thread.join(timeout_s)
        if not self._thread.is_alive() and self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        return not self._queue and not self._unwritten

    def _run(self) -> None:
        while not self._closing.is_set():
            self._wake.wait(None if not self._unwritten else self._retry_s)
            self._wake.clear()
            self._write()
            # pause after writing, so that a lone event is there at once and a flood goes in batches
            self._closing.wait(self._batch_s)
        self._write()

    def _write(self) -> None:
        """One attempt at all that is queued."""
        with self._written:
            lines = []
            while self._queue:
                lines.append(self._masked(_line(self._queue.popleft())))
            self._unwritten += b"".join(lines)
            try:
                while self._unwritten:
                    self._unwritten = self._unwritten[os.write(self._fd, self._unwritten) :]
                self.error = None
            except OSError as error:
                self.error = StorageError(
                    f"The journal {self.path} cannot be written: {error.strerror or error}.", hint="Free some space; it is tried again."
                )
            self._written.notify_all()

    def _masked(self, line: bytes) -> bytes:
        for secret in self._secrets:
            line = line.replace(secret, _MASK)
        return line


class JournalTail:
    """Reads a journal that may still be growing. `skipped` counts lines that are no events (a torn tail only once more follows it)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.skipped = 0
        self.offset = 0
        self._rest = b""

    def read_new(self, most_bytes: int | None = None) -> list[AnyEvent]:
        """Events of whole lines that came since the last call, of at most so many bytes. Raises StorageError where it cannot be read."""
        try:
            with self.path.open("rb") as file:
                file.seek(self.offset)
                data = file.read(-1 if most_bytes is None else most_bytes)
        except OSError as error:
            raise StorageError(f"The journal {self.path} cannot be read: {error.strerror or error}.") from error
        self.offset += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [event for line in lines if (event := self._event(line)) is not None]

    def _event(self, line: bytes) -> AnyEvent | None:
        if not line.strip():
            return None
        try:
            return decode_event(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self.skipped += 1
            return None


def read_journal(path: Path) -> Iterator[AnyEvent]:
    """Every event of a journal, in order and block by block; a torn tail and lines that are no events are passed over."""
    tail = JournalTail(path)
    while True:
        before = tail.offset
        yield from tail.read_new(_BLOCK_BYTES)
        if tail.offset == before:
            return


def is_written(path: Path) -> bool:
    """True while a living process writes the journal at `path`, on this machine or (where locks reach) another."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


def _open_locked(path: Path) -> int:
    """A new file, locked before anybody can see it under its name; or the one that is there, to go on in after its last whole line."""
    ensure_dir(path.parent)
    try:
        return _go_on(path) if path.exists() else _create(path)
    except BlockingIOError as error:
        raise StorageError(f"The journal {path} is being written by another process.", hint="Start a new session.") from error
    except OSError as error:
        raise StorageError(f"The journal {path} cannot be made: {error.strerror or error}.", hint="Is the disk full?") from error


def _create(path: Path) -> int:
    hidden = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(hidden, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, FILE_MODE)
    try:
        _lock(handle)
        hidden.rename(path)
    except OSError:
        os.close(handle)
        hidden.unlink(missing_ok=True)
        raise
    return handle


def _go_on(path: Path) -> int:
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
    try:
        _lock(handle)
        size = os.fstat(handle).st_size
        if size and os.pread(handle, 1, size - 1) != b"\n":
            os.write(handle, b"\n")
    except OSError:
        os.close(handle)
        raise
    return handle


def _lock(handle: int) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        # a file system without locks: the journal is still worth having
        return


def _line(event: AnyEvent) -> bytes:
    try:
        return encode_event(event) + b"\n"
    except UnicodeEncodeError:
        return msgspec.json.encode(clean(msgspec.to_builtins(event))) + b"\n"
