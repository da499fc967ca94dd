"""Fifty thousand runs (a hundred thousand in the perf table): lists and filters stay quick, texts stay on disk."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import pytest

from sparktui.io.store.history import History
from tests.long_history import long_history
from tests.runs import run

RUNS = 50_000


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return long_history(tmp_path_factory.mktemp("scale") / "history.sqlite3", RUNS)


def best_s(action: Callable[[], object]) -> float:
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return min(times)


def test_e08_the_first_list_of_a_long_history(history: History) -> None:
    def first_list() -> None:
        with History.open(history.path) as again:
            assert len(again.query()) == 200
            again.count()

    assert best_s(first_list) <= 0.3


FILTERS = ("draft", "nowhere to be found", "label:shipped prompt:story T:0", "flag:not_idle", "client:>60 model:qwen")


@pytest.mark.parametrize("filter", FILTERS)
def test_filters_of_a_long_history(history: History, filter: str) -> None:
    assert best_s(lambda: history.query(filter)) <= 0.1
    assert best_s(lambda: history.count(filter)) <= 0.1


@pytest.mark.parametrize("sort", ["-client_tok_s", "label,-started_at", "note", "started_at"])
def test_sorts_of_a_long_history(history: History, sort: str) -> None:
    assert best_s(lambda: history.query(sort=sort)) <= 0.3


def test_one_run_is_found_and_stored_at_once(history: History) -> None:
    assert best_s(lambda: history.get("run-000123-77", timeline=True)) <= 0.02
    assert best_s(lambda: history.add(run(1, id="new-one"))) <= 0.1
    history.delete(["new-one"])


def test_e08_lists_hold_no_texts_in_memory(history: History) -> None:
    tracemalloc.start()
    try:
        seen = sum(1 for _ in history.stream("label:shipped"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert seen == RUNS // 4
    assert peak < 25_000_000
