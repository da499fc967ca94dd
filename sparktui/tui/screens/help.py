"""Help: keys, figures, servers, trouble, and a page on each use. The pages are the documentation's, the keys the table's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
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
from sparktui.tui.screens.base import Action
from sparktui.tui.screens.page import PageScreen
from sparktui.tui.widgets.panel_head import PanelHead
from sparktui.tui.widgets.sheet import Sheet

DOCUMENTS = {
    "keys": "keys", "figures": "metrics", "servers": "servers", "trouble": "troubleshooting", "one-off": "ask", "watch": "watch",
    "ssh": "ssh", "bursts": "replay", "history": "history", "needles": "needle", "sweeps": "sweep", "explain": "explain",
    "report": "report", "demo": "demo",
}  # fmt: skip
"""The pages in their order, and the document that each is made from; the keys page is made from the key table, as docs/keys.md is."""
PAGES = tuple(DOCUMENTS)
_AROUND_NAMES = 12
_NARROW = 76


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
            status = [(f"/{shown(self._wanted)} {len(self._hits)}×   ", True)] if self._wanted else []
            status += [("▼ more   ", False)] if below > 0 else []
            width = self.app.size.width
            status += [("tab next page", False)] if width >= _NARROW else []
            names = " · ".join(f"‹{name}›" if name == self._page else name for name in PAGES)
            if len(names) + sum(len(text) for text, _ in status) + _AROUND_NAMES > width:
                # the names before the page go where not all fit
                names = names.split(" · ", max(0, PAGES.index(self._page) - (width >= _NARROW)))[-1]
            self.query_one(PanelHead).show(context=names, status=status)

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
                if text and not self._hits:
                    self._turn_to_hit()
                self._go_to_hit(self.query_one(Sheet).top)
                self.repaint_all()

        self.app.push_screen(AskLine("find", self._wanted, placeholder="on this page first, then on the others"), typed)

    def act_next_found(self) -> None:
        """The next place on this page, after its last one the first of the next page that has one."""
        top = self.query_one(Sheet).top
        if not any(at > top for at in self._hits) or self.query_one(Sheet).below <= 0:
            self._turn_to_hit()
            self._go_to_hit(0)
        else:
            self._go_to_hit(top + 1)

    def act_help(self) -> None:
        """Already here."""

    def more_commands(self) -> Iterable[tuple[str, str, Action]]:
        return [(f"help on {name}", "a page of the help", partial(self._turn_to, name)) for name in PAGES]

    def _turn_to_hit(self) -> None:
        """Turn to the next page that has what is looked for; this one, where no other has."""
        before = self._page
        for _ in PAGES:
            self._turn(1)
            if self._hits:
                return
        self._turn_to(before)

    def _turn(self, step: int) -> None:
        self._turn_to(PAGES[(PAGES.index(self._page) + step) % len(PAGES)])

    def _turn_to(self, name: str) -> None:
        self._page = name
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
            self._rows = [TextRow(), *own, *doc_rows(page(DOCUMENTS[self._page]), width)]
            self._strips = painted(self._rows, width, roles)
        return self._strips

    def _find(self) -> None:
        """The rows at which what is looked for begins, also where it goes on in the next row."""
        wanted = " ".join(self._wanted.casefold().split())
        # makes the rows of a page that was not painted yet
        self._hits = [] if not wanted or not self.query_one(Sheet).length else _rows_with(wanted, self._strips)

    def _go_to_hit(self, first: int) -> None:
        """The next place at or below row `first`, else the first one of the page."""
        if self._hits:
            self.query_one(Sheet).go_to(next((at for at in self._hits if at >= first), self._hits[0]))


def _rows_with(wanted: str, strips: Sequence[Strip]) -> list[int]:
    rows = [" ".join(strip.text.casefold().split()) for strip in strips]
    pairs = zip(rows, [*rows[1:], ""], strict=True)
    return [at for at, (row, after) in enumerate(pairs) if 0 <= f"{row} {after}".find(wanted) < max(1, len(row))]
