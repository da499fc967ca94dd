"""The rate of this moment, from whole gaps between chunks (docs/metrics.md, `tok_s_now`)."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque

WINDOW_NS = 1_000_000_000
_STILL_GAPS = 3
_GAPS_KEPT = 101


class LiveRate:
    """tok/s now: tokens after the window's first chunk ÷ time from it to the newest chunk.

    The window is the shortest that reaches back at least a second; until a second of text has come it is all there is.
    `add` is O(1) amortised, `now` O(1). Times are nanoseconds of one monotonic clock.
    """

    def __init__(self, window_ns: int = WINDOW_NS) -> None:
        self._window_ns = window_ns
        self._chunks: deque[tuple[int, float]] = deque()
        self._tokens = 0.0
        self._gaps: deque[int] = deque()
        self._sorted_gaps: list[int] = []

    def add(self, t_ns: int, tokens: float) -> None:
        """A chunk of `tokens` arrived at `t_ns`; chunks come in order, an equal stamp joins the chunk before."""
        if self._chunks:
            last_ns, last_tokens = self._chunks[-1]
            if t_ns <= last_ns:
                self._chunks[-1] = (last_ns, last_tokens + tokens)
                self._tokens += tokens
                return
            self._note_gap(t_ns - last_ns)
        self._chunks.append((t_ns, tokens))
        self._tokens += tokens
        while len(self._chunks) > 2 and t_ns - self._chunks[1][0] >= self._window_ns:
            self._tokens -= self._chunks.popleft()[1]

    def now(self, now_ns: int) -> float | None:
        """tok/s at `now_ns`: None before the second chunk, 0.0 after max(1 s, 3 × median gap) without one."""
        if len(self._chunks) < 2:
            return None
        (first_ns, first_tokens), (last_ns, _) = self._chunks[0], self._chunks[-1]
        if now_ns - last_ns > max(self._window_ns, _STILL_GAPS * self._median_gap_ns()):
            return 0.0
        return (self._tokens - first_tokens) / ((last_ns - first_ns) / 1e9)

    def rescale(self, factor: float) -> None:
        """Every count so far was `factor` times too small (an exact count arrived)."""
        self._chunks = deque((t_ns, tokens * factor) for t_ns, tokens in self._chunks)
        self._tokens *= factor

    def _note_gap(self, gap_ns: int) -> None:
        if len(self._gaps) == _GAPS_KEPT:
            del self._sorted_gaps[bisect_left(self._sorted_gaps, self._gaps.popleft())]
        self._gaps.append(gap_ns)
        insort(self._sorted_gaps, gap_ns)

    def _median_gap_ns(self) -> int:
        return self._sorted_gaps[len(self._sorted_gaps) // 2]
