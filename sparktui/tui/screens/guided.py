"""The live screen of the tour: while it lasts, a caption stands in the prompt's row and no key begins a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult

from sparktui.tui.screens.live import LiveScreen
from sparktui.tui.widgets.caption import Caption

if TYPE_CHECKING:
    from sparktui.tui.showing.guided import GuidedApp

_LEAVE = "esc ends the tour"


class GuidedScreen(LiveScreen):
    """`tell(text)`: the caption. Once the tour is over its last sentence is a notice, and the prompt is back."""

    touring = True

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield Caption(id="caption")

    def on_mount(self) -> None:
        super().on_mount()
        app = cast("GuidedApp", self.app)
        self.tell(app.tour.caption({}), over=app.tour.over)

    @property
    def moves(self) -> bool:
        return self.touring

    def tell(self, text: str, *, over: bool) -> None:
        self.query_one(Caption).say(text, _LEAVE)
        if over:
            self.app.notify(text, title="That was the tour", markup=False, timeout=20)
        if self.touring == over:
            self.touring = not over
            self.place_parts()
            self.repaint_all()

    def facts(self) -> set[str]:
        return super().facts() - {"ready", "running"} if self.touring else super().facts()

    def act_escape(self) -> None:
        if self.touring and self.zoomed is None:
            cast("GuidedApp", self.app).end_tour()
        else:
            super().act_escape()

    def place_parts(self) -> None:
        super().place_parts()
        caption = self.query_one(Caption)
        caption.display = self.touring
        if not self.touring:
            return
        regions = dict(self._placed.regions)
        # a small screen has no row for the prompt: the caption takes the header's
        row = "prompt" if "prompt" in regions else "header"
        regions["caption"] = regions.pop(row)
        self.query_one(f"#{row}").display = False
        self._placed.regions = regions
