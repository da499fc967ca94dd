"""Runs are stored as they end; what fails is kept and tried again."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from pathlib import Path

from sparktui.core.events import Joined, RunDone, RunStarted
from sparktui.core.records import ChunkMark, RunParams, RunRecord
from sparktui.errors import SparkError, StorageError
from sparktui.io.store.history import History
from sparktui.io.store.historysink import HistorySink
from tests.runs import prompt_info, run


def started(number: int) -> RunStarted:
    return RunStarted(
        run_id=f"run-{number:06d}",
        prompt=prompt_info("code", "x"),
        params=RunParams(),
        t_send_ns=1,
        started_at="2026-11-30T12:00:00Z",
    )


def done(record: RunRecord) -> RunDone:
    return RunDone(run_id=record.id, status=record.status, record=record)


class Disk:
    """Opens a history, or fails as long as `full`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.full = False

    def __call__(self) -> History:
        if self.full:
            raise StorageError("The disk is full.")
        return History.open(self.path)


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 5
    while not holds() and time.monotonic() < until:
        time.sleep(0.005)
    assert holds()


def test_a_run_is_stored_by_the_time_its_end_was_handed_over(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "h.sqlite3")
    sink = HistorySink(disk)
    reader = disk()
    for number in (1, 2, 3):
        sink(started(number))
        sink(done(run(number)))
        assert reader.count() == number
    assert sink.pending == []
    assert sink.close() == []
    assert reader.get("run-000002", timeline=True) == run(2)


def test_while_another_run_is_in_flight_the_caller_does_not_wait(tmp_path: Path) -> None:
    gate = threading.Event()
    disk = Disk(tmp_path / "h.sqlite3")

    def slow() -> History:
        gate.wait(5)
        return disk()

    sink = HistorySink(slow)
    sink(started(1))
    sink(started(2))
    begin = time.perf_counter()
    sink(done(run(1)))
    assert time.perf_counter() - begin < 0.1
    assert [record.id for record in sink.pending] == ["run-000001"]
    gate.set()
    assert sink.flush()
    assert sink.close() == []


def test_figures_that_join_later_replace_the_record_but_bring_no_deleted_run_back(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "h.sqlite3")
    sink = HistorySink(disk)
    sink(done(run(1, draft_accepted=None)))
    sink(done(run(2)))
    history = disk()
    history.delete(["run-000002"])
    for number in (1, 2):
        record = run(number, draft_accepted=645)
        sink(Joined(run_id=record.id, source="log", record=record))
    assert sink.flush()
    assert [(record.id, record.draft_accepted) for record in history.query()] == [("run-000001", 645)]
    sink.close()


def test_texts_are_left_out_where_they_are_not_to_be_kept(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "h.sqlite3")
    sink = HistorySink(disk, keep_text=False)
    sink(done(run(1, reasoning="hm")))
    sink.close()
    stored = disk().get("last", timeline=True)
    assert (stored.text, stored.reasoning, stored.prompt.text) == (None, None, None)
    assert stored.timeline == run(1).timeline


def test_e04_a_run_that_cannot_be_stored_is_kept_and_offered_again(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "h.sqlite3")
    disk.full = True
    told: list[SparkError] = []
    sink = HistorySink(disk, on_error=told.append, retry_s=0.02)
    sink(done(run(1)))
    sink(done(run(2)))
    wait_until(lambda: sink._attempts > 3)
    assert [record.id for record in sink.pending] == ["run-000001", "run-000002"]
    assert sink.errors == ["The disk is full."]
    assert len(told) == 1
    disk.full = False
    wait_until(lambda: sink.pending == [])
    assert sink.close() == []
    assert disk().count() == 2


def test_a_run_no_history_can_hold_is_told_and_stops_no_other(tmp_path: Path) -> None:
    told: list[SparkError] = []
    sink = HistorySink(Disk(tmp_path / "h.sqlite3"), on_error=told.append, retry_s=0.02)
    sink(done(run(1, timeline=(ChunkMark(math.inf, "content", 1, 1.0),))))
    sink(done(run(2, completion_tokens=2**80)))
    wait_until(lambda: len(sink.pending) == 1)
    assert [record.id for record in sink.close()] == ["run-000001"]
    assert [error.title for error in told] == ["A run holds what a history cannot."]
    assert Disk(tmp_path / "h.sqlite3")().get("run-000002").completion_tokens is None


def test_closing_returns_what_could_not_be_stored(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "h.sqlite3")
    disk.full = True
    sink = HistorySink(disk)
    sink(done(run(1)))
    begin = time.perf_counter()
    assert [record.id for record in sink.close()] == ["run-000001"]
    assert time.perf_counter() - begin < 1


def test_an_unused_sink_makes_no_file(tmp_path: Path) -> None:
    sink = HistorySink(Disk(tmp_path / "h.sqlite3"))
    sink(started(1))
    assert sink.close() == []
    assert list(tmp_path.iterdir()) == []
