"""Long lists of runs as rows that are made when they are looked at; of the whole history only the pages in sight are held. Pure."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import overload

from sparktui.core.records import RunRecord
from sparktui.tui.history.history_rows import HistoryRow, columns_for, run_row
from sparktui.tui.history.history_source import PAGE_RUNS, Page

_MOST_PAGES = 12
_WAITING = HistoryRow(id="", texts={column.key: "" for column in columns_for(1_000)}, note="…", counted=False)


class RunRows(Sequence[HistoryRow]):
    """Rows by number, each made when it is asked for."""

    def __init__(self, today: Callable[[], datetime]) -> None:
        self._today = today

    def __len__(self) -> int:
        return 0

    @overload
    def __getitem__(self, index: int) -> HistoryRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[HistoryRow]: ...
    def __getitem__(self, index: int | slice) -> HistoryRow | list[HistoryRow]:
        if isinstance(index, slice):
            return [self._row(at) for at in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self._row(index)

    def record(self, index: int) -> RunRecord | None:
        """The run at a row, None where it is not here."""
        raise IndexError(index)

    def index_of(self, run_id: str) -> int | None:
        """The row of a run, None where it is not here."""
        return None

    def _row(self, index: int) -> HistoryRow:
        record = self.record(index)
        return _WAITING if record is None else run_row(record, self._today())


class LoadedRuns(RunRows):
    """Runs that are all here, in the order given."""

    def __init__(self, records: Sequence[RunRecord], today: Callable[[], datetime]) -> None:
        super().__init__(today)
        self._records = records

    def __len__(self) -> int:
        return len(self._records)

    def record(self, index: int) -> RunRecord | None:
        return self._records[index] if 0 <= index < len(self._records) else None

    def index_of(self, run_id: str) -> int | None:
        return next((at for at, record in enumerate(self._records) if record.id == run_id), None)


class PagedRuns(RunRows):
    """All runs. One that is not here yet is blank, and its page is in `missing()` from then on."""

    def __init__(self, today: Callable[[], datetime]) -> None:
        super().__init__(today)
        self._pages: OrderedDict[int, tuple[RunRecord, ...]] = OrderedDict()
        self._wanted: dict[int, None] = {}
        self._asked: set[int] = set()
        self._stale: set[int] = set()
        self.total = 0
        self.generation = 0

    def __len__(self) -> int:
        return self.total

    def record(self, index: int) -> RunRecord | None:
        page = self._pages.get(index // PAGE_RUNS)
        at = index % PAGE_RUNS
        return page[at] if page is not None and at < len(page) else None

    def index_of(self, run_id: str) -> int | None:
        for number, page in self._pages.items():
            for at, record in enumerate(page):
                if record.id == run_id:
                    return number * PAGE_RUNS + at
        return None

    def begin(self) -> None:
        """Another filter or order: nothing that is here counts any more."""
        self.generation += 1
        for part in (self._pages, self._wanted, self._asked, self._stale):
            part.clear()
        self.total = 0
        self._wanted[0] = None

    def renew(self) -> None:
        """Runs came or went: what is here stays in sight until its page has come again."""
        self.generation += 1
        self._asked.clear()
        self._stale = set(self._pages)
        self._wanted = {0: None}

    def missing(self) -> list[int]:
        """Offsets of the pages that are to be asked for now; they count as asked."""
        numbers = [number for number in self._wanted if number not in self._asked]
        self._wanted.clear()
        self._asked.update(numbers)
        return [number * PAGE_RUNS for number in numbers]

    def take(self, offset: int, page: Page) -> None:
        """A page has come."""
        number = offset // PAGE_RUNS
        self._asked.discard(number)
        self._stale.discard(number)
        self._pages[number] = page.runs
        self._pages.move_to_end(number)
        self.total = page.total
        while len(self._pages) > _MOST_PAGES:
            self._pages.popitem(last=False)

    def _row(self, index: int) -> HistoryRow:
        number = index // PAGE_RUNS
        if number not in self._pages or number in self._stale:
            self._wanted[number] = None
        else:
            self._pages.move_to_end(number)
        return super()._row(index)
