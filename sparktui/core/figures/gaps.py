"""Times between chunks as they come in: their median and the burstiness of the token times, without keeping the times."""

from __future__ import annotations

import math
from collections import Counter

_NS_PER_MS = 1_000_000


class Gaps:
    """Gaps between successive chunks. `median_ms` is exact to 0.1 ms below 100 ms, to 1 ms below 10 s, to 10 ms beyond."""

    def __init__(self) -> None:
        self.count = 0
        self.longest_ns = 0
        self._bins: Counter[int] = Counter()
        self._zeros = 0.0
        self._sum_s = 0.0
        self._squares_s2 = 0.0

    def add(self, gap_ns: int, tokens: float) -> None:
        """A chunk of `tokens` landed `gap_ns` after the one before it. O(1)."""
        gap_ns = max(0, gap_ns)
        self.count += 1
        self.longest_ns = max(self.longest_ns, gap_ns)
        self._bins[_bin_ns(gap_ns)] += 1
        gap_s = gap_ns / 1e9
        self._zeros += max(0.0, tokens - 1)
        self._sum_s += gap_s
        self._squares_s2 += gap_s * gap_s

    def first(self, tokens: float) -> None:
        """The first chunk: its tokens arrived together, it has no gap before it."""
        self._zeros += max(0.0, tokens - 1)

    @property
    def median_ms(self) -> float | None:
        """Median gap in milliseconds, None before the second chunk. O(number of distinct bins)."""
        if not self.count:
            return None
        low, high = self._ranked((self.count - 1) // 2), self._ranked(self.count // 2)
        return (low + high) / 2 / _NS_PER_MS

    @property
    def burstiness(self) -> float | None:
        """(σ − μ) ÷ (σ + μ) of inter-token times, tokens inside a chunk having gap 0 (Goh and Barabási 2008); None before two gaps."""
        n = self._zeros + self.count
        if self.count < 2 or self._sum_s <= 0:
            return None
        mean = self._sum_s / n
        deviation = math.sqrt(max(0.0, self._squares_s2 / n - mean * mean))
        return (deviation - mean) / (deviation + mean)

    def _ranked(self, rank: int) -> int:
        seen = 0
        for value in sorted(self._bins):
            seen += self._bins[value]
            if seen > rank:
                return value
        return 0


def _bin_ns(gap_ns: int) -> int:
    step = _NS_PER_MS // 10 if gap_ns < 100 * _NS_PER_MS else _NS_PER_MS if gap_ns < 10_000 * _NS_PER_MS else 10 * _NS_PER_MS
    return round(gap_ns / step) * step
