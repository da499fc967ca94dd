"""The footer: what works now, as many whole pairs as fit; help and quit always at the right."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from sparktui.tui.drawing.pen import Ink, Line, cells
from sparktui.tui.keys import Key
from sparktui.tui.widgets.painted import Painted

_BETWEEN = 3


class KeyFooter(Painted):
    """`show(left, right)` with the keys in their order. A message stands in front of them until it is taken back."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left: Sequence[Key] = ()
        self._right: Sequence[Key] = ()

    def show(self, left: Sequence[Key], right: Sequence[Key]) -> None:
        self._left, self._right = left, right
        self.repaint()

    def rows(self, width: int, height: int) -> list[Strip]:
        ground = self.roles.style("muted", "head")
        line = Line(width, ground)
        tail: list[Ink] = []
        for key in self._right:
            tail += [("  ", ground)] if tail else []
            tail += self._pair(key)
        limit = line.end(-3, *tail) - _BETWEEN if tail else width
        x = 1
        for key in self._left:
            pair = self._pair(key)
            if x + cells(pair) > limit:
                break
            x = line.put(x, *pair) + _BETWEEN
        return [line.strip()]

    def _pair(self, key: Key) -> list[Ink]:
        return [(key.name, self.roles.style("accent", "head", bold=True)), (f" {key.word}", self.roles.style("muted", "head"))]
