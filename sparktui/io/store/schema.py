"""The history's tables, their version, and the way from every older version to this one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from sparktui.io.store.recordjson import decode_record
from sparktui.io.store.rows import LIGHT_COLUMNS, light_columns

VERSION = 2
APPLICATION_ID = 0x53504B54

_RUNS = f"""CREATE TABLE runs (
    id TEXT NOT NULL UNIQUE,
    {", ".join(f"{name} {kind}" for name, kind in LIGHT_COLUMNS.items())},
    record BLOB NOT NULL, texts BLOB, timeline BLOB)"""
# every column that lists touch, in one index: a scan of it never reads records or texts
_LIGHT_INDEX = f"CREATE INDEX runs_light ON runs (started_s, id, {', '.join(name for name in LIGHT_COLUMNS if name != 'started_s')})"
_LABEL_INDEX = "CREATE INDEX runs_label ON runs (label COLLATE NOCASE, started_s)"
# runs taken out on purpose, so that an old journal does not bring them back
_GONE = "CREATE TABLE gone (id TEXT PRIMARY KEY) WITHOUT ROWID"
# journals whose runs were looked for in the history, with the size they had then
_SETTLED = "CREATE TABLE settled (name TEXT PRIMARY KEY, size INTEGER NOT NULL) WITHOUT ROWID"


def version_of(connection: sqlite3.Connection) -> int:
    """The schema version of an open database; 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def create(connection: sqlite3.Connection) -> None:
    """Make all tables of the present version. Call inside a transaction."""
    for statement in (_RUNS, _LIGHT_INDEX, _LABEL_INDEX, _GONE, _SETTLED):
        connection.execute(statement)
    _stamp(connection, VERSION)


def migrate(connection: sqlite3.Connection) -> list[int]:
    """Bring an older database to the present version, step by step; returns the versions passed through. Call inside a transaction."""
    passed = []
    while (version := version_of(connection)) < VERSION:
        _STEPS[version](connection)
        _stamp(connection, version + 1)
        passed.append(version + 1)
    return passed


def _stamp(connection: sqlite3.Connection, version: int) -> None:
    connection.execute(f"PRAGMA user_version = {version}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _to_2(connection: sqlite3.Connection) -> None:
    """Version 1 kept the record and five columns, and found runs by reading every record; version 2 has all light columns."""
    connection.execute("ALTER TABLE runs RENAME TO runs_1")
    for statement in (_RUNS, _LIGHT_INDEX, _LABEL_INDEX, _GONE, _SETTLED):
        connection.execute(statement)
    names = ("id", *LIGHT_COLUMNS, "record", "texts", "timeline")
    insert = f"INSERT INTO runs ({', '.join(names)}) VALUES ({', '.join(':' + name for name in names)})"
    unreadable = []
    for run_id, record, texts, timeline in connection.execute("SELECT id, record, texts, timeline FROM runs_1 ORDER BY started_s, rowid"):
        try:
            row = light_columns(decode_record(record))
        except ValueError:
            unreadable.append((run_id,))
            continue
        connection.execute(insert, {**row, "id": run_id, "record": record, "texts": texts, "timeline": timeline})
    if unreadable:
        connection.execute("CREATE TABLE unreadable AS SELECT * FROM runs_1 WHERE 0")
        connection.executemany("INSERT INTO unreadable SELECT * FROM runs_1 WHERE id = ?", unreadable)
    connection.execute("DROP TABLE runs_1")


_STEPS: dict[int, Callable[[sqlite3.Connection], None]] = {1: _to_2}
