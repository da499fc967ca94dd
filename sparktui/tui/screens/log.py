"""The server's log, full screen."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Region

from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.frame import Due
from sparktui.tui.keys import LOG, bindings_of
from sparktui.tui.runview.run_names import log_link
from sparktui.tui.screens.ask_line import AskLine
from sparktui.tui.screens.page import PageScreen
from sparktui.tui.widgets.log_panel import LogPanel
from sparktui.tui.widgets.panel_head import PanelHead


class LogScreen(PageScreen):
    """`raw` and `filter` as the live screen's panel has them."""

    KIND = LOG
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of(LOG)]
    AUTO_FOCUS = "LogPanel"

    def __init__(self, *, raw: bool = False, filter: str = "") -> None:
        super().__init__()
        self._raw, self._filter = raw, filter
        self._paused = False

    def parts(self) -> ComposeResult:
        yield PanelHead("Server log", id="log-head")
        yield LogPanel(id="log")

    def on_mount(self) -> None:
        panel = self.query_one(LogPanel)
        panel.raw, panel.filter = self._raw, self._filter
        self.query_one(PanelHead).focused_panel(True)

    def places(self, width: int, top: int, bottom: int) -> Mapping[str, Region]:
        return {"log-head": Region(0, top, width, 1), "log": Region(0, top + 1, width, max(0, bottom - top - 1))}

    def facts(self) -> set[str]:
        return set() if self.query_one(LogPanel).following else {"scrolled"}

    def paint_body(self, due: Due) -> None:
        panel, session = self.query_one(LogPanel), self.spark.session
        rev = session.rev
        look = (panel.raw, panel.filter)
        if not self._paused and self.changed("log", (rev.log, rev.history, look)):
            panel.show(session.log, partial(log_link, session))
        if self.changed("head", (rev.log, look, self._paused, panel.following, panel.unseen)):
            self._show_head(panel)

    def on_log_panel_scrolled(self, event: LogPanel.Scrolled) -> None:
        self._seen.pop("head", None)

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
        self.query_one(PanelHead).show(context=source + kept, status=[*status, (words, False)])
