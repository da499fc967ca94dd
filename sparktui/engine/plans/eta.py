"""How long the rest of a bench will take, from the runs that have finished."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence


class Eta:
    """Rounds still to come, by cell; finished ones tell how long a round of their cell takes."""

    def __init__(self, cells: Sequence[Hashable]) -> None:
        self._left = list(cells)
        self._took_s: dict[Hashable, list[float]] = defaultdict(list)

    def finished(self, cell: Hashable, seconds: float) -> None:
        """One round of `cell` took so long."""
        self.passed_over(cell)
        self._took_s[cell].append(seconds)

    def passed_over(self, cell: Hashable) -> None:
        """A round of `cell` will not be made."""
        if cell in self._left:
            self._left.remove(cell)

    @property
    def left_s(self) -> float | None:
        """Seconds to go: each cell's own mean where it has one, the mean of all rounds elsewhere. None before the first round."""
        every = [seconds for took in self._took_s.values() for seconds in took]
        if not every:
            return None
        overall = sum(every) / len(every)
        means = {cell: sum(took) / len(took) for cell, took in self._took_s.items()}
        return sum(means.get(cell, overall) for cell in self._left)
