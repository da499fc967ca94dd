"""Logs that come through a pipe: stdin, and FIFOs whose writers come and go."""

from __future__ import annotations

import os
import select
import threading
from pathlib import Path

from sparktui.io.log.logsource import POLL_S, Data, Put, Status

_BLOCK_BYTES = 64 * 1024
_NO_WRITER_S = 0.1


class StdinSource:
    """Standard input to its end. `fd` is another one in tests."""

    shown = "standard input"

    def __init__(self, fd: int = 0) -> None:
        self._fd = fd

    def run(self, put: Put, stop: threading.Event) -> None:
        put(Status("following", "", self.shown))
        while not stop.is_set():
            block = read_ready(self._fd)
            if block == b"":
                put(Status("ended", "end of input", self.shown))
                return
            if block is not None:
                put(Data(block))


def read_ready(fd: int, wait_s: float = POLL_S) -> bytes | None:
    """One block, b"" at the end, None when nothing came in time."""
    try:
        ready, _, _ = select.select([fd], [], [], wait_s)
        return os.read(fd, _BLOCK_BYTES) if ready else None
    except BlockingIOError:
        return None
    except OSError:
        return b""


def follow_fifo(path: Path, put: Put, stop: threading.Event) -> None:
    """Read a FIFO until `stop` or until it cannot be opened; an end of file only means that no writer has it open just now."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except PermissionError:
        put(Status("denied", f"no permission to read {path.name}", path.name))
        return
    except OSError as error:
        put(Status("waiting", error.strerror or str(error), path.name))
        return
    try:
        put(Status("following", "", path.name))
        while not stop.is_set():
            block = read_ready(fd)
            if block:
                put(Data(block))
            elif block == b"" and stop.wait(_NO_WRITER_S):
                return
    finally:
        os.close(fd)
