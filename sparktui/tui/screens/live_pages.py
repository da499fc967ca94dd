"""The live screen's ways to the screens over it: history, run, comparison, log, help, export; labelling and deleting from its history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import cell_key, cells_of
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.keys import LIVE
from sparktui.tui.screens.base import SparkScreen
from sparktui.tui.screens.edits import Chosen, RunEdits
from sparktui.tui.widgets.history_table import HistoryTable
from sparktui.tui.widgets.log_panel import LogPanel

if TYPE_CHECKING:
    from sparktui.tui.history.export_scopes import Scope
    from sparktui.tui.history.history_state import HistoryState


class LivePages(RunEdits, SparkScreen):
    """Mixed into the live screen. The screens are imported when they are opened: none of them is part of the first frame."""

    _history: HistoryState | None = None

    @property
    def history_state(self) -> HistoryState:
        """What the history screen shows, kept between visits."""
        if self._history is None:
            from sparktui.tui.history.history_state import HistoryState

            self._history = HistoryState(self.spark)
        return self._history

    def act_history(self) -> None:
        self._open_history()

    def act_log(self) -> None:
        from sparktui.tui.screens.log import LogScreen

        panel = self.query_one(LogPanel)
        self.app.push_screen(LogScreen(raw=panel.raw, filter=panel.filter))

    def act_help(self) -> None:
        from sparktui.tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(kind=LIVE))

    def act_open(self) -> None:
        record = self._record
        if record is not None:
            from sparktui.tui.screens.run import RunScreen

            self.app.push_screen(RunScreen(record, self.history_state))

    def act_compare(self) -> None:
        """The cells of the runs that are marked in the history panel, A first."""
        session = self.spark.session
        marked = [record for run_id in self.query_one(HistoryTable).marks if (record := session.record(run_id)) is not None]
        keys = list(dict.fromkeys(cell_key(record) for record in marked))
        if len(keys) < 2:
            why = "both runs are of one cell; " if len(marked) > 1 else ""
            self.say(f"{why}mark runs of two cells with a, the first is A; in the full history cells can be marked themselves")
            return
        self.history_state.marks = keys
        self._open_history(compare=True)

    def act_export(self) -> None:
        from sparktui.tui.screens.export import ExportScreen

        session = self.spark.session
        newest = session.records[:1]
        from sparktui.tui.history.export_scopes import filtered_scope, run_scope

        scopes: list[Scope] = []
        current = session.current
        if current is not None and current.record is not None:
            scopes.append(run_scope(current.record, "the run on screen"))
            scopes += self._bench_scope(current.record)
        record = self._record
        if record is not None and (current is None or record.id != current.run_id):
            scopes.append(run_scope(record, "the run under the cursor"))
        scopes.append(filtered_scope("", session.record_count, newest))
        if not newest:
            self.say("there are no runs to export yet", severity="warning")
            return
        self.app.push_screen(ExportScreen(scopes, here_only=self.history_state.source.local))

    def replay_ids(self) -> tuple[str, ...]:
        """The two that are marked in the history panel, else the run under its cursor."""
        marked = tuple(self.query_one(HistoryTable).marks)
        record = self._record
        return marked[:2] if len(marked) > 1 else (record.id,) if record is not None else ()

    def replay_record(self) -> RunRecord | None:
        return self._record

    def act_label(self) -> None:
        if self._may_edit and (chosen := self._chosen) is not None:
            self.label_runs(chosen)

    def act_delete(self) -> None:
        if self._may_edit and (chosen := self._chosen) is not None:
            self.delete_runs(chosen)

    def edited(self, run_ids: Sequence[str], label: str | None) -> None:
        if self._history is not None and label is None:
            self._history.forget(run_ids)

    def on_history_table_opened(self, event: HistoryTable.Opened) -> None:
        event.stop()
        self.act_open()

    def _open_history(self, *, compare: bool = False) -> None:
        from sparktui.tui.screens.history import HistoryScreen

        self.app.push_screen(HistoryScreen(self.history_state, compare=compare))

    def _bench_scope(self, record: RunRecord) -> list[Scope]:
        """The runs of the bench that the run on screen belongs to."""
        if record.bench_id is None:
            return []
        runs = [run for run in self.spark.session.records if run.bench_id == record.bench_id]
        from sparktui.tui.history.export_scopes import Scope

        return [Scope(words="this bench", run_ids=tuple(run.id for run in reversed(runs)), count=len(runs), sample=(record,))]

    @property
    def _record(self) -> RunRecord | None:
        """The run under the history panel's cursor."""
        run_id = self.query_one(HistoryTable).cursor_id
        return self.spark.session.record(run_id) if run_id else None

    @property
    def _chosen(self) -> Chosen | None:
        """The run under the cursor; where the panel shows medians, the cell's runs."""
        record = self._record
        if record is None:
            return None
        if self._shows_medians:
            key = cell_key(record)
            runs = [run for run in self.spark.session.records if cell_key(run) == key]
            from sparktui.tui.history.cell_rows import cell_name

            return Chosen(tuple(run.id for run in runs), f"the cell {cell_name(cells_of(runs)[0])}", record.label)
        return Chosen((record.id,), shown(f"{record.label} · {record.prompt.name}, run {record.id}"), record.label)

    @property
    def _may_edit(self) -> bool:
        if self.spark.options.read_only:
            self.say("this screen only looks at a session; runs are edited where they are measured", severity="warning")
        return not self.spark.options.read_only

    @property
    def _shows_medians(self) -> bool:
        painter = getattr(self, "painter", None)
        return painter is not None and bool(painter.history.medians)
