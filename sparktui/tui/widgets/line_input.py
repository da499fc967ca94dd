"""One line of input: what is pasted into it loses control characters and line ends, and nothing in it is read as markup."""

from __future__ import annotations

from textual.events import Paste
from textual.widgets import Input

from sparktui.tui.drawing.foreign import shown


class LineInput(Input):
    """An input of one row without border and without a blinking cursor."""

    DEFAULT_CSS = """
    LineInput { height: 1; width: 1fr; border: none; padding: 0; background: $surface; color: $foreground; }
    LineInput:focus { border: none; background: $panel; background-tint: $background 0%; }
    LineInput > .input--cursor { background: $foreground; color: $background; text-style: none; }
    LineInput > .input--placeholder { color: $role-muted; text-style: none; }
    """

    def __init__(self, value: str = "", *, placeholder: str = "", id: str | None = None) -> None:
        super().__init__(value=shown(value), placeholder=placeholder, id=id, compact=True, select_on_focus=False)
        self.cursor_blink = False

    def _on_paste(self, event: Paste) -> None:
        event.prevent_default()
        event.stop()
        self.insert_text_at_cursor(shown(event.text))
