"""What every screen of ours has: keys from the table, a paint method for the clock, restyling when the theme changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar, cast

from textual.screen import Screen

from sparktui.tui.drawing.compositor import CellCompositor
from sparktui.tui.drawing.frame import Due
from sparktui.tui.keys import KEYS, Key, key_pressed, keys_of
from sparktui.tui.widgets.painted import Painted

if TYPE_CHECKING:
    from sparktui.tui.app import SparkApp

Action = Callable[[], object]


class SparkScreen(Screen[None]):
    """Subclasses set `KIND` (the table's `screen`), give `facts()` and `paint(due)`, and an `act_NAME` method for each action of theirs."""

    KIND: ClassVar[str] = ""
    pressed = ""

    def __init__(self) -> None:
        super().__init__()
        self._compositor = CellCompositor()

    @property
    def spark(self) -> SparkApp:
        return cast("SparkApp", self.app)

    @property
    def moves(self) -> bool:
        """Whether what it shows changes by itself, without events."""
        return False

    def facts(self) -> set[str]:
        """What holds now, in the words of the key table."""
        return set()

    def paint(self, due: Due) -> None:
        """Bring the screen up to date; called by the paint clock while this screen is on top."""

    def restyle(self) -> None:
        """The theme or the glyphs changed."""
        for widget in self.query(Painted):
            widget.restyle()

    def handler(self, key: Key) -> Action | None:
        """What does a key's action here: a method of this screen, else of the app; None where nobody does it."""
        name = f"act_{key.action}"
        return getattr(self, name, None) or getattr(self.app, name, None)

    def working_keys(self) -> list[Key]:
        """The keys that do something on this screen now."""
        facts = self.facts()
        return [key for key in keys_of(self.KIND, KEYS) if key.works(facts) and self.handler(key) is not None]

    def more_commands(self) -> Iterable[tuple[str, str, Action]]:
        """What the palette offers here beyond the keys: what it does, a word on it, and the action. The words may be foreign."""
        return ()

    def action_press(self, name: str) -> None:
        """A bound key was pressed: do what it means now."""
        self.pressed = name
        key = key_pressed(name, self.KIND, self.facts())
        handler = self.handler(key) if key is not None else None
        if handler is not None:
            handler()
            # a key is answered by the next thing painted, not by the next frame of the clock
            self.spark.call_later(self.spark.tick)
