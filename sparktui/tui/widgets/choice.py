"""One field of a dialog that has a few values: arrows or space change it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message
from textual.strip import Strip

from sparktui.tui.drawing.pen import Line, cut
from sparktui.tui.widgets.painted import Painted

NAME_CELLS = 11
_VALUE_CELLS = 5


class Choice(Painted, can_focus=True):
    """`name` and one of `values`; `at` is the number of the chosen one. `note` stands behind it, muted."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space", "step(1)", show=False), Binding("left", "step(-1)", show=False),
    ]  # fmt: skip

    class Changed(Message):
        """Another value was chosen."""

        def __init__(self, sender: Choice) -> None:
            super().__init__()
            self.sender = sender

        @property
        def control(self) -> Choice:
            return self.sender

    def __init__(self, label: str, values: Sequence[str], at: int = 0, *, note: str = "", id: str | None = None) -> None:
        super().__init__(id=id)
        self._label, self._values, self.note = label, tuple(values), note
        self.at = at

    @property
    def value(self) -> str:
        return self._values[self.at]

    def choose(self, at: int) -> None:
        """Set it without a message."""
        self.at = at
        self.repaint()

    def action_step(self, step: int) -> None:
        if len(self._values) > 1:
            self.at = (self.at + step) % len(self._values)
            self.repaint()
            self.post_message(self.Changed(self))

    def on_click(self, event: Click) -> None:
        self.action_step(1)

    def on_focus(self) -> None:
        self.repaint()

    def on_blur(self) -> None:
        self.repaint()

    def rows(self, width: int, height: int) -> list[Strip]:
        ground = "cursor" if self.has_focus else "head"
        line = Line(width, self.roles.style("text", ground))  # type: ignore[arg-type]
        muted, bold = self.roles.style("muted", ground), self.roles.style("text", ground, bold=True)  # type: ignore[arg-type]
        accent = self.roles.style("accent", ground, bold=True)  # type: ignore[arg-type]
        line.put(0, ("▸" if self.has_focus else " ", accent), (" ", muted), (self._label, muted))
        x = NAME_CELLS
        several = len(self._values) > 1
        widest = max(_VALUE_CELLS, *(cell_len(value) for value in self._values)) if self.note else 0
        x = line.put(x, ("◀ " if several else "", muted), (cut(self.value, width - x - 5), bold), (" ▶" if several else "", muted))
        x += max(0, widest - cell_len(self.value))
        if self.note and x + 3 + len(self.note) < width:
            line.put(x + 2, (self.note, muted))
        return [line.strip()]
