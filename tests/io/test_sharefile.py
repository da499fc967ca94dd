"""A shared run: small, whole, and without anything that says where or for whom."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import msgspec
import pytest

from sparktui.core.records import ChunkMark, RunRecord
from sparktui.core.replay import recording_of
from sparktui.demo.texts import lru_ordered
from sparktui.errors import StorageError, UsageError
from sparktui.io.sharefile import pack_share, unpack_share
from sparktui.io.store.history import History
from sparktui.io.store.importing import import_file, read_runs
from sparktui.io.store.recordjson import record_from
from sparktui.io.store.runsource import find_runs
from tests.runs import run

SECRET = "sk-proj-9f8e7d6c5b4a39281706"


def whole(**fields: object) -> RunRecord:
    text = lru_ordered.TEXT[:2600]
    marks = tuple(ChunkMark(round(1.08 + n * 0.290137, 6), "content", 53, 16.2041) for n in range(49))
    return run(text=text, timeline=marks, **fields)


def test_a_run_of_794_tokens_is_a_few_kilobytes_and_comes_back_as_it_was() -> None:
    record = whole()
    data = pack_share(record)
    assert len(data) < 20_000
    back = record_from(unpack_share(data))
    assert (back.text, back.timeline, back.prompt, back.params) == (record.text, record.timeline, record.prompt, record.params)
    for name in ("client_tok_s", "server_tok_s", "ttft_s", "completion_tokens", "gap_ms", "burstiness", "draft_accepted"):
        assert getattr(back, name) == getattr(record, name), name
    assert recording_of([back]).steps_ns == recording_of([record]).steps_ns


def test_the_same_run_gives_the_same_bytes() -> None:
    assert pack_share(whole()) == pack_share(whole())


def test_nothing_says_where_it_was_measured_or_with_which_key() -> None:
    server = msgspec.structs.replace(run().server, base_url="https://spark.home.example:5000/v1")
    record = whole(
        server=server, error=f"401: Authorization: Bearer {SECRET}", status="failed", request_id="4f1c9a0e7b22",
        warnings=(f"key {SECRET} was refused",), retries=("http://10.0.0.7:5000 answered 503",),
    )  # fmt: skip
    body = gzip.decompress(pack_share(record)).decode()
    for word in (SECRET, "spark.home", "10.0.0.7", "4f1c9a0e7b22", "https://", "http://"):
        assert word not in body
    assert "***" in body


def test_a_long_prompt_or_an_unwanted_one_is_named_and_not_told() -> None:
    long = msgspec.structs.replace(whole(), prompt=msgspec.structs.replace(run().prompt, text="hay " * 2_000))
    for data in (pack_share(long), pack_share(whole(), prompt=False)):
        back = record_from(unpack_share(data))
        assert back.prompt.text is None and back.prompt.name == "code"


def test_what_is_no_shared_run_is_refused() -> None:
    good = pack_share(whole())
    other = gzip.compress(json.dumps({"schema": "other/1", "run": {}}).encode())
    columns = gzip.compress(json.dumps({"schema": "sparktui-share/1", "run": {"timeline": {"us": [1]}}}).encode())
    for data in (b"", b"hello", good[: len(good) // 2], other, columns, gzip.compress(b"[1]")):
        with pytest.raises(StorageError, match="no shared run"):
            unpack_share(data)


def test_a_file_is_played_and_imported_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    path = tmp_path / "nice run.spark"
    path.write_bytes(pack_share(whole()))
    assert [record.id for record in read_runs(path)] == ["run-000001"]
    assert find_runs([str(path)])[0].timeline == whole().timeline
    with History.open() as history:
        assert import_file(history, path).added == ["run-000001"]
    assert [record.text for record in find_runs(["last", "run-0", str(path)])] == [whole().text] * 3
    with pytest.raises(UsageError, match="There is no file"):
        find_runs([str(tmp_path / "none.spark")])
    with pytest.raises(UsageError, match="No run id begins"):
        find_runs(["zzz"])
