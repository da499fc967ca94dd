"""Runs from files into the history: exports, shared runs, other histories (also damaged ones), journals, and the published reference."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from sparktui.core.records import SCHEMA, RunRecord
from sparktui.errors import StorageError, UsageError
from sparktui.io.sharefile import GZIP, unpack_share
from sparktui.io.store.history import History
from sparktui.io.store.recordjson import RawRecord, plain, record_from
from sparktui.io.store.recovery import recover
from sparktui.io.store.rows import with_texts
from sparktui.io.store.timeline import unpack_timeline

REFERENCE = "reference"

_SQLITE = b"SQLite format 3\x00"
_ID = re.compile(r"(?!last$)[0-9A-Za-z][0-9A-Za-z._-]{0,79}")
_VERSION = int(SCHEMA.rpartition("/")[2])
_BATCH = 500
_NO_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
# 30 years, and more tokens in one chunk than anything has sent
_LONGEST_S, _MOST_TOKENS = 1e9, 1e12
_EXPORT_ONLY = ("schema", "estimated", "estimated_fields")


class Imported:
    """What an import did. `skipped` counts what is no run (torn lines, other JSON); `newer` runs of a newer version among those added."""

    def __init__(self) -> None:
        self.added: list[str] = []
        self.present = 0
        self.skipped = 0
        self.newer = 0
        self.first_reason = ""

    def summary(self) -> str:
        """One sentence."""
        parts = [f"{len(self.added)} run{'' if len(self.added) == 1 else 's'} imported"]
        parts += [f"{self.present} already here"] if self.present else []
        parts += [f"{self.skipped} line{'' if self.skipped == 1 else 's'} skipped ({self.first_reason})"] if self.skipped else []
        parts += [f"{self.newer} written by a newer version, its unknown fields kept"] if self.newer else []
        return ", ".join(parts) + "."


def import_file(history: History, source: str | Path) -> Imported:
    """Add the runs of a file whose ids are not in the history yet; the file itself is only read. `reference` is the published runs.

    Raises UsageError where there is no such file or it is the history itself, StorageError where it cannot be read or nothing can be
    stored.
    """
    if source != REFERENCE and _is_same(Path(source).expanduser(), history.path):
        # not read either: closing it again would end the locks that SQLite holds on it here
        raise UsageError(f"{source} is the history itself.", hint="Its runs are here already; name another one's file.")
    result = Imported()
    batch: list[tuple[RunRecord, RawRecord]] = []
    for raw in _runs_in(source, result):
        if (pair := _checked(raw, result)) is not None:
            batch.append(pair)
        if len(batch) == _BATCH:
            _store(history, batch, result)
            batch = []
    _store(history, batch, result)
    return result


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:
        return False


def read_runs(source: str | Path) -> Iterator[RunRecord]:
    """The runs of a file of any of these kinds, with their texts and timelines; nothing is stored. Raises as `import_file` does."""
    result = Imported()
    for raw in _runs_in(source, result):
        if (pair := _checked(raw, result)) is not None:
            yield pair[0]


def _checked(raw: Any, result: Imported) -> tuple[RunRecord, RawRecord] | None:
    try:
        if not isinstance(raw, dict):
            raise ValueError("not a run")
        record = record_from(raw)
        if not _ID.fullmatch(record.id):
            raise ValueError("an id that cannot be one")
        if not all(0 <= mark.t_s <= _LONGEST_S and 0 <= mark.tokens <= _MOST_TOKENS for mark in record.timeline or ()):
            raise ValueError("a timeline that cannot be one")
    except ValueError as error:
        _skip(result, str(error))
        return None
    return record, raw


def _store(history: History, batch: Sequence[tuple[RunRecord, RawRecord]], result: Imported) -> None:
    bare = [(record, {name: value for name, value in raw.items() if name not in _EXPORT_ONLY}) for record, raw in batch]
    added = history.add_raw(bare)
    newer = {record.id for record, raw in batch if _is_newer(raw.get("schema"))}
    result.added += added
    result.present += len(batch) - len(added)
    result.newer += len(newer.intersection(added))


def _runs_in(source: str | Path, result: Imported) -> Iterator[Any]:
    if source == REFERENCE:
        data = resources.files("sparktui").joinpath("docs", "reference-runs.jsonl").read_bytes()
        yield from _lines(iter(data.splitlines()), result)
        return
    path = Path(source).expanduser()
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise UsageError(f"{path} is no file.", hint="What comes out of a pipe is imported from a file it was written to.")
        with path.open("rb") as file:
            head = file.read(1 << 16)
    except FileNotFoundError as error:
        raise UsageError(f"There is no file {path}.", hint=f"Name a .json or .jsonl export, or `{REFERENCE}`.") from error
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror or error}.") from error
    if head.startswith(GZIP):
        yield unpack_share(path.read_bytes())
    elif head.startswith(_SQLITE):
        yield from _database_runs(path, result)
    elif _first_type(head) == "hello":
        yield from (plain(record) for record in recover(path))
    elif _first_type(head) is not None:
        with path.open("rb") as file:
            yield from _lines(iter(file), result)
    else:
        yield from _document_runs(path.read_bytes(), result)


def _first_type(head: bytes) -> str | None:
    """The `type` of the first line ("" for an object without one); None where the first line alone is no JSON object."""
    first = next((line for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()), b"")
    try:
        value = msgspec.json.decode(first)
    except _NO_JSON:
        return None
    return str(value.get("type", "")) if isinstance(value, dict) and "runs" not in value else None


def _document_runs(data: bytes, result: Imported) -> Iterator[Any]:
    """The runs of one JSON document; of one that was cut off, those on whole lines."""
    try:
        document = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except _NO_JSON:
        whole = [line for line in data.split(b"\n") if line.startswith(b'{"')]
        yield from _lines(iter(whole), result)
        if data and not whole:
            _skip(result, "not JSON in UTF-8")
        return
    runs = document.get("runs", [document]) if isinstance(document, dict) else document
    schema = document.get("schema") if isinstance(document, dict) else None
    for raw in runs if isinstance(runs, list) else [runs]:
        yield {"schema": schema, **raw} if isinstance(raw, dict) else raw


def _lines(lines: Iterator[bytes], result: Imported) -> Iterator[Any]:
    for line in lines:
        text = line.removeprefix(b"\xef\xbb\xbf").strip().rstrip(b",")
        if not text:
            continue
        try:
            yield msgspec.json.decode(text)
        except _NO_JSON as error:
            _skip(result, f"not JSON: {error}")


def _database_runs(path: Path, result: Imported) -> Iterator[RawRecord]:
    """Row by row in both directions from a history that may be damaged in the middle."""
    connection = sqlite3.connect(f"file:{quote(path.absolute().as_posix())}?mode=ro&immutable=1", uri=True)
    seen: set[int] = set()
    try:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'runs'").fetchone():
            raise StorageError(f"{path} holds no history.", detail="It has no table of runs.")
        for order in ("ASC", "DESC"):
            cursor = connection.execute(f"SELECT rowid, record, texts, timeline FROM runs ORDER BY rowid {order}")
            yield from _readable(cursor, seen, result)
    except sqlite3.DatabaseError as error:
        raise StorageError(f"{path} holds no history that can be read.", detail=str(error)) from error
    finally:
        connection.close()


def _readable(cursor: sqlite3.Cursor, seen: set[int], result: Imported) -> Iterator[RawRecord]:
    while True:
        try:
            row = cursor.fetchone()
        except sqlite3.DatabaseError as error:
            _skip(result, str(error))
            return
        if row is None or row[0] in seen:
            return
        seen.add(row[0])
        try:
            raw = msgspec.json.decode(row[1])
            record = with_texts(record_from(raw), row[2])
            timeline = None if row[3] is None else unpack_timeline(row[3])
        except (ValueError, TypeError, RecursionError, StorageError) as error:
            _skip(result, str(error))
            continue
        yield {**raw, **plain(msgspec.structs.replace(record, timeline=timeline))}


def _is_newer(schema: object) -> bool:
    text = str(schema or "").rpartition("/")[2]
    return text.isdecimal() and int(text) > _VERSION


def _skip(result: Imported, reason: str) -> None:
    result.skipped += 1
    result.first_reason = result.first_reason or reason
