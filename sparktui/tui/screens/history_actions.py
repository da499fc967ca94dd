"""What the keys of the history screen do. Nothing here paints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import cell_key
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.history.cell_rows import SORTED_BY, cell_name
from sparktui.tui.history.export_scopes import cell_scope, filtered_scope, marked_scope, run_scope
from sparktui.tui.history.history_layout import PANELS, HistoryPanelName
from sparktui.tui.history.history_rows import columns_for
from sparktui.tui.history.history_state import HistoryState
from sparktui.tui.screens.ask_line import AskLine
from sparktui.tui.screens.edits import Chosen, RunEdits
from sparktui.tui.screens.explaining import open_explanation
from sparktui.tui.screens.page import PageScreen

if TYPE_CHECKING:
    from sparktui.tui.screens.history_paint import HistoryPainter
    from sparktui.tui.widgets.paged_table import PagedTable

_FILTER_HINT = "words, or label:shipped  prompt:code  model:qwen  T:0  client:>50  ttft:<1  flag:not_idle  since:7d  -turns:round"


class HistoryActions(RunEdits, PageScreen):
    """The `act_…` methods of the key table."""

    painter: HistoryPainter | None = None
    state: HistoryState
    panel: HistoryPanelName
    zoomed: bool

    def focus_panel(self, panel: HistoryPanelName) -> None: ...

    def facts(self) -> set[str]:
        state = self.state
        cells, listed = state.mode == "cells", state.mode == "runs"
        found = {
            "cells": cells,
            "rows": bool(len(state.book)) if cells else bool(len(state.list)),
            "runs": (listed or self.panel == "runs") and self.record() is not None,
            "marks": bool(state.marks),
            "edit": not (state.read_only or state.source.local or self.spark.options.read_only),
        }
        return {fact for fact, holds in found.items() if holds}

    def record(self) -> RunRecord | None:
        """The run under the cursor of the table that shows runs."""
        table = self._table
        rows = table.run_rows if table is not None else None
        return rows.record(table.cursor_row) if rows is not None and table is not None and len(rows) else None

    def replay_ids(self) -> tuple[str, ...]:
        """The run under the cursor, or the two that are marked among the runs: what `replay` plays."""
        table = self._table
        marked = tuple(table.marks) if table is not None else ()
        record = self.record()
        return marked[:2] if len(marked) > 1 else (record.id,) if record is not None else ()

    def replay_record(self) -> RunRecord | None:
        return self.record()

    def chosen(self) -> Chosen | None:
        """The runs that label and delete are about: of the cell under the cursor, or the run under it."""
        if self.state.mode == "cells" and self.panel != "runs":
            entry = self.painter.cells.current if self.painter is not None else None
            if entry is None:
                return None
            return Chosen(tuple(run.id for run in entry.runs), f"the cell {cell_name(entry.cell)}", entry.cell.label)
        record = self.record()
        if record is None:
            return None
        return Chosen((record.id,), shown(f"{record.label} · {record.prompt.name}, run {record.id}"), record.label)

    def act_medians(self) -> None:
        self.state.mode = "runs" if self.state.mode == "cells" else "cells"
        self.zoomed = False
        self.focus_panel("cells")
        self.repaint_all()

    def act_mark(self) -> None:
        table = self._table
        if table is not None:
            table.toggle_mark()
            return
        entry = self.painter.cells.current if self.painter is not None else None
        if entry is not None:
            self.state.toggle_mark(entry.key)
            self.repaint_all()

    def act_unmark(self) -> None:
        self.state.marks.clear()
        if self.panel == "compare":
            self.focus_panel("cells")
        self.repaint_all()

    def act_compare(self) -> None:
        """The marked cells; in a table of runs, the cells of the marked runs."""
        table = self._table
        if table is not None and len(table.marks) > 1:
            self.mark_cells_of(tuple(table.marks))
        if self.state.comparison() is None:
            self.say("mark two cells or more with a: the first is A, the others are compared with it")
            return
        self.focus_panel("compare")
        self.repaint_all()

    def mark_cells_of(self, run_ids: Sequence[str]) -> None:
        """Mark the cells of these runs, the first one's as A."""
        keys = list(dict.fromkeys(key for run_id in run_ids if (key := self.state.book.key_of(run_id)) is not None))
        if len(keys) == 1:
            self.say("both runs are of one cell; cells are compared, runs are played side by side with p")
        self.state.marks = keys if len(keys) > 1 else self.state.marks

    def act_explain(self) -> None:
        """The marked cells, else the cell or the run under the cursor."""
        state, record = self.state, self.record()
        cells = state.marked()
        if not cells and state.mode == "cells" and self.panel != "runs":
            entry = self.painter.cells.current if self.painter is not None else None
            cells = [entry] if entry is not None else []
        runs = [run for entry in cells for run in entry.runs] or ([record] if record is not None else [])
        if runs:
            open_explanation(self.app, runs, [run for run in state.book.newest(1_000) if cell_key(run) == cell_key(runs[0])])

    def act_open(self) -> None:
        if self.state.mode == "cells" and self.panel != "runs":
            self.focus_panel("runs")
            self.repaint_all()
            return
        record = self.record()
        if record is not None:
            from sparktui.tui.screens.run import RunScreen

            self.app.push_screen(RunScreen(record, self.state))

    def act_filter(self) -> None:
        def typed(text: str | None) -> None:
            if text is not None and text != self.state.filter:
                self.state.begin(text)
                self.focus_panel("cells")
                self.repaint_all()

        self.app.push_screen(AskLine("filter", self.state.filter, hint=_FILTER_HINT, placeholder="nothing shows every run"), typed)

    def act_sort(self) -> None:
        """Sort by the next column; after the last the first."""
        state = self.state
        if state.mode == "cells":
            at = SORTED_BY.index(state.cell_sort) + 1
            state.cell_sort = SORTED_BY[at % len(SORTED_BY)]
            state.cell_descending = state.cell_sort not in ("label", "prompt", "temperature")
        else:
            keys = [column.key for column in columns_for(self.app.size.width)]
            at = keys.index(state.run_sort) + 1 if state.run_sort in keys else 0
            state.run_sort = keys[at % len(keys)]
            state.run_descending = state.run_sort not in ("label", "prompt", "temperature")
            state.list.begin()
        self.repaint_all()

    def act_turn(self) -> None:
        state = self.state
        if state.mode == "cells":
            state.cell_descending = not state.cell_descending
        else:
            state.run_descending = not state.run_descending
            state.list.begin()
        self.repaint_all()

    def act_label(self) -> None:
        if (chosen := self.chosen()) is not None:
            self.label_runs(chosen)

    def act_delete(self) -> None:
        if (chosen := self.chosen()) is not None:
            self.delete_runs(chosen)

    def act_export(self) -> None:
        from sparktui.tui.screens.export import ExportScreen

        state = self.state
        record = self.record()
        entry = self.painter.cells.current if self.painter is not None and state.mode == "cells" else None
        scopes = [run_scope(record)] if record is not None else []
        scopes += [cell_scope(entry)] if entry is not None else []
        marked = state.marked()
        scopes = ([marked_scope(marked)] if marked else []) + scopes
        scopes.append(filtered_scope(state.filter, state.total, [*state.book.newest(1)]))
        self.app.push_screen(ExportScreen(scopes, here_only=state.source.local))

    def edited(self, run_ids: Sequence[str], label: str | None) -> None:
        if label is None:
            self.state.forget(run_ids)
        else:
            self.state.visit()
        self.repaint_all()

    def act_zoom(self) -> None:
        self.zoomed = not self.zoomed
        self.repaint_all()

    def act_next_panel(self) -> None:
        self._step_panel(1)

    def act_last_panel(self) -> None:
        self._step_panel(-1)

    def act_back(self) -> None:
        if self.zoomed:
            self.act_zoom()
        elif self.state.mode == "cells" and self.panel != "cells":
            self.focus_panel("cells")
            self.repaint_all()
        else:
            self.app.pop_screen()

    def _step_panel(self, step: int) -> None:
        panels = [panel for panel in PANELS if panel != "compare" or self.state.marks]
        self.focus_panel(panels[(panels.index(self.panel) + step) % len(panels)])
        self.repaint_all()

    @property
    def _table(self) -> PagedTable | None:
        """The table that shows runs and has the focus."""
        if self.painter is None:
            return None
        if self.state.mode == "runs":
            return self.painter.list
        return self.painter.runs if self.panel == "runs" else None
