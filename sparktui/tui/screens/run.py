"""One run, full screen: every figure with its definition, the burst timeline, histograms, the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Region

from sparktui.core.commands import RunGet
from sparktui.core.events import Reply
from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import cell_key
from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.frame import Due
from sparktui.tui.history.export_scopes import cell_scope, run_scope
from sparktui.tui.history.history_state import HistoryState
from sparktui.tui.keys import RUN, bindings_of
from sparktui.tui.runview.definition_band import band_height, definition_of
from sparktui.tui.runview.run_page import page_rows, text_of
from sparktui.tui.screens.edits import Chosen, RunEdits
from sparktui.tui.screens.explaining import open_explanation
from sparktui.tui.screens.page import PageScreen
from sparktui.tui.widgets.definition_band import DefinitionBand
from sparktui.tui.widgets.figure_grid import FigureGrid
from sparktui.tui.widgets.panel_head import PanelHead
from sparktui.tui.widgets.sheet import Sheet

_ENOUGH_LOWER, _LEAST_FIGURES = 18, 4
_LOADING = "timeline and text are being read …"
_KEPT = ("text", "reasoning", "tool_calls", "timeline", "prompt", "label")
_ENDINGS = {"ok": "✓ ok", "cancelled": "■ cancelled", "cut_off": "■ cut off", "failed": "✕ failed"}


class RunScreen(RunEdits, PageScreen):
    """`record` as lists have it, without texts; what is missing is asked for. `state`: the history's, for marks and after edits."""

    KIND = RUN
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of(RUN)]

    def __init__(self, record: RunRecord, state: HistoryState | None = None) -> None:
        super().__init__()
        self.record = record
        self._state = state
        self._waiting = _LOADING
        self._version = 0
        self._needed: tuple[object, tuple[int, int], int] = (None, (0, 0), 0)

    def parts(self) -> ComposeResult:
        yield PanelHead("Run", id="run-head")
        yield FigureGrid(id="figures")
        yield DefinitionBand(id="band")
        yield Sheet(id="lower")

    def on_mount(self) -> None:
        self.query_one("#run-head", PanelHead).focused_panel(True)
        # arrow keys are the figures'
        self.query_one("#lower", Sheet).can_focus = False
        self._ask()

    def places(self, width: int, top: int, bottom: int) -> Mapping[str, Region]:
        room = max(0, bottom - top - 1)
        key = (self._version, width)
        if self._needed[0] != key:
            self._needed = (key, self.query_one(FigureGrid).rows_needed(self.record, width), band_height(self.record, width))
        _, (needed, first), wanted_band = self._needed
        band = min(wanted_band, max(1, room // 4))
        # all figures where the lower part keeps enough rows, else the groups at the top, else half of what there is
        left = room - band
        figures = needed if left - needed >= _ENOUGH_LOWER else min(first, max(_LEAST_FIGURES, left // 2))
        figures = max(0, min(figures, left))
        y = top + 1
        return {
            "run-head": Region(0, top, width, 1),
            "figures": Region(0, y, width, figures),
            "band": Region(0, y + figures, width, band),
            "lower": Region(0, y + figures + band, width, max(0, bottom - y - figures - band)),
        }

    def facts(self) -> set[str]:
        editable = not self.spark.options.read_only and (self._state is None or not (self._state.read_only or self._state.source.local))
        found = {"text": bool(text_of(self.record)), "edit": editable}
        return {fact for fact, holds in found.items() if holds}

    def paint_body(self, due: Due) -> None:
        self._follow_session()
        grid = self.query_one(FigureGrid)
        if self.changed("record", (self._version, self._waiting)):
            grid.show(self.record)
            self.query_one("#lower", Sheet).show(lambda width: page_rows(self.record, width, self.spark.roles, waiting=self._waiting))
        if self.changed("figure", (grid.figure, grid.below, self._version)):
            self.query_one(DefinitionBand).show(grid.figure, self.record)
            self._show_head(grid.below)

    def replay_ids(self) -> tuple[str, ...]:
        """What `replay` plays."""
        return (self.record.id,)

    def replay_record(self) -> RunRecord | None:
        return self.record

    def on_figure_grid_moved(self, event: FigureGrid.Moved) -> None:
        self._seen.pop("figure", None)

    def act_figure(self) -> None:
        step = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[self.pressed]
        self.query_one(FigureGrid).move(*step)

    def act_page(self) -> None:
        sheet = self.query_one("#lower", Sheet)
        {
            "pageup": sheet.action_page_up,
            "pagedown": sheet.action_page_down,
            "home": sheet.action_scroll_home,
            "end": sheet.action_scroll_end,
        }[self.pressed]()

    def act_explain(self) -> None:
        """Its own figures beside those of its cell, as far as its cell's runs are loaded."""
        record = self.record
        peers = [other for other in self.spark.session.records if cell_key(other) == cell_key(record)]
        open_explanation(self.app, [record], peers)

    def act_log(self) -> None:
        """The server's log at this run's record."""
        if self.spark.session.log_of_run(self.record.id) is None:
            self.say("no log record of this run is held here: none was joined, or it has gone out at the top of the log")
            return
        from sparktui.tui.screens.log import LogScreen

        self.app.push_screen(LogScreen(run_id=self.record.id))

    def act_text(self) -> None:
        from sparktui.tui.screens.text import TextScreen

        self.app.push_screen(TextScreen(self.record))

    def act_help(self) -> None:
        """The figures page, at the figure under the cursor."""
        from sparktui.tui.screens.help import HelpScreen

        figure = self.query_one(FigureGrid).figure
        definition = definition_of(figure) if figure is not None else None
        self.app.push_screen(HelpScreen(figure=definition.field) if definition is not None else HelpScreen(kind=RUN))

    def act_copy(self) -> None:
        self.copy_text(self.get_selected_text() or text_of(self.record))

    def act_write(self) -> None:
        from sparktui.tui.screens.export import write_text

        write_text(self, self.record)

    def act_export(self) -> None:
        from sparktui.tui.screens.export import ExportScreen

        scopes = [run_scope(self.record)]
        entry = self._state.book.entry(cell_key(self.record)) if self._state is not None else None
        scopes += [cell_scope(entry)] if entry is not None else []
        self.app.push_screen(ExportScreen(scopes, here_only=self.spark.options.read_only))

    def act_mark(self) -> None:
        if self._state is None:
            return
        letter = self._state.toggle_mark(cell_key(self.record))
        self.say(f"the cell of this run is {letter} now" if letter else "the mark is taken off")

    def act_label(self) -> None:
        self.label_runs(self._chosen())

    def act_delete(self) -> None:
        self.delete_runs(self._chosen())

    def edited(self, run_ids: Sequence[str], label: str | None) -> None:
        if self._state is not None and label is None:
            self._state.forget(run_ids)
        elif self._state is not None:
            self._state.visit()
        if label is None:
            self.app.pop_screen()
        else:
            self._take(msgspec.structs.replace(self.record, label=label))

    def _chosen(self) -> Chosen:
        record = self.record
        return Chosen((record.id,), shown(f"{record.label} · {record.prompt.name}, run {record.id}"), record.label)

    def _ask(self) -> None:
        def answered(reply: Reply) -> None:
            if reply.ok:
                self._waiting = ""
                self._take(msgspec.convert(reply.data["runs"][0], RunRecord))
            else:
                self._waiting = (reply.error or {}).get("title", "") or "timeline and text cannot be read"
            self.repaint_all()

        sent = 0 if self.spark.options.read_only else self.spark.send(RunGet(run_ids=(self.record.id,), timeline=True, text=True), answered)
        if not sent:
            self._waiting = "timeline and text are in the history, and no measuring process is here to read it"

    def _take(self, record: RunRecord) -> None:
        self.record = record
        self._version += 1
        self.place_parts()

    def _follow_session(self) -> None:
        """Figures that became known since (a log record joined late) are taken in; texts and timeline stay."""
        known = self.spark.session.record(self.record.id)
        if known is None or not self.changed("known", self.spark.session.rev.history):
            return
        own = self.record
        kept = msgspec.structs.replace(known, **{name: getattr(own, name) for name in _KEPT})
        if kept != own:
            self._take(kept)

    def _show_head(self, below: int) -> None:
        record = self.record
        parts = [record.prompt.name]
        parts += [f"T {numbers.temperature(record.params.temperature)}"] if record.params.temperature is not None else []
        parts += ["warm-up"] if record.warmup else [f"run {record.run_no}"] if record.run_no else []
        moment = numbers.local_time(record.started_at)
        today = self.spark.wall_clock().astimezone()
        if moment is not None:
            clock = f"{moment:%H:%M:%S}"
            parts += [record.label, clock if moment.date() == today.date() else f"{moment:%Y-%m-%d} {clock}"]
        more = f"▼ {below} more rows   " if below > 0 else ""
        status = [f"finish {record.finish_reason}"] if record.finish_reason else []
        status += [numbers.short_id(record.request_id)] if record.request_id else []
        ending = _ENDINGS[record.status] + (", simulated" if record.simulated else "")
        self.query_one("#run-head", PanelHead).show(
            context=shown(" · ".join(parts)), status=[(more, True), (shown(" · ".join(status)) + "  ", False), (ending, True)]
        )
