"""A hundred thousand runs: lists and filters stay quick, texts stay on disk."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import pytest

from sparktui.io.history import History
from sparktui.io.rows import LIGHT_COLUMNS
from tests.runs import run

RUNS = 100_000
SEED = 500


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    """500 real rows, copied 200 times with other ids, times and speeds."""
    history = History.open(tmp_path_factory.mktemp("scale") / "history.sqlite3")
    records = []
    labels = ("shipped", "no draft", "chunk 4096", "draft thr 0.6")
    for n in range(SEED):
        flags = ("not_idle",) if n % 250 == 0 else ()
        records.append(run(n, label=labels[n % 4], prompt="code" if n % 3 else "story", text="word " * 800, flags=flags))
    history.add_all(records)
    light = ", ".join(name for name in LIGHT_COLUMNS if name not in ("started_s", "client_tok_s"))
    copy = (
        f"INSERT INTO runs (id, started_s, client_tok_s, {light}, record, texts, timeline) "
        f"SELECT id || '-' || n, started_s - n * 600.0, client_tok_s + n % 13 - 6, {light}, record, texts, timeline "
        "FROM runs, (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?) SELECT n FROM c) WHERE id NOT LIKE '%-%-%'"
    )
    history._connection.execute(copy, (RUNS // SEED - 1,))
    assert history.count() == RUNS
    return history


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
