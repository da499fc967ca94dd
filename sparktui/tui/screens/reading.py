"""A page to read: rows made for the width, scrolled; an explanation, a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Region

from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.frame import Due
from sparktui.tui.drawing.prose import TextRow, painted
from sparktui.tui.keys import READ, bindings_of
from sparktui.tui.screens.page import PageScreen
from sparktui.tui.widgets.panel_head import PanelHead
from sparktui.tui.widgets.sheet import Sheet


class ReadingScreen(PageScreen):
    """`title` in the head, `about` beside it (may be foreign); `rows(width)` gives the page, foreign text in it made fit already."""

    KIND = READ
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of(READ)]
    AUTO_FOCUS = "Sheet"

    def __init__(self, title: str, about: str, rows: Callable[[int], Sequence[TextRow]]) -> None:
        super().__init__()
        self._title, self._about, self._rows = title, about, rows

    def parts(self) -> ComposeResult:
        yield PanelHead(self._title, id="read-head")
        yield Sheet(id="read")

    def places(self, width: int, top: int, bottom: int) -> Mapping[str, Region]:
        return {"read-head": Region(0, top, width, 1), "read": Region(0, top + 1, width, max(0, bottom - top - 1))}

    def on_mount(self) -> None:
        self.query_one(PanelHead).focused_panel(True)
        self.query_one(Sheet).show(lambda width: painted(self._rows(width), width, self.spark.roles))

    def paint_body(self, due: Due) -> None:
        below = self.query_one(Sheet).below
        if self.changed("head", below):
            status = [(f"▼ {below} more lines" if below else "the end", False)]
            self.query_one(PanelHead).show(context=shown(self._about), status=status)

    def act_copy(self) -> None:
        text = "\n".join(" ".join(piece.text for piece in row.pieces) for row in self._rows(max(20, self.app.size.width)))
        self.copy_text(self.get_selected_text() or text)
