"""Files of ours that are either the old ones or the new ones, whole; and finding out early that a path cannot be written."""

from __future__ import annotations

import os
import re
import secrets
import stat
from pathlib import Path

from sparktui.errors import StorageError, UsageError
from sparktui.io.paths import FILE_MODE

_UNSAFE = re.compile(r"[^\w.+-]+")


def safe_name(text: str) -> str:
    """`text` as a part of a file name: '/', ':', spaces and control characters become '-'; never empty, never hidden, at most 80 long."""
    return _UNSAFE.sub("-", text).strip("-.")[:80] or "run"


def check_writable(path: str | Path, *, force: bool = False) -> Path:
    """The path to write an export to, `~` expanded and its folder made. Leaves no file behind.

    Raises UsageError where it is a folder or exists (unless `force`), StorageError where it cannot be written.
    """
    target = Path(path).expanduser()
    try:
        state = target.stat()
    except OSError:
        state = None
    if state is not None and stat.S_ISDIR(state.st_mode):
        raise UsageError(f"{target} is a folder.", hint="Name a file in it, e.g. " + str(target / "runs.md"))
    if state is not None and not stat.S_ISREG(state.st_mode):
        return _check_device(target)
    if state is not None and not force:
        raise UsageError(f"{target} exists already.", hint="Choose another name, or say --force to replace it.")
    _make_folder(target.parent)
    probe = _temporary(target)
    try:
        os.close(os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, FILE_MODE))
        probe.unlink()
    except OSError as error:
        raise _cannot(target, error) from error
    return target


def write_atomic(path: str | Path, data: bytes, *, force: bool = False) -> Path:
    """Write `data` to `path` and return the path: a temporary file beside it, synced, then renamed. Mode 0600.

    An old file stays whole whatever happens, and is only replaced with `force`. A device or a pipe is written in place.
    Raises UsageError and StorageError as `check_writable` does.
    """
    target = check_writable(path, force=force)
    if target.exists() and not target.is_file():
        _write_in_place(target, data)
        return target
    real = target.resolve()
    temporary = _temporary(real)
    try:
        _write_synced(temporary, data)
        _put_in_place(temporary, real, force)
        _sync_folder(real.parent)
    except FileExistsError as error:
        temporary.unlink(missing_ok=True)
        raise UsageError(f"{target} exists already.", hint="Choose another name, or say --force to replace it.") from error
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise _cannot(target, error) from error
    return target


def _temporary(target: Path) -> Path:
    return target.with_name(f".{target.name[:80]}.{os.getpid()}.{secrets.token_hex(4)}.tmp")


def _put_in_place(temporary: Path, target: Path, force: bool) -> None:
    if force:
        temporary.replace(target)
        return
    try:
        target.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:
        # a file system without hard links: the check made before is all there is
        temporary.replace(target)
        return
    temporary.unlink()


def _write_synced(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, FILE_MODE)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    except OSError:
        # some file systems cannot sync a folder; the file itself is synced
        return
    finally:
        os.close(handle)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"The folder {folder} cannot be made: {error.strerror or error}.", hint="Choose another path.") from error


def _check_device(target: Path) -> Path:
    if not os.access(target, os.W_OK):
        raise StorageError(f"{target} cannot be written: Permission denied.", hint="Choose another path.")
    return target


def _write_in_place(target: Path, data: bytes) -> None:
    try:
        with target.open("wb", buffering=0) as file:
            view = memoryview(data)
            while view:
                view = view[file.write(view) or 0 :]
    except OSError as error:
        raise _cannot(target, error) from error


def _cannot(target: Path, error: OSError) -> StorageError:
    return StorageError(
        f"{target} cannot be written: {error.strerror or error}.",
        hint="Free some space or choose another path; the runs are still in the history.",
    )
