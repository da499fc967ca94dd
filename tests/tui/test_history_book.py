"""The book of cells: the same cells as core.cells makes, however the runs come in."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.stats.cells import cell_key, cells_of
from sparktui.tui.history.history_book import HistoryBook, sorted_entries
from sparktui.tui.history.record_pool import RecordPool
from tests.runs import run
from tests.tui.cells import cells


def worked(book: HistoryBook) -> HistoryBook:
    while book.work(loading=False):
        pass
    return book


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(25)), st.integers(1, 25))
def test_cells_are_those_of_the_core_in_whatever_order_runs_come(order: list[int], page: int) -> None:
    records = cells()
    book = HistoryBook()
    for start in range(0, len(order), page):
        book.add(records[at] for at in order[start : start + page])
        book.work(loading=True)
    found = {entry.cell.run_ids: entry.cell for entry in worked(book).entries()}
    assert found == {cell.run_ids: cell for cell in cells_of(records)}
    assert len(book) == 25 and len(found) == 8


def test_the_cell_with_the_newest_run_comes_first() -> None:
    book = HistoryBook()
    book.add(cells())
    names = [(entry.cell.label, entry.cell.prompt.name, entry.cell.params.temperature) for entry in worked(book).entries()]
    assert names[:2] == [("shipped", "code", 0), ("shipped", "code", 1.0)] and names[-1] == ("no draft", "code", 0)


def test_a_run_with_another_label_moves_and_its_empty_cell_is_gone() -> None:
    book = HistoryBook()
    one = run(1, label="a")
    book.add([one])
    assert book.add([one]) == 0
    assert book.add([msgspec.structs.replace(one, label="b")]) == 1
    assert [entry.cell.label for entry in worked(book).entries()] == ["b"]
    book.remove([one.id])
    assert not book.entries() and not len(book) and book.counted_best == 0


def test_while_runs_come_in_a_cell_waits_until_it_has_grown() -> None:
    book = HistoryBook()
    book.add([run(n) for n in range(8)])
    assert book.work(loading=True) and not book.work(loading=True)
    book.add([run(8)])
    assert not book.work(loading=True)
    assert book.entries()[0].cell.n == 8
    assert book.work(loading=False)
    assert book.entries()[0].cell.n == 9


def test_an_entry_that_is_asked_for_is_worked_out_at_once() -> None:
    book = HistoryBook()
    book.add([run(1)])
    assert not book.entries()
    entry = book.entry(cell_key(run(1)))
    assert entry is not None and entry.cell.n == 1


@pytest.mark.parametrize("key", ["label", "prompt", "temperature", "n", "out", "client", "server", "ttft", "per_chunk", "percent", "model"])
def test_every_column_sorts_and_absent_figures_come_last(key: str) -> None:
    book = HistoryBook()
    book.add(cells())
    entries = worked(book).entries()
    up, down = (sorted_entries(entries, key, descending=descending) for descending in (False, True))
    assert len(up) == len(down) == 8
    if key == "percent":
        assert up[-1].cell.label == down[-1].cell.label == "no draft"
    if key == "client":
        assert up[0].cell.label == "no draft" and down[0].cell.medians["client_tok_s"] == 57.4


def test_shared_records_are_equal_without_their_texts() -> None:
    pool = RecordPool()
    one, two = (pool.share(run(n, warnings=("w",))) for n in (1, 2))
    assert one.text is None and one.timeline is None
    assert one.server is two.server and one.prompt is two.prompt and one.params is two.params and one.warnings is two.warnings
    bare = msgspec.structs.replace(run(1, warnings=("w",)), text=None, timeline=None)
    assert one == bare
    zero, nought = (pool.share(run(3, temperature=t)) for t in (0, 0.0))
    assert (repr(zero.params.temperature), repr(nought.params.temperature)) == ("0", "0.0")
