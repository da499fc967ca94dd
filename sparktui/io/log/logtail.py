"""One file followed by name: grown, renamed, truncated, regrown, deleted and made again. `poll` reads what is new; no thread, no wait."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

from sparktui.io.log.logsource import TAIL_BYTES, Begin, Data, Item, Status

_BLOCK_BYTES = 64 * 1024
_SIGNATURE_BYTES = 64
_BUDGET_BYTES = 4 << 20
_EMPTY_PATIENCE_S = 1.0


class FileTail:
    """Knows its file by device, inode, and the bytes at its start and just before the offset.

    `start` None: the last 256 KB, which are no live lines; a number: from that offset on, all live. A file that appears only later is
    read from its start.
    """

    def __init__(self, path: Path, *, start: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._start = start
        self._clock = clock
        self._fd = -1
        self._identity = (0, 0)
        self._offset = 0
        self._head = b""
        self._tail = b""
        self._backlog_end = 0
        self._skip_line = False
        self._seen = (-1, -1)
        self._was_missing = False
        self._replaced_since: float | None = None
        self._status = Status("")

    @property
    def identity(self) -> tuple[int, int]:
        """(device, inode) of the open file."""
        return self._identity

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def poll(self) -> tuple[list[Item], bool]:
        """What is new, and whether there is more to read at once."""
        items: list[Item] = []
        if self._fd < 0 and not self._open(items):
            return items, False
        more = self._read(items)
        if not more:
            more = self._check_name(items)
        return items, more

    def drain(self) -> list[Item]:
        """Everything up to the end of the file, before it is left for another one."""
        items: list[Item] = []
        while self._fd >= 0 and self._read(items):
            pass
        return items

    def _say(self, items: list[Item], state: str, reason: str = "") -> None:
        status = Status(state, reason, self._path.name)
        if status != self._status:
            self._status = status
            items.append(status)

    def _open(self, items: list[Item]) -> bool:
        try:
            fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except PermissionError:
            self._say(items, "denied", f"no permission to read {self._path.name}")
            return False
        except OSError as error:
            self._was_missing = True
            missing = isinstance(error, FileNotFoundError | NotADirectoryError)
            self._say(items, "waiting", f"{self._path.name} is not there yet" if missing else error.strerror or str(error))
            return False
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            os.close(fd)
            self._say(items, "waiting", f"{self._path.name} is not a file")
            return False
        self._fd, self._identity = fd, (info.st_dev, info.st_ino)
        self._begin(items, info.st_size)
        self._say(items, "following")
        return True

    def _begin(self, items: list[Item], size: int) -> None:
        """Choose the offset: the end of what was there when following began, the start of anything newer."""
        offset = 0
        self._backlog_end = 0
        if not self._was_missing:
            offset = max(0, size - TAIL_BYTES) if self._start is None else min(self._start, size)
            self._backlog_end = size if self._start is None else 0
        self._was_missing = True
        self._restart(offset)
        self._skip_line = offset > 0 and os.pread(self._fd, 1, offset - 1) != b"\n"
        items.append(Begin(mid_file=offset > 0))

    def _restart(self, offset: int) -> None:
        self._offset = offset
        self._head = self._tail = b""
        self._seen = (-1, -1)
        self._skip_line = False

    def _read(self, items: list[Item]) -> bool:
        info = os.fstat(self._fd)
        if (info.st_size, info.st_mtime_ns) == self._seen and info.st_size == self._offset:
            return False
        if info.st_size < self._offset or not self._same_content():
            self._truncated(items)
        self._seen = (info.st_size, info.st_mtime_ns)
        end = self._offset + _BUDGET_BYTES
        while self._offset < end:
            block = os.pread(self._fd, _BLOCK_BYTES, self._offset)
            if not block:
                break
            live = self._offset >= self._backlog_end
            if not live:
                block = block[: self._backlog_end - self._offset]
            self._offset += len(block)
            self._sign(block)
            block = self._without_rest_of_line(block)
            if block:
                items.append(Data(block, live))
        return self._offset >= end

    def _without_rest_of_line(self, block: bytes) -> bytes:
        if not self._skip_line:
            return block
        if block.startswith(b"\0"):
            # the hole a sparse file was grown with: a line begins behind it
            block = block.lstrip(b"\0")
            self._skip_line = not block
            return block
        end = block.find(b"\n")
        self._skip_line = end < 0
        return b"" if end < 0 else block[end + 1 :]

    def _sign(self, block: bytes) -> None:
        if len(self._head) < _SIGNATURE_BYTES:
            self._head = os.pread(self._fd, min(_SIGNATURE_BYTES, self._offset), 0)
        self._tail = (self._tail + block)[-_SIGNATURE_BYTES:]

    def _same_content(self) -> bool:
        """False when the file was emptied and has grown again past our offset."""
        if self._head and os.pread(self._fd, len(self._head), 0) != self._head:
            return False
        return not self._tail or os.pread(self._fd, len(self._tail), self._offset - len(self._tail)) == self._tail

    def _truncated(self, items: list[Item]) -> None:
        items.append(Status("truncated", "the log was emptied and is read from its start", self._path.name))
        items.append(Begin(keep_partial=False))
        self._backlog_end = 0
        self._restart(self._first_data())
        self._status = Status("following", "", self._path.name)
        items.append(self._status)

    def _first_data(self) -> int:
        """Where the bytes begin: behind the hole that a writer leaves which goes on at its old offset."""
        with contextlib.suppress(OSError, AttributeError):
            return os.lseek(self._fd, 0, os.SEEK_DATA)
        return 0

    def _check_name(self, items: list[Item]) -> bool:
        """Whether the name now means another file; then that one is next, once this one is read to its end."""
        try:
            info = self._path.stat()
        except FileNotFoundError:
            self._say(items, "waiting", f"{self._path.name} is gone; waiting for a new one")
            return False
        except OSError as error:
            self._say(items, "denied", error.strerror or str(error))
            return False
        if (info.st_dev, info.st_ino) == self._identity:
            self._replaced_since = None
            self._say(items, "following")
            return False
        now = self._clock()
        since = self._replaced_since = self._replaced_since if self._replaced_since is not None else now
        if info.st_size == 0 and now - since < _EMPTY_PATIENCE_S:
            # the writer may go on with the old file until it is told to reopen
            return False
        items += self.drain()
        self.close()
        self._replaced_since = None
        items.append(Status("switched", f"{self._path.name} was replaced", self._path.name))
        self._status = Status("")
        return self._open(items)
