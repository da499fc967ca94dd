"""The live screen on a tour: while it lasts, a caption stands in the prompt's row and no key begins a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparktui.core.commands import Run
from sparktui.tui.screens.live_actions import LiveActions
from sparktui.tui.widgets.caption import Caption

if TYPE_CHECKING:
    from sparktui.tui.drawing.placed import Placed
    from sparktui.tui.showing.tour import Words

_PROMPTS = ("story", "code")


class Touring(LiveActions):
    """`tell(…)`: the caption. Once the tour is over its last sentence is a notice, and the prompt is back."""

    touring = False
    _placed: Placed

    @property
    def moves(self) -> bool:
        return self.touring

    def act_bursts(self) -> None:
        """Prose, then code, live; then both side by side."""
        lacking = next((name for name in _PROMPTS if name not in self.spark.options.prompts), None)
        if lacking is not None:
            self.say(f"there is no prompt named {lacking}; prompts in config.yml lists them", severity="warning")
        elif self.spark.session.active:
            self.say("a run is in flight; x cancels it, then this can begin", severity="warning")
        else:
            # two lanes and what plays them are imported when they are needed
            from sparktui.tui.showing.guide import bursts

            bursts(self.spark, self._asked_for)

    def act_escape(self) -> None:
        if self.touring and self.zoomed is None and self.spark.guide is not None:
            self.spark.guide.end()
        else:
            super().act_escape()

    def tell(self, text: str, words: Words, *, over: bool) -> None:
        self.query_one(Caption).say(text, words.leave)
        if over:
            self.app.notify(text, title=words.title, markup=False, timeout=20)
        if self.touring == over:
            self.touring = not over
            self.place_parts()
            self.repaint_all()

    def place_caption(self) -> None:
        """Where the caption is, in place of the prompt; a small screen has no row for that, there it takes the header's."""
        self.query_one(Caption).display = self.touring
        if self.touring:
            regions = dict(self._placed.regions)
            row = "prompt" if "prompt" in regions else "header"
            regions["caption"] = regions.pop(row)
            self.query_one(f"#{row}").display = False
            self._placed.regions = regions

    def _asked_for(self, name: str) -> Run | None:
        prompt = self.spark.options.prompts.get(name)
        return self.command_for(prompt) if prompt is not None else None
