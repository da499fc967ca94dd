"""A log named by a path: file, folder, glob or FIFO, decided when it is there. Reads it on every wake-up."""

from __future__ import annotations

import contextlib
import glob
import stat
import threading
from pathlib import Path

from sparktui.io.log.logfolder import NewestTail, newest_match
from sparktui.io.log.logpipe import follow_fifo
from sparktui.io.log.logsource import POLL_S, Put, Status
from sparktui.io.log.logtail import FileTail
from sparktui.io.log.logwatch import wakeups


class PathSource:
    """`~` is expanded. A folder or a glob means its newest file (`*.log` in a folder). `start` 0 reads a file from its first byte
    instead of its last 256 KB. `events` False does without change events (250 ms polls only)."""

    def __init__(self, text: str, *, start: int | None = None, events: bool = True) -> None:
        self._text = str(_expanded(text))
        self._start = start
        self._events = events
        self.shown = text

    def run(self, put: Put, stop: threading.Event) -> None:
        said = False
        while not stop.is_set():
            path = Path(self._text)
            mode = _mode(path)
            if mode is None and glob.has_magic(self._text):
                self._follow(NewestTail(self._text), _fixed_part(self._text), put, stop)
            elif mode is None or stat.S_ISREG(mode):
                # a file that is not there is waited for by FileTail, unless a folder or a FIFO appears in its place
                self._follow(FileTail(path, start=self._start), path.parent, put, stop, until_special=path)
            elif stat.S_ISDIR(mode):
                self._follow(NewestTail(_logs_in(path)), path, put, stop)
            elif stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):
                follow_fifo(path, put, stop)
            elif not said:
                said = True
                put(Status("denied", f"{path.name} is neither a file, a folder nor a pipe", path.name))
            stop.wait(POLL_S)

    def _follow(
        self, tail: FileTail | NewestTail, folder: Path, put: Put, stop: threading.Event, until_special: Path | None = None
    ) -> None:
        with contextlib.closing(tail):
            for _ in wakeups(folder, stop, events=self._events):
                more = True
                while more and not stop.is_set():
                    items, more = tail.poll()
                    for item in items:
                        put(item)
                if until_special is not None and _is_special(until_special):
                    return


def file_meant(text: str) -> Path | None:
    """The file that a path, a folder (its newest `*.log`) or a glob means right now; None where there is none."""
    path = _expanded(text)
    mode = _mode(path)
    if mode is not None and stat.S_ISDIR(mode):
        return newest_match(_logs_in(path))
    return newest_match(str(path)) if mode is None and glob.has_magic(str(path)) else path


def _logs_in(folder: Path) -> str:
    return str(Path(glob.escape(str(folder))) / "*.log")


def _expanded(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:
        # no such user: the name stands for itself, and is waited for
        return Path(text)


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except OSError:
        return None


def _is_special(path: Path) -> bool:
    mode = _mode(path)
    return mode is not None and not stat.S_ISREG(mode)


def _fixed_part(pattern: str) -> Path:
    """The deepest folder of a glob that has no wildcard in it."""
    folder = Path(pattern).parent
    while glob.has_magic(str(folder)):
        folder = folder.parent
    return folder
