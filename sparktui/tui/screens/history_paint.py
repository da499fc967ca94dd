"""From the history's state to its panels: what is shown, and how many rows it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.prose import Piece as TextPiece
from sparktui.tui.drawing.prose import painted, row, wrapped
from sparktui.tui.history.cell_rows import cell_details, cell_name
from sparktui.tui.history.compare_rows import Compared, compare_rows
from sparktui.tui.history.history_book import MOST_RUNS, CellEntry
from sparktui.tui.history.history_layout import Wanted
from sparktui.tui.history.history_pages import LoadedRuns
from sparktui.tui.widgets.cell_list import CellList
from sparktui.tui.widgets.compare_panel import ComparePanel
from sparktui.tui.widgets.paged_table import PagedTable
from sparktui.tui.widgets.panel_head import PanelHead
from sparktui.tui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from sparktui.tui.screens.history import HistoryScreen

_ABOUT = "cells: medians of runs with the same label, server, model, prompt and parameters"


class HistoryPainter:
    """`take_in()` reads the state, `wanted(width)` says how many rows there are to show, `paint()` shows them."""

    def __init__(self, screen: HistoryScreen) -> None:
        self._screen, self._state = screen, screen.state
        self.cells, self.comparing = screen.query_one(CellList), screen.query_one(ComparePanel)
        self.runs, self.list = screen.query_one("#runs", PagedTable), screen.query_one("#list", PagedTable)
        self._notes = screen.query_one("#notes", Sheet)
        self._entries: list[CellEntry] = []
        self._version: object = None
        self._compared: Compared | None = None
        self._compare_lines: tuple[object, int] = (None, 0)
        self._note_lines: tuple[object, int, list[str]] = (None, 0, [])
        self._runs_of: CellEntry | None = None

    def take_in(self) -> None:
        """What the state holds now."""
        state = self._state
        version = (state.book.version, state.cell_sort, state.cell_descending, tuple(state.marks))
        if version != self._version:
            self._version = version
            self._entries = state.entries()
            self._compared = state.comparison()
            self.cells.show(
                self._entries, state.letters, best=state.book.counted_best, sorted_by=state.cell_sort, descending=state.cell_descending
            )
        self._show_runs()

    def wanted(self, width: int) -> Wanted:
        entry = self.cells.current
        runs = len(entry.runs) if entry is not None else 0
        return Wanted(len(self._entries), self._comparison_rows(width), runs, len(self._noted(entry, width)))

    def paint(self) -> None:
        """The heads, and what the panels show."""
        state, screen = self._state, self._screen
        if state.mode == "runs":
            if screen.changed("list", (state.table_version, state.list.generation, state.run_sort, state.run_descending)):
                self.list.show(state.list, sorted_by=state.run_sort, descending=state.run_descending)
            self._head("list").show(context=self._context("every run"), status=[(self._counted(), False)])
            return
        self._head("cells").show(context=self._context(_ABOUT), status=[(self._counted(), False)])
        if state.marks and screen.changed("compare", (self._compared, tuple(state.marks), self._version)):
            self._show_comparison()
        self._show_runs_head()

    def _context(self, about: str) -> str:
        state = self._state
        if state.error:
            return shown(f"{state.error} {state.hint}")
        said = f"/{shown(state.filter)}   " if state.filter else ""
        if state.source.local:
            return said + shown(state.source.why)
        if not state.total and not state.loading:
            return said + ("no run fits the filter" if state.filter else "no runs yet")
        return said + about

    def _counted(self) -> str:
        """`25 runs  8 cells`, or how far loading is."""
        state = self._state
        runs = f"{numbers.count(state.total)} run{'s' if state.total != 1 else ''}"
        if state.mode == "runs":
            return runs
        cells = len(state.book.keys)
        known = len(state.book)
        part = f"the newest {numbers.count(known)} of " if known < state.total and (state.loading or known >= MOST_RUNS) else ""
        return f"{part}{runs}  {numbers.count(cells)} cell{'s' if cells != 1 else ''}"

    def _comparison_rows(self, width: int) -> int:
        if not self._state.marks:
            return 0
        if self._compared is None:
            return 1
        key = (self._compared, width)
        if self._compare_lines[0] is None or self._compare_lines[0] != key:
            self._compare_lines = (key, len(compare_rows(self._compared, width, self._screen.spark.roles)))
        return self._compare_lines[1]

    def _show_comparison(self) -> None:
        marked = self._state.marked()
        hint = "a marks another cell, which is then compared with it." if marked else "The marked cells are not among these runs."
        self.comparing.compare(self._compared, hint)
        name = f"A = {cell_name(marked[0].cell)}" if marked else ""
        about = "client tok/s: ratio of the medians, its 95 % interval" if self._compared is not None else ""
        self._head("compare").show(context="     ".join(filter(None, (name, about))), status=[("u marks off", False)])

    def _show_runs(self) -> None:
        entry = self.cells.current
        if entry is self._runs_of:
            return
        same_cell = entry is not None and self._runs_of is not None and entry.key == self._runs_of.key
        self._runs_of = entry
        if not same_cell:
            self.runs.begin()
        wall = self._screen.spark.wall_clock
        self.runs.show(LoadedRuns(entry.runs if entry is not None else (), lambda: wall().astimezone()))

    def _show_runs_head(self) -> None:
        entry = self.cells.current
        if entry is None:
            self._head("runs").show(context="", status=[])
            return
        mark = self._state.letters.get(entry.key, "")
        named = f"of {mark}: {cell_name(entry.cell)}" if mark else f"of {cell_name(entry.cell)}"
        self._head("runs").show(context=f"{named}   {cell_details(entry.cell)}", status=[("enter opens", False)])
        width = self._screen.app.size.width
        if self._screen.changed("notes", (entry, width)):
            lines = self._noted(entry, width)
            self._notes.show(
                lambda at: painted((row(TextPiece(2, line, "muted")) for line in lines), at, self._screen.spark.roles), top=True
            )

    def _noted(self, entry: CellEntry | None, width: int) -> list[str]:
        """What is odd about the runs of a cell, in rows."""
        if self._note_lines[0] is not entry or self._note_lines[1] != width:
            notes = entry.cell.notes if entry is not None else ()
            self._note_lines = (entry, width, [line for note in notes for line in wrapped(shown(note), width - 4)])
        return self._note_lines[2]

    def _head(self, panel: str) -> PanelHead:
        return self._screen.query_one(f"#{panel}-head", PanelHead)
