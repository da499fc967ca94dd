"""One line asked for over the last rows of a screen: a filter, words to look for."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Input

from sparktui.tui.drawing.pen import Line, cut
from sparktui.tui.widgets.line_input import LineInput
from sparktui.tui.widgets.painted import Painted


class _Words(Painted):
    def __init__(self, text: str, *, accent: bool = False) -> None:
        super().__init__()
        self._text, self._accent = text, accent

    def rows(self, width: int, height: int) -> list[Strip]:
        line = Line(width, self.roles.style("muted", "head"))
        style = self.roles.style("accent", "head", bold=True) if self._accent else self.roles.style("muted", "head")
        line.put(1, (cut(self._text, width - 2), style))
        return [line.strip()]


class AskLine(ModalScreen[str | None]):
    """Dismisses with the line, None for escape. `hint` stands above it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]
    CSS = """
    AskLine { align: left bottom; background: $background 0%; }
    AskLine _Words { background: $surface; }
    AskLine Horizontal { height: 1; background: $surface; }
    """

    def __init__(self, what: str, value: str = "", *, hint: str = "", placeholder: str = "") -> None:
        super().__init__()
        self._what, self._value, self._hint, self._placeholder = what, value, hint, placeholder

    def compose(self) -> ComposeResult:
        if self._hint:
            yield _Words(self._hint)
        with Horizontal():
            mark = _Words(f"{self._what} ›", accent=True)
            mark.styles.width = len(self._what) + 4
            yield mark
            yield LineInput(self._value, placeholder=self._placeholder)

    def on_mount(self) -> None:
        line = self.query_one(LineInput)
        line.cursor_position = len(line.value)
        line.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value.strip())

    def action_leave(self) -> None:
        self.dismiss(None)
