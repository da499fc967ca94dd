"""The server's log, full screen."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Region

from sparktui.core.records import RunRecord
from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.frame import Due
from sparktui.tui.keys import LOG, bindings_of
from sparktui.tui.runview.run_names import log_link
from sparktui.tui.screens.ask_line import AskLine
from sparktui.tui.screens.page import PageScreen
from sparktui.tui.widgets.acceptance_row import AcceptanceRow
from sparktui.tui.widgets.log_panel import LogPanel
from sparktui.tui.widgets.panel_head import PanelHead

_STRIP_FROM_ROWS = 8


class LogScreen(PageScreen):
    """`raw` and `filter` as the live screen's panel has them; `run_id`: the run whose record to open at."""

    KIND = LOG
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of(LOG)]
    AUTO_FOCUS = "LogPanel"

    def __init__(self, *, raw: bool = False, filter: str = "", run_id: str = "") -> None:
        super().__init__()
        self._raw, self._filter, self._run_id = raw, filter, run_id
        self._paused = False
        self._tells = False

    def parts(self) -> ComposeResult:
        yield PanelHead("Server log", id="log-head")
        yield AcceptanceRow(id="acceptance")
        yield LogPanel(id="log")

    def on_mount(self) -> None:
        panel = self.query_one(LogPanel)
        panel.raw, panel.filter = self._raw, self._filter
        self.query_one(PanelHead).focused_panel(True)
        if self._run_id:
            self.call_after_refresh(self._choose_run)

    def places(self, width: int, top: int, bottom: int) -> Mapping[str, Region]:
        strip = int(bottom - top >= _STRIP_FROM_ROWS and self._tells)
        return {
            "log-head": Region(0, top, width, 1),
            "acceptance": Region(0, top + 1, width, strip),
            "log": Region(0, top + 1 + strip, width, max(0, bottom - top - 1 - strip)),
        }

    def facts(self) -> set[str]:
        panel = self.query_one(LogPanel)
        found = {"scrolled": not panel.following, "chosen": bool(self._chosen_run())}
        return {fact for fact, holds in found.items() if holds}

    def paint_body(self, due: Due) -> None:
        panel, session = self.query_one(LogPanel), self.spark.session
        rev = session.rev
        look = (panel.raw, panel.filter)
        if not self._paused and self.changed("log", (rev.log, rev.history, look)):
            panel.show(session.log, partial(log_link, session), session.run_of_log)
        panel.set_off(self._chosen_run())
        if self.changed("acceptance", rev.history):
            self.query_one(AcceptanceRow).show(session.records)
            tells = any(record.acceptance_rate is not None for record in session.records)
            if tells != self._tells:
                self._tells = tells
                self.place_parts()
        if self.changed("head", (rev.log, look, self._paused, panel.following, panel.unseen, panel.chosen_n)):
            self._show_head(panel)

    def on_log_panel_scrolled(self, event: LogPanel.Scrolled) -> None:
        self._seen.pop("head", None)

    def on_log_panel_chosen(self, event: LogPanel.Chosen) -> None:
        self._choose(event.n)

    def act_next_record(self) -> None:
        self._step(1)

    def act_record_before(self) -> None:
        self._step(-1)

    def act_open(self) -> None:
        """The page of the run that the chosen record belongs to."""
        record = self.spark.session.record(self._chosen_run())
        if record is not None:
            from sparktui.tui.screens.run import RunScreen

            self.app.push_screen(RunScreen(record))

    def act_raw_log(self) -> None:
        panel = self.query_one(LogPanel)
        panel.raw = not panel.raw

    def act_pause(self) -> None:
        self._paused = not self._paused
        self._seen.clear()

    def act_follow(self) -> None:
        self.query_one(LogPanel).action_scroll_end()

    def act_filter(self) -> None:
        panel = self.query_one(LogPanel)

        def typed(text: str | None) -> None:
            if text is not None:
                panel.filter = text
                self.repaint_all()

        self.app.push_screen(AskLine("filter", panel.filter, placeholder="text that a line must hold; nothing shows all"), typed)

    def act_copy(self) -> None:
        """The selected lines, else all that the filter shows."""
        panel = self.query_one(LogPanel)
        wanted = panel.filter.casefold()
        lines = [record.text for record in self.spark.session.log if wanted in record.text.casefold()]
        text = self.get_selected_text() or "\n".join(lines)
        if text:
            self.copy_text(text)

    def _step(self, by: int) -> None:
        n = self.query_one(LogPanel).step(by)
        if n is None:
            self.say("no generation further " + ("on" if by > 0 else "back"))
        else:
            self._choose(n)

    def _choose(self, n: int) -> None:
        self.query_one(LogPanel).choose(n)

    def _choose_run(self) -> None:
        n = self.spark.session.log_of_run(self._run_id)
        if n is not None:
            self._choose(n)

    def _chosen_run(self) -> str:
        n = self.query_one(LogPanel).chosen_n
        return "" if n is None else self.spark.session.run_of_log(n)

    def _show_head(self, panel: LogPanel) -> None:
        session = self.spark.session
        state = session.log_state
        words = "off: no log is configured (log.source)" if state is None else state.state
        if state is not None and state.reason:
            words += f": {shown(state.reason)}"
        if not panel.following:
            words = f"▼ {panel.unseen} new lines"
        status = [("‖ paused   ", True)] if self._paused else []
        status += [("raw   ", True)] if panel.raw else []
        status += [(f"/{shown(panel.filter)}   ", True)] if panel.filter else []
        held = len(session.log)
        kept = f"   {held:,} lines" + (f" of {session.log_count:,}" if session.log_count > held else "")
        source = shown(state.source) if state is not None else ""
        record = session.record(self._chosen_run())
        context = f"◀ {_named(record)}" if record is not None else source + kept
        self.query_one(PanelHead).show(context=context, status=[*status, (words, False)])


def _named(record: RunRecord) -> str:
    """The run of the chosen record in a few words."""
    number = f" · run {record.run_no}" if record.run_no else ""
    rate = f" · {numbers.tok_s(record.client_tok_s)} tok/s" if record.client_tok_s is not None else ""
    draft = f" · draft {numbers.percent(record.acceptance_rate)}" if record.acceptance_rate is not None else ""
    return shown(f"{record.prompt.name} · {record.label}{number}{rate}{draft}")
