"""Help: keys, figures, servers, trouble. The pages are the documentation's, the keys the table's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Region
from textual.strip import Strip

from sparktui.report.definitions import page
from sparktui.tui.drawing.doc_rows import doc_rows
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.frame import Due
from sparktui.tui.drawing.prose import TextRow, painted
from sparktui.tui.help.help_keys import key_rows
from sparktui.tui.help.help_strip import strip_rows
from sparktui.tui.keys import HELP, LIVE, bindings_of
from sparktui.tui.live.server_rows import server_rows
from sparktui.tui.screens.ask_line import AskLine
from sparktui.tui.screens.page import PageScreen
from sparktui.tui.widgets.panel_head import PanelHead
from sparktui.tui.widgets.sheet import Sheet

_DOCUMENTS = {
    "keys": "keys", "figures": "metrics", "servers": "servers", "trouble": "troubleshooting", "history": "history", "needles": "needle",
    "sweeps": "sweep", "explain": "explain", "demo": "demo",
}  # fmt: skip
PAGES = tuple(_DOCUMENTS)
_ALL_NAMES_FROM = 110


class HelpScreen(PageScreen):
    """`page` of PAGES; `figure` is a field to open the figures page at; `kind` the screen that help was called from."""

    KIND = HELP
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of(HELP)]
    AUTO_FOCUS = "Sheet"

    def __init__(self, page: str = "keys", *, figure: str = "", kind: str = LIVE) -> None:
        super().__init__()
        self._page = "figures" if figure else page
        self._figure = figure
        self._kind = kind
        self._rows: list[TextRow] = []
        self._strips: list[Strip] = []
        self._wanted = ""
        self._hits: list[int] = []

    def parts(self) -> ComposeResult:
        yield PanelHead("Help", id="help-head")
        yield Sheet(id="help")

    def places(self, width: int, top: int, bottom: int) -> Mapping[str, Region]:
        return {"help-head": Region(0, top, width, 1), "help": Region(0, top + 1, width, max(0, bottom - top - 1))}

    def on_mount(self) -> None:
        self.query_one(PanelHead).focused_panel(True)
        self._show()
        if self._figure:
            self.call_after_refresh(self.go_to, self._figure)

    def facts(self) -> set[str]:
        return {"found"} if self._hits else set()

    def paint_body(self, due: Due) -> None:
        sheet = self.query_one(Sheet)
        below = sheet.below
        if self.changed("head", (self._page, below > 0, self._wanted, len(self._hits))):
            names = [f"‹{name}›" if name == self._page else name for name in PAGES]
            at = PAGES.index(self._page)
            if self.app.size.width < _ALL_NAMES_FROM:
                # the names before the page go where not all fit
                names = names[max(0, at - 1) :]
            status = [(f"/{shown(self._wanted)} {len(self._hits)}×   ", True)] if self._wanted else []
            status += [("▼ more   ", False)] if below > 0 else []
            self.query_one(PanelHead).show(context=" · ".join(names), status=[*status, ("tab next page", False)])

    def go_to(self, anchor: str) -> None:
        """Bring a heading to the top of the page."""
        at = next((at for at, row in enumerate(self._rows) if row.anchor == anchor), None)
        if at is not None:
            self.query_one(Sheet).go_to(at)

    def act_next_page(self) -> None:
        self._turn(1)

    def act_last_page(self) -> None:
        self._turn(-1)

    def act_filter(self) -> None:
        def typed(text: str | None) -> None:
            if text is not None:
                self._wanted = text
                self._find()
                self._go_to_hit(self.query_one(Sheet).top)
                self.repaint_all()

        self.app.push_screen(AskLine("find", self._wanted, placeholder="words on this page"), typed)

    def act_next_found(self) -> None:
        self._go_to_hit(self.query_one(Sheet).top + 1)

    def act_help(self) -> None:
        """Already here."""

    def _turn(self, step: int) -> None:
        self._page = PAGES[(PAGES.index(self._page) + step) % len(PAGES)]
        self._show()
        self._find()
        self.repaint_all()

    def _show(self) -> None:
        self.query_one(Sheet).show(self._built, top=True)

    def _built(self, width: int) -> list[Strip]:
        roles = self.spark.roles
        if self._page == "keys":
            above, below = key_rows(width, self._kind)
            self._rows = above
            self._strips = [*painted(above, width, roles), *strip_rows(width, roles), *painted([TextRow(), *below], width, roles)]
        else:
            own = server_rows(self.spark.session, width) if self._page == "servers" else []
            self._rows = [TextRow(), *own, *doc_rows(page(_DOCUMENTS[self._page]), width)]
            self._strips = painted(self._rows, width, roles)
        return self._strips

    def _find(self) -> None:
        wanted = self._wanted.casefold()
        self._hits = [at for at, strip in enumerate(self._strips) if wanted in strip.text.casefold()] if wanted else []

    def _go_to_hit(self, first: int) -> None:
        """The next place at or below row `first`, else the first one of the page."""
        if self._hits:
            self.query_one(Sheet).go_to(next((at for at in self._hits if at >= first), self._hits[0]))
