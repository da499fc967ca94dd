"""Imports: exports of any age, torn and foreign lines, damaged databases, journals, the published runs."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sparktui.core.events import Hello, RunDone, encode_event
from sparktui.core.records import RunRecord
from sparktui.errors import StorageError, UsageError
from sparktui.io.store.history import History
from sparktui.io.store.importing import REFERENCE, import_file
from tests.runs import run

CASES = Path(__file__).parents[1] / "fixtures" / "cases"


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History.open(tmp_path / "data" / "history.sqlite3")


def raw(record: RunRecord, **fields: Any) -> dict[str, Any]:
    return {**msgspec.to_builtins(record), **fields}


def test_e03_a_damaged_file_gives_its_good_runs_and_a_count(history: History, tmp_path: Path) -> None:
    lines = (CASES / "E03" / "history.jsonl").read_bytes()
    for letter in (b"a", b"c"):
        whole = json.dumps(raw(run(1, id=letter.decode()))).encode()
        lines = lines.replace(b'{"id":"%s","v":1}' % letter, whole)
    path = tmp_path / "history.jsonl"
    path.write_bytes(lines)
    result = import_file(history, path)
    expected = json.loads((CASES / "E03" / "case.json").read_text())["expect"]["good"]
    assert result.added == expected
    assert result.skipped == sum(1 for line in lines.split(b"\n") if line.strip()) - len(expected)
    assert "lines skipped" in result.summary()
    assert path.read_bytes() == lines
    assert not list(tmp_path.glob("*.bak"))


def test_e03_records_of_another_shape_are_counted_not_fatal(history: History) -> None:
    result = import_file(history, CASES / "E03" / "history.jsonl")
    assert result.added == []
    assert result.skipped == 6


def test_e09_old_and_newer_records(history: History, tmp_path: Path) -> None:
    old = {name: value for name, value in raw(run(1, id="old")).items() if name not in ("warmup", "burstiness", "gap_ms", "flags")}
    new = raw(run(2, id="new"), schema=99, future={"x": 1}, flags=["not_idle", "flag_of_2030"], speedup="much")
    path = tmp_path / "history.jsonl"
    path.write_text(f"{json.dumps(old)}\n{json.dumps(new)}\n")
    result = import_file(history, path)
    assert result.added == ["old", "new"]
    assert (result.skipped, result.newer) == (0, 1)
    assert "newer version" in result.summary()
    assert (history.get("old").burstiness, history.get("old").gap_ms, history.get("old").warmup) == (None, None, False)
    assert (history.get("new").flags, history.get("new").speedup) == (("not_idle",), None)
    history.label(["new"], "again")
    stored = sqlite3.connect(history.path).execute("SELECT record FROM runs WHERE id = 'new'").fetchone()[0]
    assert msgspec.json.decode(stored)["future"] == {"x": 1}


def test_runs_that_are_here_are_left_as_they_are(history: History, tmp_path: Path) -> None:
    history.add(run(1, label="mine"))
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(json.dumps(raw(run(number))) for number in (1, 2, 2)))
    result = import_file(history, path)
    assert (result.added, result.present) == (["run-000002"], 2)
    assert history.get("run-000001").label == "mine"
    assert history.get("run-000002", timeline=True) == run(2)


def test_a_deleted_run_can_be_imported_again(history: History, tmp_path: Path) -> None:
    history.add(run(1))
    history.delete(["run-000001"])
    path = tmp_path / "runs.json"
    path.write_text(json.dumps(raw(run(1))))
    assert import_file(history, path).added == ["run-000001"]


@pytest.mark.parametrize("document", ["object", "list", "runs", "pretty"])
def test_documents_of_every_shape(history: History, tmp_path: Path, document: str) -> None:
    shapes = {"object": raw(run(1)), "list": [raw(run(1))], "runs": {"schema": "sparktui/1", "runs": [raw(run(1))], "cells": []}}
    path = tmp_path / "runs.json"
    text = json.dumps(shapes["runs"], indent=4) if document == "pretty" else json.dumps(shapes[document])
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert import_file(history, path).added == ["run-000001"]


def test_a_json_export_cut_off_in_the_middle_gives_its_whole_runs(history: History, tmp_path: Path) -> None:
    lines = ["{", '"schema": "sparktui/1",', '"runs": [', *(json.dumps(raw(run(number))) + "," for number in range(1, 5))]
    path = tmp_path / "runs.json"
    path.write_text("\n".join(lines)[:-700])
    result = import_file(history, path)
    assert result.added == ["run-000001", "run-000002", "run-000003"]
    assert result.skipped == 1


@pytest.mark.parametrize("run_id", ["", "last", "a b", "../x", "\x1b[2J", "x" * 81])
def test_ids_that_cannot_be_typed_are_refused(history: History, tmp_path: Path, run_id: str) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(json.dumps(raw(run(1, id=run_id))))
    result = import_file(history, path)
    assert (result.added, result.skipped) == ([], 1)


def test_files_that_are_nothing(history: History, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file"):
        import_file(history, tmp_path / "none.json")
    with pytest.raises(StorageError, match="cannot be read"):
        import_file(history, tmp_path)
    (tmp_path / "empty.json").write_bytes(b"")
    assert import_file(history, tmp_path / "empty.json").added == []
    (tmp_path / "noise").write_bytes(bytes(range(256)) * 20)
    assert import_file(history, tmp_path / "noise").added == []


def test_another_history_is_imported_with_texts_and_timelines(history: History, tmp_path: Path) -> None:
    with History.open(tmp_path / "other.sqlite3") as other:
        other.add_all([run(number) for number in range(20)])
    assert len(import_file(history, tmp_path / "other.sqlite3").added) == 20
    assert history.get("run-000007", timeline=True) == run(7)


def test_what_a_damaged_history_still_holds_is_taken_over(history: History, tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite3"
    with History.open(path) as other:
        other.add_all([run(number, text=f"{number} " * 2000) for number in range(400)])
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 3 // 4096 * 4096)
        file.write(b"\x5a" * 4096 * 3)
    result = import_file(history, path)
    assert 50 < len(result.added) < 400
    assert result.skipped > 0
    with pytest.raises(StorageError):
        (tmp_path / "broken.sqlite3").write_bytes(b"SQLite format 3\x00" + b"\x00" * 5000)
        import_file(history, tmp_path / "broken.sqlite3")


def test_the_history_itself_is_no_file_to_import(history: History) -> None:
    history.add(run(1))
    with pytest.raises(UsageError, match="the history itself"):
        import_file(history, history.path)
    assert history.count() == 1


def test_a_journal_is_imported_as_its_runs(history: History, tmp_path: Path) -> None:
    hello = Hello(protocol=1, version="0.1.0", pid=7, host="spark", session="s1", clock_ns=5, wall="2026-11-30T12:00:00Z")
    done = RunDone(run_id="run-000001", status="ok", record=run(1))
    path = tmp_path / "s1.jsonl"
    path.write_bytes(encode_event(hello) + b"\n" + encode_event(done) + b"\n")
    assert import_file(history, path).added == ["run-000001"]
    assert history.get("run-000001", timeline=True) == run(1)


PUBLISHED = {
    # id: TTFT, tokens, time, client, server, chunks, accepted, proposed
    "ref-010-story-t1-1": (0.60, 794, 26.7, 29.8, 29.3, 156, 311, 533),
    "ref-010-story-t1-2": (0.59, 794, 26.3, 30.2, 29.7, 160, 310, 476),
    "ref-010-story-t1-3": (0.60, 794, 25.7, 30.9, 30.3, 160, 333, 466),
    "ref-010-story-t0-1": (0.60, 794, 24.6, 32.3, 31.7, 153, 321, 448),
    "ref-010-story-t0-2": (0.60, 794, 25.0, 31.7, 31.2, 157, 321, 441),
    "ref-010-story-t0-3": (0.60, 794, 25.0, 31.8, 31.2, 157, None, None),
    "ref-010-webui-1": (0.64, 735, None, 31.4, 30.8, 145, None, None),
    "ref-010-webui-2": (0.63, 780, None, 30.6, 30.1, 158, None, None),
    "ref-010-webui-3": (0.63, 794, None, 30.4, 29.9, 161, None, None),
    "ref-010-code-t0-1": (1.47, 794, 13.8, 57.7, 54.3, 48, 648, 714),
    "ref-010-code-t0-2": (1.08, 794, 13.9, 57.1, 53.7, 49, 645, 718),
    "ref-010-code-t0-3": (1.07, 794, 13.9, 57.3, 53.9, 49, 645, 714),
    "ref-010-code-t1-1": (1.11, 659, 12.5, 52.7, 49.2, 44, 524, 648),
    "ref-010-code-t1-2": (1.11, 794, 14.0, 56.7, 53.3, 49, 644, 720),
    "ref-010-code-t1-3": (1.13, 794, 14.9, 53.3, 50.3, 54, 630, 746),
}


def test_the_published_runs_are_as_published(history: History) -> None:
    result = import_file(history, REFERENCE)
    assert (len(result.added), result.skipped) == (19, 0)
    for run_id, figures in PUBLISHED.items():
        r = history.get(run_id)
        found = (r.ttft_s, r.completion_tokens, r.decode_s, r.client_tok_s, r.server_tok_s, r.chunks, r.draft_accepted, r.draft_proposed)
        assert found == figures, run_id
        assert not r.simulated
        assert "Published figures" in r.warnings[0]
    assert import_file(history, REFERENCE).present == 19


def test_the_published_runs_carry_their_derived_figures(history: History) -> None:
    import_file(history, REFERENCE)
    expected = {
        "ref-010-story-t1-1": (483, 1.64, 1.10, 3.10, 56, 1.63),
        "ref-010-story-t0-1": (473, 1.68, 0.95, 3.09, 53, 1.54),
        "ref-010-code-t0-1": (146, 5.44, 4.89, 3.04, 100, 2.90),
        "ref-010-code-t1-1": (135, 4.88, 4.80, 3.07, 99, 2.88),
    }
    for run_id, (steps, per_step, drafted, per_chunk, step_ms, cost) in expected.items():
        r = history.get(run_id)
        assert r.verify_steps == steps
        assert r.tokens_per_step == pytest.approx(per_step, abs=0.006)
        assert r.drafted_per_step == pytest.approx(drafted, abs=0.006)
        assert r.steps_per_chunk == pytest.approx(per_chunk, abs=0.006)
        assert r.step_ms == pytest.approx(step_ms, abs=0.6)
        assert r.step_cost == pytest.approx(cost, abs=0.006)
    needle = history.get("ref-010-needle-300k")
    assert (needle.prompt_tokens, needle.prefill_s, needle.needle) == (300_000, 374, {"length": 300_000, "found": True})
    assert needle.memory is not None and needle.memory.used_peak == 106_000_000_000
