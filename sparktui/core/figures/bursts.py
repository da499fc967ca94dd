"""How text arrives: gaps between chunks, bursts, burstiness, and whether something on the way held the stream back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from sparktui.core.records import GapMs
from sparktui.core.stats.statistics import percentile

BURST_GAP_NS = 10_000_000
_SAME_READ_NS = 2_000_000
_SAME_READ_NS_PER_CHUNK = 500_000


def gaps_ms(chunk_ns: Sequence[int]) -> list[float]:
    """Times between successive chunks, milliseconds."""
    return [(b - a) / 1e6 for a, b in pairwise(chunk_ns)]


def gap_figures(chunk_ns: Sequence[int]) -> GapMs | None:
    """p50, p90, p99 and max of the gaps in milliseconds; None before the second chunk."""
    gaps = sorted(gaps_ms(chunk_ns))
    if not gaps:
        return None
    p50, p90, p99 = (percentile(gaps, share) or 0.0 for share in (50, 90, 99))
    return GapMs(p50, p90, p99, gaps[-1])


def burst_starts(chunk_ns: Sequence[int]) -> list[int]:
    """Indexes of the chunks that begin a burst: those 10 ms or more after the chunk before, and the first.

    With one event per token (llama.cpp) these bursts are the verify steps; with TabbyAPI they are the chunks.
    """
    return [i for i, t in enumerate(chunk_ns) if i == 0 or t - chunk_ns[i - 1] >= BURST_GAP_NS]


def burstiness(chunk_ns: Sequence[int], completion_tokens: float | None) -> float | None:
    """(σ − μ) ÷ (σ + μ) of inter-token times, tokens inside one chunk having gap 0: −1 metronome, 0 Poisson, towards 1 bursts.

    Source: Goh and Barabási 2008, EPL 81, 48002. None with fewer than two gaps, or when no time passed.
    """
    gaps = [(b - a) / 1e9 for a, b in pairwise(chunk_ns)]
    if len(gaps) < 2 or completion_tokens is None or sum(gaps) <= 0:
        return None
    intervals = max(completion_tokens - 1, len(gaps))
    mean = sum(gaps) / intervals
    deviation = math.sqrt(max(0.0, sum(gap * gap for gap in gaps) / intervals - mean * mean))
    return (deviation - mean) / (deviation + mean)


def is_buffered(t_send_ns: int, chunk_ns: Sequence[int], characters: Sequence[int]) -> bool:
    """Whether a proxy held the stream back: more than half of the text in one read after a wait longer than the rest of the stream.

    "One read" is two chunks or more that arrived within 0.5 ms a chunk (2 ms at least): what was held comes as fast as it can be read.
    """
    if len(chunk_ns) < 2:
        return False
    waits = [b - a for a, b in pairwise([t_send_ns, *chunk_ns])]
    longest = max(waits)
    if longest <= (chunk_ns[-1] - t_send_ns) - longest:
        return False
    start = waits.index(longest)
    half = sum(characters) / 2
    seen = 0
    for end in range(start, len(chunk_ns)):
        seen += characters[end]
        if seen > half and end > start:
            return chunk_ns[end] - chunk_ns[start] <= max(_SAME_READ_NS, _SAME_READ_NS_PER_CHUNK * (end - start))
    return False
