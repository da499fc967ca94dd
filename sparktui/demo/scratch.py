"""A folder in the temp folder for a demo server's log, and the removal of those whose owners were killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path

from sparktui.errors import StorageError

_PREFIX = "sparktui-demo-"
# between a folder's making and its lock, nobody else may take it for a forgotten one
_SETTLED_S = 60.0


class Scratch:
    """A folder of mode 0700 that is locked as long as its owner lives: the kernel drops the lock however a process ends.

    Raises StorageError where no folder can be made.
    """

    def __init__(self) -> None:
        try:
            self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        except OSError as error:
            raise StorageError(
                f"No folder can be made for the demo server's log: {error.strerror}.", hint="Set TMPDIR to a folder that can be written to."
            ) from error
        self._lock = _locked(self.path)

    def remove(self) -> None:
        """Take the folder away. Safe to call again."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def remove_forgotten(older_than_s: float = _SETTLED_S) -> int:
    """Take away this user's scratch folders that nobody holds any more; returns how many. One that cannot be removed stays."""
    try:
        found = list(Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"))
    except OSError:
        return 0
    count = 0
    for path in found:
        if _is_forgotten(path, older_than_s):
            shutil.rmtree(path, ignore_errors=True)
            count += not path.exists()
    return count


def _is_forgotten(path: Path, older_than_s: float) -> bool:
    try:
        found = path.lstat()
    except OSError:
        return False
    if found.st_uid != os.getuid() or time.time() - found.st_mtime < older_than_s:
        return False
    lock = _locked(path)
    if lock is None:
        return False
    os.close(lock)
    return True


def _locked(path: Path) -> int | None:
    """A descriptor that holds the folder's lock; None where another process holds it, or where it is no folder or cannot be locked."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
