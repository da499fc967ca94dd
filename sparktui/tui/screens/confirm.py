"""A question with a few answers, each a key. Over the screen that asks, which stays in sight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.events import Key as KeyEvent
from textual.screen import ModalScreen
from textual.strip import Strip

from sparktui.tui.drawing.pen import Line, cut
from sparktui.tui.widgets.painted import Painted

_WIDEST = 72


class Answer(NamedTuple):
    """`keys` as Textual names them, `shown` as people read them."""

    keys: tuple[str, ...]
    shown: str
    text: str


class _Question(Painted):
    def __init__(self, title: str, lines: Sequence[str], answers: Sequence[Answer]) -> None:
        super().__init__(id="question")
        self._title, self._lines, self._answers = title, lines, answers

    @property
    def height_needed(self) -> int:
        return 4 + len(self._lines) + len(self._answers) + bool(self._lines)

    def rows(self, width: int, height: int) -> list[Strip]:
        ground = self.roles.style("text", "head")
        lines = [Line(width, ground)]
        title = Line(width, ground)
        bold = self.roles.style("text", "head", bold=True)
        title.put(0, ("▌", self.roles.style("accent", "head")), (" ", ground), (cut(self._title, width - 3), bold))
        lines += [title, Line(width, ground)]
        for text in self._lines:
            line = Line(width, ground)
            line.put(2, (cut(text, width - 3), self.roles.style("muted", "head")))
            lines.append(line)
        lines += [Line(width, ground)] if self._lines else []
        for answer in self._answers:
            line = Line(width, ground)
            line.put(2, (answer.shown, self.roles.style("accent", "head", bold=True)))
            line.put(10, (cut(answer.text, width - 11), ground))
            lines.append(line)
        return [line.strip() for line in lines] + [Line(width, ground).strip()] * max(0, height - len(lines))


class Confirm(ModalScreen[str]):
    """Dismisses with the `shown` of the answer, "" for escape."""

    BINDINGS: ClassVar = []

    def __init__(self, title: str, lines: Sequence[str], answers: Sequence[Answer]) -> None:
        super().__init__()
        self._answers = [*answers, Answer(("escape",), "esc", "back")]
        self._question = _Question(title, lines, self._answers)

    def compose(self) -> ComposeResult:
        yield self._question

    def on_mount(self) -> None:
        self._fit()

    def on_resize(self) -> None:
        self._fit()

    def restyle(self) -> None:
        self._question.restyle()

    def on_key(self, event: KeyEvent) -> None:
        event.stop()
        for answer in self._answers:
            if event.key in answer.keys or event.character in answer.keys:
                self.dismiss("" if answer.shown == "esc" else answer.shown)
                return

    def _fit(self) -> None:
        self._question.styles.width = min(_WIDEST, self.app.size.width)
        self._question.styles.height = min(self._question.height_needed, self.app.size.height)
