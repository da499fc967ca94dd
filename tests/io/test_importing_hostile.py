"""Imports of files made to break them: absurd figures, bombs, odd columns, nesting, paths that look like addresses."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sparktui.errors import StorageError, UsageError
from sparktui.io.sharefile import pack_share, unpack_share
from sparktui.io.store import inflate
from sparktui.io.store.history import History
from sparktui.io.store.importing import Imported, import_file
from tests.runs import run


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History.open(tmp_path / "data" / "history.sqlite3")


def raw(number: int, **fields: Any) -> dict[str, Any]:
    return {**msgspec.to_builtins(run(number)), **fields}


def imported(history: History, path: Path, *runs: dict[str, Any]) -> Imported:
    path.write_text("\n".join(json.dumps(item) for item in runs))
    return import_file(history, path)


@pytest.mark.parametrize("absurd", [2**63, 2**64 - 1, 10**30])
def test_integers_no_database_holds_are_absent_and_the_run_is_kept(history: History, tmp_path: Path, absurd: int) -> None:
    result = imported(history, tmp_path / "a.jsonl", raw(1, completion_tokens=absurd, unheard_of=absurd), raw(2))
    assert result.added == ["run-000001", "run-000002"]
    assert history.get("run-000001").completion_tokens is None


@pytest.mark.parametrize("timeline", [[[1e300, "content", 1, 1.0]], [[0.1, "content", 1, 1e300]], [[-1.0, "content", 1, 1.0]]])
def test_a_timeline_that_cannot_be_one_costs_its_run_alone(history: History, tmp_path: Path, timeline: list[Any]) -> None:
    result = imported(history, tmp_path / "a.jsonl", raw(1, timeline=timeline), raw(2))
    assert (result.added, result.skipped, result.first_reason) == (["run-000002"], 1, "a timeline that cannot be one")


def test_flags_that_are_no_words_are_dropped(history: History, tmp_path: Path) -> None:
    assert imported(history, tmp_path / "a.jsonl", raw(1, flags=[["x"], {"a": 1}, None, "not_idle"])).added == ["run-000001"]
    assert history.get("run-000001").flags == ("not_idle",)


@pytest.mark.parametrize("data", [b"[" * 200_000, b'{"runs":' * 200_000, "\ufeff{}".encode("utf-16"), os.urandom(2000).replace(b"{", b"")])
def test_what_is_no_json_is_said_to_be_none(history: History, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.json").write_bytes(data)
    result = import_file(history, tmp_path / "a.json")
    assert (result.added, result.skipped) == ([], 1)
    assert result.first_reason.startswith("not JSON")


def database(path: Path, *rows: tuple[Any, ...]) -> Path:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE runs (record, texts, timeline)")
        connection.executemany("INSERT INTO runs VALUES (?, ?, ?)", rows)
    connection.close()
    return path


def test_columns_of_other_types_cost_their_runs_alone(history: History, tmp_path: Path) -> None:
    good = json.dumps(raw(1)).encode()
    odd = [(None, None, None), (5, None, None), (b"[]", None, None), (good, 5, None), (good, None, "text"), (b"[" * 200_000, None, None)]
    result = import_file(history, database(tmp_path / "other.sqlite3", *odd, (good, None, None)))
    assert (result.added, result.skipped) == (["run-000001"], len(odd))


def test_texts_that_unpack_without_end_are_damaged(history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inflate, "_MOST_BYTES", 1000)
    bomb = zlib.compress(b'{"text":"' + b"a" * 5000 + b'"}')
    result = import_file(history, database(tmp_path / "other.sqlite3", (json.dumps(raw(1)).encode(), bomb, None)))
    assert (result.added, result.skipped) == ([], 1)


def test_a_name_with_signs_of_an_address_is_the_file_of_that_name(history: History, tmp_path: Path) -> None:
    assert import_file(history, database(tmp_path / "a %41?b#c.sqlite3", (json.dumps(raw(1)).encode(), None, None))).added == ["run-000001"]


def test_a_view_in_place_of_the_table_is_not_read(history: History, tmp_path: Path) -> None:
    numbers = "WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q)"
    endless = f"{numbers} SELECT n AS record, n AS texts, n AS timeline, n AS rowid FROM q"
    with sqlite3.connect(tmp_path / "view.sqlite3") as connection:
        connection.execute(f"CREATE VIEW runs AS {endless}")
    connection.close()
    with pytest.raises(StorageError, match="holds no history"):
        import_file(history, tmp_path / "view.sqlite3")


def test_a_pipe_is_no_file_to_import(history: History, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is no file"):
        import_file(history, tmp_path / "pipe")


def test_a_share_with_absurd_times_is_damaged() -> None:
    share = json.loads(zlib.decompress(pack_share(run(1)), wbits=31))
    share["run"]["timeline"]["us"] = [10**400 for _ in share["run"]["timeline"]["us"]]
    packer = zlib.compressobj(wbits=31)
    with pytest.raises(StorageError, match="no shared run"):
        unpack_share(packer.compress(json.dumps(share).encode()) + packer.flush())
