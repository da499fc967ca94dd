"""A layout that puts each widget where it is told: no containers to arrange, and none to paint beneath the widgets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget


class Placed(Layout):
    """`regions` by widget id; a widget without one is not placed."""

    name: ClassVar[str] = "placed"

    def __init__(self) -> None:
        self.regions: Mapping[str, Region] = {}

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        return [
            WidgetPlacement(self.regions[child.id], NULL_OFFSET, NULL_SPACING, child)
            for child in children
            if child.id is not None and child.id in self.regions
        ]
