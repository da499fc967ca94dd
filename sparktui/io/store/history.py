"""Every run ever measured here: one SQLite file, several processes at once, lists that never read texts."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from sparktui.core.records import ChunkMark, RunRecord
from sparktui.errors import StorageError, UsageError
from sparktui.io.paths import history_path
from sparktui.io.store import database
from sparktui.io.store.filters import Clause, parse_filter, parse_sort
from sparktui.io.store.recordjson import RawRecord, clean, decode_record
from sparktui.io.store.rows import LIGHT_COLUMNS, split, with_texts
from sparktui.io.store.timeline import unpack_timeline

NEWEST_FIRST = "-started_at"
_COLUMNS = ("id", *LIGHT_COLUMNS, "record", "texts", "timeline")
_INSERT = f"INSERT INTO runs ({', '.join(_COLUMNS)}) VALUES ({', '.join(':' + name for name in _COLUMNS)})"
_SET = ", ".join(f"{name} = :{name}" for name in (*LIGHT_COLUMNS, "record"))
# a later record without a timeline does not take the stored one away
_UPDATE = f"UPDATE runs SET {_SET}, texts = :texts, timeline = coalesce(:timeline, timeline) WHERE id = :id"
_BATCH = 500


class History:
    """An open history; safe to use from several threads. Every method raises StorageError where the file fails.

    `read_only` and `notes` say how it could be opened; notes are sentences for the user.
    """

    def __init__(self, path: Path, opened: database.Opened) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._use(opened)

    @classmethod
    def open(cls, path: Path | None = None) -> History:
        """Open the history at `path` (default: in the data folder), making it where there is none."""
        target = path or history_path()
        return cls(target, database.open_database(target))

    def _use(self, opened: database.Opened) -> None:
        self.read_only, self.notes = opened.read_only, opened.notes
        self._connection, self._inode = opened.connection, opened.inode

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def __enter__(self) -> History:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, record: RunRecord) -> None:
        """Store a run, or put it in the place of the one with its id."""
        self.add_all((record,))

    def add_all(self, records: Sequence[RunRecord]) -> None:
        """Store runs in one transaction: all or none."""
        with self._writing() as connection:
            for record in records:
                before, texts = _stored(connection, record.id)
                connection.execute(_INSERT if before is None else _UPDATE, split(record, before, texts))
                connection.execute("DELETE FROM gone WHERE id = ?", (record.id,))

    def add_raw(self, runs: Sequence[tuple[RunRecord, RawRecord]]) -> list[str]:
        """Store imported runs with the fields that only their raw form knows; returns the ids that were not here already."""
        added = []
        with self._writing() as connection:
            for record, raw in runs:
                if _stored(connection, record.id)[0] is None:
                    connection.execute(_INSERT, split(record, raw))
                    connection.execute("DELETE FROM gone WHERE id = ?", (record.id,))
                    added.append(record.id)
        return added

    def update(self, record: RunRecord) -> bool:
        """Put `record` in the place of the stored one with its id; False where there is none (it was deleted)."""
        with self._writing() as connection:
            before, texts = _stored(connection, record.id)
            if before is not None:
                connection.execute(_UPDATE, split(record, before, texts))
            return before is not None

    def resolve(self, reference: str) -> str:
        """The id that `reference` means: an id, the beginning of just one, or `last`. Raises UsageError otherwise."""
        if reference == "last":
            rows = self._rows("SELECT id FROM runs ORDER BY started_s DESC, rowid DESC LIMIT 1")
            if not rows:
                raise UsageError("The history is empty.", hint="Measure something first: sparktui bench")
            return str(rows[0][0])
        rows = self._rows("SELECT id FROM runs WHERE id >= ? AND id < ? ORDER BY id LIMIT 6", (reference, reference + "\x7f"))
        found = [str(row[0]) for row in rows]
        if reference in found or len(found) == 1:
            return reference if reference in found else found[0]
        if not found or not reference:
            raise UsageError(f"No run id begins with {reference!r}.", hint="`sparktui history` lists them; `last` is the newest.")
        raise UsageError(f"Several run ids begin with {reference!r}.", detail=", ".join(found), hint="Write more of it.")

    def get(self, reference: str, *, text: bool = True, timeline: bool = False) -> RunRecord:
        """One run by id, unique beginning of an id, or `last`. Raises UsageError where there is no such run."""
        run_id = self.resolve(reference)
        rows = self._rows("SELECT record, texts FROM runs WHERE id = ?", (run_id,))
        if not rows:
            raise UsageError(f"The run {run_id} has just been deleted.")
        record = _decoded(run_id, rows[0][0])
        record = with_texts(record, rows[0][1]) if text else record
        return msgspec.structs.replace(record, timeline=self.timeline(run_id)) if timeline else record

    def has(self, run_id: str) -> bool:
        """True where a run with exactly this id is stored, or was and has been deleted."""
        return bool(self._rows("SELECT 1 FROM runs WHERE id = ?1 UNION ALL SELECT 1 FROM gone WHERE id = ?1", (run_id,)))

    def timeline(self, run_id: str) -> tuple[ChunkMark, ...] | None:
        """The chunk timeline of a run; None where none was stored."""
        rows = self._rows("SELECT timeline FROM runs WHERE id = ?", (run_id,))
        return None if not rows or rows[0][0] is None else unpack_timeline(rows[0][0])

    def query(self, filter: str = "", sort: str = NEWEST_FIRST, limit: int | None = 200, offset: int = 0) -> list[RunRecord]:
        """Runs without texts and timelines (see io.filters for the language). Raises UsageError for a filter that cannot be read."""
        order = parse_sort(sort)
        clause = _where(filter)
        rowids = self._rowids(clause, order, limit, offset)
        return list(self._fetched(rowids))

    def stream(self, filter: str = "", sort: str = NEWEST_FIRST) -> Iterator[RunRecord]:
        """As `query`, all of them, read in small batches."""
        return self._fetched(self._rowids(_where(filter), parse_sort(sort), None, 0))

    def count(self, filter: str = "") -> int:
        """How many runs a filter leaves."""
        clause = _where(filter)
        return int(self._rows(f"SELECT count(*) FROM runs INDEXED BY runs_light WHERE {clause.sql}", clause.values)[0][0])

    def baseline_candidates(self, record: RunRecord, limit: int = 500) -> list[RunRecord]:
        """Good runs on the same server with the same model and prompt, newest first: what core.baseline chooses from."""
        clause = Clause(
            "status = 'ok' AND warmup = 0 AND prompt_sha256 = ? AND kind = ? AND model = ? AND base_url = ?",
            (record.prompt.sha256, record.server.kind, record.server.model, record.server.base_url),
        )
        return list(self._fetched(self._rowids(clause, parse_sort(NEWEST_FIRST), limit, 0)))

    def delete(self, run_ids: Sequence[str]) -> int:
        """Take runs out for good, by exact id; returns how many there were."""
        with self._writing() as connection:
            taken = 0
            for run_id in run_ids:
                if connection.execute("DELETE FROM runs WHERE id = ?", (run_id,)).rowcount:
                    connection.execute("INSERT OR IGNORE INTO gone VALUES (?)", (run_id,))
                    taken += 1
            return taken

    def label(self, run_ids: Sequence[str], label: str) -> int:
        """Give runs (by exact id) another label; returns how many there were."""
        with self._writing() as connection:
            changed = 0
            for run_id in run_ids:
                before, texts = _stored(connection, run_id)
                if before is None:
                    continue
                record = msgspec.structs.replace(_decoded(run_id, msgspec.json.encode(before)), label=label)
                changed += connection.execute(_UPDATE, split(record, before, texts)).rowcount
            return changed

    def unsettled(self, journals: Sequence[tuple[str, int]]) -> list[str]:
        """Of journals (name, size in bytes) those whose runs were not yet looked for in this history."""
        known = {str(row[0]): int(row[1]) for row in self._rows("SELECT name, size FROM settled")}
        return [name for name, size in journals if known.get(name) != size]

    def settle(self, name: str, size: int) -> None:
        """Remember that the runs of a journal are all here."""
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO settled VALUES (?, ?)", (name, size))

    def _rowids(self, clause: Clause, order: str, limit: int | None, offset: int) -> list[int]:
        sql = f"SELECT rowid FROM runs INDEXED BY runs_light WHERE {clause.sql} ORDER BY {order} LIMIT ? OFFSET ?"
        return [int(row[0]) for row in self._rows(sql, (*clause.values, -1 if limit is None else limit, offset))]

    def _fetched(self, rowids: Sequence[int]) -> Iterator[RunRecord]:
        for start in range(0, len(rowids), _BATCH):
            batch = rowids[start : start + _BATCH]
            marks = ", ".join("?" * len(batch))
            rows = self._rows(f"SELECT rowid, id, record FROM runs WHERE rowid IN ({marks})", batch)
            found = {int(row[0]): _decoded(row[1], row[2]) for row in rows}
            yield from (found[rowid] for rowid in batch if rowid in found)

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        with self._lock:
            try:
                return self._connection.execute(sql, clean(list(values))).fetchall()
            except sqlite3.Error as error:
                raise database.storage_error(error, self.path) from error

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """An immediate transaction: committed whole, or rolled back with a StorageError."""
        if self.read_only:
            raise StorageError(f"{self.path} is opened read-only.", detail=" ".join(self.notes))
        with self._lock:
            self._follow_the_file()
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                self._roll_back()
                raise self._failed(error) from error
            except (OverflowError, ValueError) as error:
                self._roll_back()
                raise StorageError("A run holds what a history cannot.", detail=str(error)) from error
            except BaseException:
                self._roll_back()
                raise

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):  # the first error is the one to tell
                self._connection.execute("ROLLBACK")

    def _follow_the_file(self) -> None:
        """Another process may have set the file aside, or somebody deleted it: what is written must land in the one that is there."""
        if database.inode_of(self.path) != self._inode:
            self._connection.close()
            self._use(database.open_database(self.path))

    def _failed(self, error: sqlite3.Error) -> StorageError:
        if not database.is_damage(error):
            return database.storage_error(error, self.path)
        self._connection.close()
        before = self._inode
        self._use(database.replace_damaged(self.path, before))
        if self._inode == before:
            return StorageError(f"{self.path} had to be opened again.", detail=str(error), hint="What was not stored is tried again.")
        return StorageError(f"{self.path} was damaged.", detail=" ".join(self.notes), hint="What was not stored is tried again.")


def _where(text: str) -> Clause:
    return parse_filter(text, datetime.now().astimezone())


def _stored(connection: sqlite3.Connection, run_id: str) -> tuple[RawRecord | None, bytes | None]:
    """The stored record of a run and its packed texts."""
    row = connection.execute("SELECT record, texts FROM runs WHERE id = ?", (run_id,)).fetchone()
    return (None, None) if row is None else (msgspec.json.decode(row[0]), row[1])


def _decoded(run_id: str, data: bytes) -> RunRecord:
    try:
        return decode_record(data)
    except ValueError as error:
        raise StorageError(f"The stored run {run_id} cannot be read.", detail=str(error), hint="Delete it with `history rm`.") from error
