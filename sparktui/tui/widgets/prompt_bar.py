"""The prompt bar: one line for a prompt, a temperature or a token limit; what T and max are stands at the right."""

from __future__ import annotations

import re
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Blur, Paste
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Input

from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.pen import Line
from sparktui.tui.drawing.roles import Role
from sparktui.tui.widgets.painted import Painted

Asking = Literal["prompt", "temperature", "max tokens", "filter"]

_NEWLINE = "↵"
_LONGEST_SHOWN = 2_000
_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_REMEMBERED = 50


class PromptFacts(Painted):
    """The fixed text at one end of the bar."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.pieces: tuple[tuple[str, bool], ...] = ()
        self.accent = False

    def rows(self, width: int, height: int) -> list[Strip]:
        line = Line(width, self.roles.style())
        role: Role = "accent" if self.accent else "muted"
        line.put(1, *((text, self.roles.style("text" if full else role, bold=self.accent)) for text, full in self.pieces))
        return [line.strip()]


class PromptInput(Input):
    """One line, but a paste of many is one prompt: line ends are shown as ↵ and sent as line ends.

    A long paste, and one that a terminal would not draw as it is, is named and not shown.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "recall(-1)", show=False), Binding("down", "recall(1)", show=False), Binding("escape", "leave", show=False),
    ]  # fmt: skip

    class Left(Message):
        """The user is done with the line without sending it."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, compact=True, select_on_focus=False)
        self.cursor_blink = False
        self._pasted: dict[str, str] = {}
        self._remembered: list[str] = []
        self._recalled = 0

    def full_text(self) -> str:
        """What the line stands for: long pastes and line ends put back."""
        text = self.value
        for name, pasted in self._pasted.items():
            text = text.replace(name, pasted)
        return text.replace(_NEWLINE, "\n")

    def remember(self) -> None:
        """Keep the line for recall and empty it."""
        if self.value and (not self._remembered or self._remembered[-1] != self.value):
            self._remembered = [*self._remembered, self.value][-_REMEMBERED:]
        self._recalled = len(self._remembered)
        self.value = ""

    def paste(self, text: str) -> None:
        """Insert `text` at the cursor, as one piece."""
        lines = text.replace("\r\n", "\n").replace("\r", "\n")
        clean = _CONTROLS.sub("", lines.replace("\t", "    "))
        if len(clean) > _LONGEST_SHOWN or shown(clean, keep_newlines=True) != clean:
            name = f"‹pasted {len(clean):,} characters, no. {len(self._pasted) + 1}›"
            self._pasted[name] = clean
            clean = name
        self.insert_text_at_cursor(clean.replace("\n", _NEWLINE))

    def _on_paste(self, event: Paste) -> None:
        event.prevent_default()
        event.stop()
        self.paste(event.text)

    def action_recall(self, step: int) -> None:
        at = self._recalled + step
        if 0 <= at <= len(self._remembered):
            self._recalled = at
            self.value = self._remembered[at] if at < len(self._remembered) else ""
            self.cursor_position = len(self.value)

    def action_leave(self) -> None:
        self.post_message(self.Left())

    def on_blur(self, event: Blur) -> None:
        self.post_message(self.Left())


class PromptBar(Horizontal):
    """Sends `Sent` with the text of a prompt, `Set` with a temperature or a limit, `Closed` when the user left the line."""

    class Sent(Message):
        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Set(Message):
        """`what` is temperature or max tokens; None means the server's default."""

        def __init__(self, what: Asking, value: int | float | None) -> None:
            super().__init__()
            self.what: Asking = what
            self.value = value

    class Filtered(Message):
        """Words to look for; "" shows everything again."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Refused(Message):
        """What was typed is no such value; `why` says what is."""

        def __init__(self, why: str) -> None:
            super().__init__()
            self.why = why

    class Closed(Message):
        pass

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.line = PromptInput(id="prompt-input")
        self._mark = PromptFacts(id="prompt-mark")
        self._facts = PromptFacts(id="prompt-facts")
        self._asking: Asking = "prompt"
        self._off = ""

    def compose(self) -> ComposeResult:
        yield self._mark
        yield self.line
        yield self._facts

    def show(self, temperature: int | float | None, max_tokens: int | None, *, off: str = "") -> None:
        """The parameters of the next run; `off` says why no prompt can be sent ("" = it can)."""
        facts = self._facts
        limit = "unset" if max_tokens is None else numbers.count(max_tokens)
        facts.pieces = (("T ", False), (numbers.temperature(temperature), True), ("  max ", False), (limit, True))
        facts.styles.width = 2 + sum(len(text) for text, _ in facts.pieces)
        facts.repaint()
        self._off = off
        self.line.disabled = bool(off) and self._asking == "prompt"
        self._dress()

    def ask(self, what: Asking, value: str = "") -> None:
        """Open the line for `what`."""
        if what == "prompt" and self._off:
            return
        self._asking = what
        self.line.disabled = False
        self._dress()
        if what != "prompt":
            self.line.value = value
            self.line.cursor_position = len(value)
        self.line.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = self.line.full_text()
        if self._asking == "prompt":
            if text.strip():
                self.line.remember()
                self.post_message(self.Sent(text))
            return
        if self._asking == "filter":
            self.post_message(self.Filtered(text.strip()))
            self._close()
            return
        try:
            value = parse_value(self._asking, text)
        except ValueError as why:
            self.post_message(self.Refused(str(why)))
            return
        what, self._asking = self._asking, "prompt"
        self.line.value = ""
        self.post_message(self.Set(what, value))
        self._close()

    def on_prompt_input_left(self, event: PromptInput.Left) -> None:
        event.stop()
        self._close()

    def _close(self) -> None:
        if self._asking != "prompt":
            self._asking = "prompt"
            self.line.value = ""
        self.line.disabled = bool(self._off)
        self._dress()
        self.post_message(self.Closed())

    def _dress(self) -> None:
        mark = self._mark
        words = f"{self._asking} " if self._asking != "prompt" else ""
        mark.pieces = ((f"{words}›", False),)
        mark.accent = not (self._off and self._asking == "prompt")
        mark.styles.width = len(words) + 3
        mark.repaint()
        self.line.placeholder = {
            "prompt": f"prompt off: {self._off}" if self._off else "type a prompt, or press i",
            "temperature": "a number, or nothing for the server's default",
            "max tokens": "a whole number, or nothing for no limit",
            "filter": "words that must occur, or nothing to see all",
        }[self._asking]


def parse_value(what: Asking, text: str) -> int | float | None:
    """A typed temperature (0 or more) or token limit (1 or more); "" and "unset" are None. Raises ValueError with what is wanted."""
    text = text.strip().replace(",", "" if what == "max tokens" else ".")
    if text in ("", "unset"):
        return None
    try:
        value: int | float = int(text) if what == "max tokens" or text.isdigit() else float(text)
    except ValueError:
        value = -1
    least = 1 if what == "max tokens" else 0
    if not least <= value < 1e9:
        raise ValueError("max tokens is a whole number from 1 up" if what == "max tokens" else "temperature is a number from 0 up")
    return value
