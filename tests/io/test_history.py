"""The history: what goes in comes out, lists read no texts, filters and sorts, labels and deletions, odd values."""

from __future__ import annotations

import math
import sqlite3
import stat
from pathlib import Path

import msgspec
import pytest

from sparktui.core.records import GapMs, RunRecord
from sparktui.errors import UsageError
from sparktui.io.store.history import History
from tests.runs import run


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History.open(tmp_path / "data" / "history.sqlite3")


def ids(records: list[RunRecord]) -> list[str]:
    return [record.id for record in records]


def test_a_run_comes_back_whole(history: History) -> None:
    record = run(1, reasoning="let me think", tool_calls="f({})", flags=("not_idle",), warnings=("slow",), retries=("503 (waited 2 s)",))
    history.add(record)
    assert history.get(record.id, timeline=True) == record


def test_files_and_folder_are_private(history: History) -> None:
    history.add(run(1))
    folder = history.path.parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_lists_leave_texts_and_timelines_where_they_are(history: History) -> None:
    history.add(run(1))
    (listed,) = history.query()
    assert (listed.text, listed.prompt.text, listed.timeline) == (None, None, None)
    assert listed.client_tok_s == 57.1
    stored = sqlite3.connect(history.path).execute("SELECT record FROM runs").fetchone()[0]
    assert b"import threading" not in stored and b"LRU" not in stored


def test_newest_first_and_pages(history: History) -> None:
    history.add_all([run(number) for number in (3, 1, 2, 5, 4)])
    assert ids(history.query(limit=2)) == ["run-000005", "run-000004"]
    assert ids(history.query(limit=2, offset=2)) == ["run-000003", "run-000002"]
    assert ids(list(history.stream(sort="started_at"))) == [f"run-{n:06d}" for n in (1, 2, 3, 4, 5)]


def test_runs_of_one_instant_stay_in_the_order_they_were_stored(history: History) -> None:
    history.add_all([run(number, started_at="2026-11-30T12:00:00Z") for number in (2, 1, 3)])
    assert ids(history.query()) == ["run-000003", "run-000001", "run-000002"]


def test_stamps_sort_by_time_whatever_their_zone_and_no_date_comes_last(history: History) -> None:
    history.add(run(1, started_at="2026-11-30T12:00:00+02:00"))
    history.add(run(2, started_at="2026-11-30T11:00:00Z"))
    history.add(run(3, started_at="long ago"))
    assert ids(history.query()) == ["run-000002", "run-000001", "run-000003"]


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ("", [6, 5, 4, 3, 2, 1]),
        ("shipped", [6, 3, 2, 1]),
        ("SHIP", [6, 3, 2, 1]),
        ("draft 4", [5]),
        ('"no draft"', [5, 4]),
        ('"no draft', [5, 4]),
        ("label:shipped", [3, 2, 1]),
        ("label:Shipped", [3, 2, 1]),
        ("label:ship*", [6, 3, 2, 1]),
        ("-label:ship*", [5, 4]),
        ("prompt:story", [3]),
        ("T:0", [6, 5, 4, 2, 1]),
        ("T:1", [3]),
        ("T:unset", []),
        ("model:qwen", [6, 5, 4, 3, 2, 1]),
        ("model:llama", []),
        ("server:5000", [6, 5, 4, 3, 2, 1]),
        ("kind:tabbyapi status:ok", [6, 4, 3, 2, 1]),
        ("status:failed", [5]),
        ("refused", [5]),
        ("flag:not_idle", [4]),
        ('"not idle"', [4]),
        ("-not_idle prompt:code", [6, 5, 2, 1]),
        ("warmup:yes", [2]),
        ("warmup:no T:0 label:shipped", [1]),
        ("simulated:yes", [6]),
        ("client:>57", [6, 4, 3, 2, 1]),
        ("client:<30", []),
        ("-client:>0", [5]),
        ("tokens:700..800 chunks:49", [6, 5, 4, 3, 2, 1]),
        ("since:2026-11-29 until:2100-01-01", [6, 5, 4, 3, 2, 1]),
        ("since:2100-01-01", []),
        ("id:run-000004", [4]),
        ("bench:bench-1", [6, 5, 4, 3, 2, 1]),
    ],
)
def test_filters(history: History, filter: str, expected: list[int]) -> None:
    history.add(run(1))
    history.add(run(2, warmup=True))
    history.add(run(3, prompt="story", temperature=1.0))
    history.add(run(4, label="no draft", flags=("not_idle",)))
    history.add(run(5, label="no draft 4", status="failed", error="connection refused", client_tok_s=None))
    history.add(run(6, label="shipped-2", simulated=True))
    assert ids(history.query(filter)) == [f"run-{number:06d}" for number in expected]
    assert history.count(filter) == len(expected)


@pytest.mark.parametrize("filter", ["lable:x", "client:fast", "since:soon", "warmup:maybe", "org/model:tag", "url:x"])
def test_a_filter_that_cannot_be_read_says_what_to_write(history: History, filter: str) -> None:
    if ":" in filter and filter.startswith("org/"):
        assert history.query(filter) == []
        return
    with pytest.raises(UsageError) as caught:
        history.query(filter)
    assert caught.value.hint
    assert caught.value.exit_code == 2


def test_a_wrong_key_names_the_nearest(history: History) -> None:
    with pytest.raises(UsageError) as caught:
        history.query("lable:x")
    assert "label" in caught.value.hint


def test_special_characters_in_a_filter_are_only_text(history: History) -> None:
    history.add(run(1, label="100%_'; DROP TABLE runs; --"))
    assert history.count("100%_") == 1
    assert history.count("%") == 1
    assert history.count("label:1*") == 1
    assert history.count("label:1_0*") == 0
    assert history.count("DROP '") == 1


def test_words_ignore_case_in_any_alphabet(history: History) -> None:
    history.add(run(1, label="Größer ÄÖ"))
    assert history.count("größer äö") == 1


def test_sorts_and_absent_figures_last(history: History) -> None:
    for number, speed in ((1, 50.0), (2, None), (3, 60.0)):
        history.add(run(number, client_tok_s=speed, label="ABC"[number - 1]))
    assert ids(history.query(sort="-client_tok_s")) == ["run-000003", "run-000001", "run-000002"]
    assert ids(history.query(sort="client")) == ["run-000001", "run-000003", "run-000002"]
    assert ids(history.query(sort="-label")) == ["run-000003", "run-000002", "run-000001"]
    assert ids(history.query(sort="T,label")) == ["run-000001", "run-000002", "run-000003"]
    with pytest.raises(UsageError, match="sorted"):
        history.query(sort="speed")


def test_ids_by_prefix_and_last(history: History) -> None:
    history.add_all([run(1), run(2), run(30)])
    assert history.resolve("last") == "run-000030"
    assert history.resolve("run-00003") == "run-000030"
    assert history.resolve("run-000001") == "run-000001"
    with pytest.raises(UsageError, match="Several"):
        history.resolve("run-00000")
    with pytest.raises(UsageError, match="No run"):
        history.resolve("bench")
    with pytest.raises(UsageError, match="No run"):
        history.get("run-00000\ud800")


def test_last_of_an_empty_history(history: History) -> None:
    with pytest.raises(UsageError, match="empty"):
        history.resolve("last")
    assert history.query() == []


def test_label_and_delete(history: History) -> None:
    history.add_all([run(1), run(2)])
    assert history.label(["run-000001", "nobody"], "no draft") == 1
    assert history.get("run-000001").label == "no draft"
    assert history.get("run-000001", timeline=True) == msgspec.structs.replace(run(1), label="no draft")
    assert ids(history.query('label:"no draft"')) == ["run-000001"]
    assert history.delete(["run-000001", "nobody"]) == 1
    assert ids(history.query()) == ["run-000002"]
    assert history.has("run-000001")
    assert not history.has("run-000003")


def test_update_replaces_figures_and_keeps_texts(history: History) -> None:
    history.add(run(1, draft_accepted=None, text="kept"))
    joined = run(1, draft_accepted=645, text=None, timeline=None)
    assert history.update(joined)
    stored = history.get("run-000001", timeline=True)
    assert (stored.draft_accepted, stored.text, stored.timeline) == (645, "kept", run(1).timeline)
    assert not history.update(run(2))
    assert history.count() == 1


def test_e09_unknown_fields_survive_a_rewrite(history: History) -> None:
    raw = {**msgspec.to_builtins(run(1)), "future": {"x": 1}, "flags": ["not_idle", "flag_of_2030"]}
    raw["server"]["rack"] = 7
    assert history.add_raw([(run(1), raw)]) == ["run-000001"]
    assert history.add_raw([(run(1), raw)]) == []
    history.label(["run-000001"], "again")
    history.update(run(1, label="again", chunks=50))
    stored = msgspec.json.decode(sqlite3.connect(history.path).execute("SELECT record FROM runs").fetchone()[0])
    assert (stored["future"], stored["server"]["rack"], stored["label"], stored["chunks"]) == ({"x": 1}, 7, "again", 50)
    assert not {"text", "reasoning", "timeline"} & stored.keys()


def test_a_stored_record_of_a_newer_version_is_read_as_far_as_it_is_known(history: History) -> None:
    history.add(run(1))
    raw = {**msgspec.to_builtins(run(1)), "flags": ["not_idle", "flag_of_2030"], "acceptance_source": "oracle", "future": 1}
    with sqlite3.connect(history.path) as other:
        other.execute("UPDATE runs SET record = ?", (msgspec.json.encode(raw),))
    record = history.get("run-000001", text=False)
    assert record.flags == ("not_idle",)
    assert record.acceptance_source is None
    assert record.client_tok_s == 57.1


def test_e10_figures_that_are_not_numbers_are_stored_as_absent(history: History) -> None:
    history.add(run(1, client_tok_s=math.nan, ttft_s=math.inf, gap_ms=GapMs(1.0, math.nan, 2.0, 3.0)))
    record = history.get("run-000001")
    assert (record.client_tok_s, record.ttft_s, record.gap_ms) == (None, None, None)
    assert ids(history.query("-client:>0")) == ["run-000001"]


def test_text_with_lone_surrogates_and_nul_is_stored(history: History) -> None:
    history.add(run(1, label="a\ud800b", text="x\ud83d\udcfb\ud800\x00y", error="\udfff"))
    record = history.get("last")
    assert record.label == "a\ufffdb"
    assert record.text == "x\U0001f4fb\ufffd\x00y"
    assert history.count("label:a*") == 1


def test_a_hundred_thousand_characters_of_text_are_kept_small(history: History) -> None:
    history.add(run(1, text="the same words again " * 5000))
    assert history.get("last").text == "the same words again " * 5000
    history.close()
    assert history.path.stat().st_size < 60_000
