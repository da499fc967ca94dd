"""The whole text of a run, in the bursts it came in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Region

from sparktui.core.records import RunRecord
from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.frame import Due
from sparktui.tui.keys import TEXT, bindings_of
from sparktui.tui.runview.retold import retold
from sparktui.tui.runview.run_page import text_of
from sparktui.tui.screens.page import PageScreen
from sparktui.tui.widgets.panel_head import PanelHead
from sparktui.tui.widgets.stream_view import StreamView


class TextScreen(PageScreen):
    """`record` with its texts; with its timeline the bursts are tinted as they were while it ran."""

    KIND = TEXT
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of(TEXT)]
    AUTO_FOCUS = "StreamView"

    def __init__(self, record: RunRecord) -> None:
        super().__init__()
        self._record = record

    def parts(self) -> ComposeResult:
        yield PanelHead("Text", id="text-head")
        yield StreamView(view=self.spark.options.ui.view, id="text")

    def on_mount(self) -> None:
        self.query_one(PanelHead).focused_panel(True)
        self.call_after_refresh(self._tell)

    def places(self, width: int, top: int, bottom: int) -> Mapping[str, Region]:
        return {"text-head": Region(0, top, width, 1), "text": Region(0, top + 1, width, max(0, bottom - top - 1))}

    def paint_body(self, due: Due) -> None:
        view, record = self.query_one(StreamView), self._record
        state = (view.view, view.unseen_rows)
        if self.changed("head", state):
            below = f"▼ {view.unseen_rows} more lines" if view.unseen_rows else "the end"
            tokens = numbers.count(record.completion_tokens, estimated=record.tokens_estimated)
            said = f"{tokens} tokens, {len(text_of(record)):,} characters"
            self.query_one(PanelHead).show(
                context=f"{shown(record.prompt.name)}   {said}", status=[("view ", False), (view.view, True), (f"  {below}", False)]
            )

    def act_view(self) -> None:
        self.query_one(StreamView).next_view()

    def act_copy(self) -> None:
        self.copy_text(self.get_selected_text() or text_of(self._record))

    def act_write(self) -> None:
        from sparktui.tui.screens.export import write_text

        write_text(self, self._record)

    def _tell(self) -> None:
        """Once the width is known; from the first line on."""
        view = self.query_one(StreamView)
        view.begin()
        pieces, bursts = retold(self._record)
        view.feed(pieces, bursts)
        view.settle(bursts)
        view.action_scroll_home()
