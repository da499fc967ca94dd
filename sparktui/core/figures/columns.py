"""The burst strip's data: tokens that landed in each 100 ms since the request was sent, and the largest burst among them."""

from __future__ import annotations

from array import array

COLUMN_NS = 100_000_000


class Columns:
    """`tokens[i]` and `largest[i]` (tokens of the largest burst) of column `i`, which begins i × 100 ms after `t_send_ns`."""

    def __init__(self, t_send_ns: int, column_ns: int = COLUMN_NS) -> None:
        self.t_send_ns = t_send_ns
        self.column_ns = column_ns
        self.tokens = array("d")
        self.largest = array("d")

    def __len__(self) -> int:
        """Columns up to the last one in which text landed."""
        return len(self.tokens)

    def column_of(self, t_ns: int) -> int:
        """The column of a stamp; a stamp before the send counts as 0."""
        return max(0, (t_ns - self.t_send_ns) // self.column_ns)

    def add(self, t_ns: int, tokens: float, burst_tokens: float) -> int:
        """A chunk of `tokens`, the newest of a burst of `burst_tokens` so far; returns its column. O(1) amortised."""
        column = self.column_of(t_ns)
        missing = column + 1 - len(self.tokens)
        if missing > 0:
            self.tokens.extend([0.0] * missing)
            self.largest.extend([0.0] * missing)
        self.tokens[column] += tokens
        self.largest[column] = max(self.largest[column], burst_tokens)
        return column

    def rescale(self, factor: float) -> None:
        """The counts were estimates and the true total is known: multiply all of them."""
        self.tokens = array("d", (tokens * factor for tokens in self.tokens))
        self.largest = array("d", (tokens * factor for tokens in self.largest))
