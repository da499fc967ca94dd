"""What the history screen knows and remembers between visits: runs as far as loaded, marks, filter, order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from sparktui.core.stats.cells import CellKey
from sparktui.tui.history.compare_rows import Compared, compared
from sparktui.tui.history.history_book import MOST_RUNS, CellEntry, HistoryBook, sorted_entries
from sparktui.tui.history.history_pages import PagedRuns
from sparktui.tui.history.history_source import LOAD_RUNS, HistorySource, Page, Wanted

if TYPE_CHECKING:
    from sparktui.tui.app import SparkApp

Mode = Literal["cells", "runs"]
# while a run is measured only so many runs are loaded: reading pages shares the measuring process
_LOADED_WHILE_BUSY = LOAD_RUNS


class HistoryState:
    """`begin(filter)` and `visit()` start loading, `load(busy)` asks for one page more. Nothing here paints."""

    def __init__(self, app: SparkApp) -> None:
        self._app = app
        self.source = HistorySource(app)
        self.book = HistoryBook()
        self.list = PagedRuns(lambda: app.wall_clock().astimezone())
        self.mode: Mode = "cells"
        self.filter = ""
        self.cell_sort, self.cell_descending = "when", True
        self.run_sort, self.run_descending = "when", True
        self.marks: list[CellKey] = []
        self.total = 0
        self.error = self.hint = ""
        self.read_only = False
        self._generation = 0
        self._next: int | None = None
        self._in_flight = False
        self.table_version = 0
        self._compared: tuple[list[CellEntry], Compared | None] = ([], None)

    @property
    def loading(self) -> bool:
        """Whether there are more runs to come for the cells."""
        return self._next is not None or self._in_flight

    @property
    def letters(self) -> dict[CellKey, str]:
        """The marks by cell: A, then B, B …"""
        return {key: "A" if number == 0 else "B" for number, key in enumerate(self.marks)}

    def begin(self, filter: str) -> None:
        """Another filter: everything anew."""
        self.filter = filter
        self.book.clear()
        self.list.begin()
        self._restart()

    def visit(self) -> None:
        """The screen is opened, or runs changed elsewhere: look again, what is here stays in sight meanwhile."""
        self.source = HistorySource(self._app)
        self.list.renew()
        self._restart()

    def _restart(self) -> None:
        self.error = self.hint = ""
        self._generation += 1
        self._next, self._in_flight = 0, False

    def follow_session(self) -> None:
        """Runs of this session ended, or more became known of them."""
        if not self.filter and not self.source.local:
            self.book.add(self._app.session.records)
            self.total = max(self.total, len(self.book))
            self.list.renew()
        else:
            self.list.renew()
            self._restart()

    def load(self, *, busy: bool) -> None:
        """Ask for what is missing: a page for the cells, pages of the table in sight."""
        if self._next is not None and not self._in_flight and (not busy or len(self.book) < _LOADED_WHILE_BUSY):
            offset, self._next, self._in_flight = self._next, None, True
            generation = self._generation
            wanted = Wanted(filter=self.filter, offset=offset, limit=LOAD_RUNS)
            self.source.ask(wanted, lambda page: self._take(generation, offset, page))
        for offset in self.list.missing() if self.mode == "runs" else ():
            self._ask_table(offset)

    def work(self, time_left: Callable[[], bool]) -> None:
        """Work out medians that are due while there is time."""
        while time_left() and self.book.work(loading=self.loading):
            pass

    def entries(self) -> list[CellEntry]:
        """The cells in their order."""
        found = self.book.entries()
        if (self.cell_sort, self.cell_descending) == ("when", True):
            return found
        return sorted_entries(found, self.cell_sort, descending=self.cell_descending)

    def marked(self) -> list[CellEntry]:
        """The marked cells that are still there, A first."""
        return [entry for key in self.marks if (entry := self.book.entry(key)) is not None]

    def comparison(self) -> Compared | None:
        """A against every B; None with fewer than two marks."""
        entries = self.marked()
        before, found = self._compared
        if len(before) != len(entries) or any(one is not other for one, other in zip(before, entries, strict=True)):
            found = compared(entries)
            self._compared = (entries, found)
        return found

    def toggle_mark(self, key: CellKey) -> str:
        """Mark a cell or take its mark off; its letter now, "" without one."""
        if key in self.marks:
            self.marks.remove(key)
        else:
            self.marks.append(key)
        return self.letters.get(key, "")

    def forget(self, run_ids: Sequence[str]) -> None:
        """Runs were deleted."""
        self.total = max(0, self.total - len(run_ids))
        self.book.remove(run_ids)
        self.list.renew()
        self.marks = [key for key in self.marks if key in self.book.keys]

    def _take(self, generation: int, offset: int, page: Page) -> None:
        if generation != self._generation:
            return
        self._in_flight = False
        self.read_only = page.read_only
        if page.error:
            self.error, self.hint = page.error, page.hint
            self.total = 0
            return
        self.total = page.total
        if offset == 0 and len(self.book) > page.total:
            self.book.clear()
        changed = self.book.add(page.runs)
        known = len(self.book)
        upto = offset + len(page.runs)
        settled = not changed and known >= min(page.total, MOST_RUNS)
        if page.runs and not settled and upto < min(page.total, MOST_RUNS):
            self._next = upto
            self.load(busy=bool(self._app.session.active))

    def _ask_table(self, offset: int) -> None:
        generation = self.list.generation

        def arrived(page: Page) -> None:
            if generation != self.list.generation:
                return
            if page.error:
                self.error, self.hint = page.error, page.hint
            else:
                self.list.take(offset, page)
                self.table_version += 1

        self.source.ask(Wanted(filter=self.filter, sort=self.run_sort, descending=self.run_descending, offset=offset), arrived)
