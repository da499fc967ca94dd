"""The long table: only pages in sight are held, what is missing is asked for once, new runs do not blank what is there."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sparktui.tui.history.history_pages import LoadedRuns, PagedRuns
from sparktui.tui.history.history_source import PAGE_RUNS, Page
from tests.runs import run


def now() -> datetime:
    return datetime(2026, 11, 30, 13, tzinfo=UTC)


def page(offset: int, total: int) -> Page:
    return Page(runs=tuple(run(n) for n in range(offset, min(total, offset + PAGE_RUNS))), total=total)


def test_missing_pages_are_asked_for_once() -> None:
    runs = PagedRuns(now)
    runs.begin()
    assert runs.missing() == [0] and runs.missing() == []
    runs.take(0, page(0, 1000))
    assert len(runs) == 1000
    rows = runs[PAGE_RUNS - 2 : PAGE_RUNS + 2]
    assert [row.note for row in rows[2:]] == ["…", "…"] and rows[0].id == f"run-{PAGE_RUNS - 2:06d}"
    assert runs[0:1] and runs.missing() == [PAGE_RUNS] and runs.missing() == []
    runs.take(PAGE_RUNS, page(PAGE_RUNS, 1000))
    assert runs[PAGE_RUNS].id == f"run-{PAGE_RUNS:06d}"
    with pytest.raises(IndexError):
        runs[1000]


def test_pages_far_away_are_let_go() -> None:
    runs = PagedRuns(now)
    for number in range(20):
        runs.take(number * PAGE_RUNS, page(number * PAGE_RUNS, 20 * PAGE_RUNS))
    assert runs.record(0) is None and runs.record(19 * PAGE_RUNS) is not None
    assert runs.index_of("run-000000") is None and runs.index_of(f"run-{19 * PAGE_RUNS:06d}") == 19 * PAGE_RUNS
    assert runs[0].note == "…" and runs.missing() == [0]


def test_after_new_runs_old_rows_stay_until_their_page_has_come_again() -> None:
    runs = PagedRuns(now)
    runs.take(0, page(0, 10))
    before = runs.generation
    runs.renew()
    assert runs.generation == before + 1
    assert runs[3].id == "run-000003" and runs.missing() == [0]
    runs.take(0, Page(runs=(run(99), *page(0, 9).runs), total=10))
    assert runs[0].id == "run-000099" and runs[4].id == "run-000003" and runs.missing() == []


def test_loaded_runs_are_rows_in_the_order_given() -> None:
    runs = LoadedRuns([run(2), run(1)], now)
    assert [row.id for row in runs[:]] == ["run-000002", "run-000001"]
    assert runs.index_of("run-000001") == 1 and runs.index_of("x") is None and runs.record(2) is None
