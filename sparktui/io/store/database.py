"""Opening the history's SQLite file in the way its folder allows, and saying in plain words what went wrong."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct

from sparktui.errors import StorageError
from sparktui.io.paths import DATA_DIR_VARIABLE, create_private, ensure_dir
from sparktui.io.store import schema
from sparktui.io.store.filesystem import is_network

BUSY_TIMEOUT_S = 5.0
_LOCK_WAIT_S = 60.0
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_COMPANIONS = ("-wal", "-shm", "-journal")


class Opened(Struct, frozen=True):
    """An open database. `read_only` says that nothing can be stored; `notes` are sentences for the user; `inode` is the file's."""

    connection: sqlite3.Connection
    read_only: bool
    notes: tuple[str, ...] = ()
    inode: int | None = None


def open_database(path: Path, *, now_s: float | None = None) -> Opened:
    """Open or make the database at `path`, brought to the present schema.

    A folder that cannot be written opens read-only; a newer schema opens read-only; a damaged file is set aside under a new name
    (never deleted) and a new one begun. Raises StorageError where none of that is possible.
    """
    if not path.exists() or _can_write(path):
        with contextlib.suppress(_ReadOnlyFolderError):
            return _open_for_writing(path, time.time() if now_s is None else now_s)
    return _open_read_only(path)


def inode_of(path: Path) -> int | None:
    """Which file `path` is now; None where there is none."""
    try:
        return path.stat().st_ino
    except OSError:
        return None


def replace_damaged(path: Path, inode: int | None) -> Opened:
    """Set a database that turned out to be damaged while open aside, and open what is there now.

    It stays where another process did so already, and where the file, read afresh, is whole: then only the old connection was at fault.
    """
    with _opening_alone(path):
        if inode_of(path) == inode and not _is_whole(path):
            return _begin_again(path, time.time())
    return open_database(path)


def is_damage(error: sqlite3.Error) -> bool:
    """True where `error` says that the file itself is broken."""
    return _code(error) in _DAMAGED


def storage_error(error: sqlite3.Error, path: Path) -> StorageError:
    """What an SQLite error means to a person."""
    code = _code(error)
    if code == sqlite3.SQLITE_FULL:
        return StorageError(f"The disk is full: {path} cannot grow.", hint="Free some space; the run is kept in memory until then.")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StorageError(f"Another process holds {path}.", hint="Wait until it is done, or end it.")
    if code == sqlite3.SQLITE_READONLY:
        return StorageError(f"{path} is read-only.", hint=f"Allow writing to it, or set {DATA_DIR_VARIABLE} to another folder.")
    if code in _DAMAGED:
        return StorageError(f"{path} is damaged.", detail=str(error), hint="Open it again: it is then set aside and a new one begun.")
    return StorageError(f"{path} cannot be used.", detail=str(error), hint="Is the disk full, or was the folder taken away?")


def set_aside(path: Path, now_s: float) -> Path:
    """Rename a damaged database and its companions to `NAME.damaged-TIME`; returns the new path. Raises OSError."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(now_s))
    target = path.with_name(f"{path.name}.damaged-{stamp}")
    number = 1
    while target.exists():
        number += 1
        target = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
    path.rename(target)
    for suffix in _COMPANIONS:
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(target.with_name(target.name + suffix))
    return target


def _is_whole(path: Path) -> bool:
    try:
        with contextlib.closing(_sqlite(path.absolute().as_posix())) as connection:
            return bool(connection.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok")
    except sqlite3.Error as error:
        return not is_damage(error)


class _ReadOnlyFolderError(Exception):
    pass


def _open_for_writing(path: Path, now_s: float) -> Opened:
    ensure_dir(path.parent)
    with _opening_alone(path):
        try:
            return _connect(path)
        except OSError as error:
            if path.exists():
                raise _ReadOnlyFolderError from error
            raise _cannot_be_made(path, error) from error
        except sqlite3.DatabaseError as error:
            if _code(error) in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN) and path.exists():
                raise _ReadOnlyFolderError from error
            if not is_damage(error):
                raise storage_error(error, path) from error
        return _begin_again(path, now_s)


def _begin_again(path: Path, now_s: float) -> Opened:
    try:
        aside = set_aside(path, now_s)
        opened = _connect(path)
    except OSError as error:
        raise StorageError(f"{path} is damaged and cannot be set aside: {error.strerror or error}.") from error
    except sqlite3.Error as error:
        raise storage_error(error, path) from error
    note = (
        f"The history was damaged. It is kept as {aside.name} and a new one was begun; "
        f"`sparktui history import {aside}` takes over the runs that can still be read."
    )
    return Opened(opened.connection, False, (note, *opened.notes), opened.inode)


def _connect(path: Path) -> Opened:
    create_private(path)
    connection = _sqlite(path.absolute().as_posix())
    try:
        connection.execute("PRAGMA schema_version").fetchone()
        version = schema.version_of(connection)
        if version > schema.VERSION:
            connection.execute("PRAGMA query_only = ON")
            return Opened(connection, True, (_newer(path, version),), inode_of(path))
        if version == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise StorageError(f"{path} is a database of something else.", hint=f"Set {DATA_DIR_VARIABLE} to another folder.")
        _set_modes(connection, path)
        notes = _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return Opened(connection, False, notes, inode_of(path))


def _prepare(connection: sqlite3.Connection, path: Path) -> tuple[str, ...]:
    """Make or migrate the tables; all of it or nothing."""
    version = schema.version_of(connection)
    if version == schema.VERSION:
        return ()
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = schema.version_of(connection)
        if version == 0:
            schema.create(connection)
        passed = schema.migrate(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return (f"The history was brought from version {version} to {schema.VERSION}.",) if passed else ()


def _set_modes(connection: sqlite3.Connection, path: Path) -> None:
    wanted = "TRUNCATE" if is_network(path.parent) else "WAL"
    mode = connection.execute(f"PRAGMA journal_mode = {wanted}").fetchone()[0]
    if mode.upper() != wanted:
        connection.execute("PRAGMA journal_mode = TRUNCATE")
    # a run is stored once in a while and must survive a power cut
    connection.execute("PRAGMA synchronous = FULL")


def _open_read_only(path: Path) -> Opened:
    note = f"{path.parent} cannot be written: the history is shown but nothing is stored in it."
    wal = path.with_name(path.name + "-wal")
    options = ("mode=ro", "mode=ro&immutable=1") if wal.exists() and wal.stat().st_size else ("mode=ro&immutable=1",)
    failure: sqlite3.Error | None = None
    for option in options:
        try:
            connection = _sqlite(f"file:{quote(path.absolute().as_posix())}?{option}", uri=True)
            version = schema.version_of(connection)
        except sqlite3.Error as error:
            failure = error
            continue
        connection.execute("PRAGMA query_only = ON")
        if version > schema.VERSION:
            note += " " + _newer(path, version)
        elif version < schema.VERSION:
            connection.close()
            raise StorageError(
                f"{path} was written by an older version and its folder is read-only.",
                hint=f"Copy it to a folder that can be written, and set {DATA_DIR_VARIABLE} to that.",
            )
        return Opened(connection, True, (note,), inode_of(path))
    raise storage_error(failure or sqlite3.OperationalError("unable to open database file"), path) from failure


def _newer(path: Path, version: int) -> str:
    return f"{path.name} was written by a newer sparktui (schema {version}, this one knows {schema.VERSION}): it is opened read-only."


def _sqlite(target: str, *, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(target, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False, uri=uri)


def _can_write(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


@contextlib.contextmanager
def _opening_alone(path: Path) -> Iterator[None]:
    """Hold a lock while a database is made, migrated or set aside, so that two processes never do it at once."""
    try:
        handle = os.open(path.with_name(path.name + ".lock"), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if path.exists():
            raise _ReadOnlyFolderError from error
        raise _cannot_be_made(path, error) from error
    try:
        _lock(handle)
        yield
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    """Wait for the lock, but not for ever: without it SQLite's own locks still hold."""
    until = time.monotonic() + _LOCK_WAIT_S
    while time.monotonic() < until:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(0.02)
        except OSError:
            return


def _cannot_be_made(path: Path, error: OSError) -> StorageError:
    return StorageError(
        f"The history cannot be made in {path.parent}: {error.strerror or error}.",
        hint=f"Free some space, or set {DATA_DIR_VARIABLE} to a folder that can be written.",
    )


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF
