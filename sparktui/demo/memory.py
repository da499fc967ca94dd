"""The scripted memory of the simulated machine (one box, 120.8 GB for processor and GPU together): what GET /demo/memory tells."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

TOTAL_BYTES = 120_800_000_000
_WITHOUT_MODEL_BYTES = 9_600_000_000
_LOADED_1M_BYTES = 108_400_000_000
_1M_TOKENS = 1_048_576
_GIB = 1024**3

# cache pools of the reference by context, measured with the engine's own accounting
_MAIN_GIB = ((0, 0.0), (131_072, 0.84), (262_144, 1.68), (393_216, 2.52))
_DRAFT_GIB = ((0, 0.0), (131_072, 0.4), (262_144, 0.75), (393_216, 1.1))

# activations and page tables that a prompt of so many tokens adds while it is held
_HELD = ((0, 0), (300_000, 4_200_000_000), (600_000, 4_800_000_000), (1_048_576, 6_000_000_000))


def pool_bytes(max_seq_len: int, *, draft: bool) -> int:
    """Size of the cache pools of a configuration: main, and the draft's where it drafts."""
    return int(_GIB * (_along(_MAIN_GIB, max_seq_len) + (_along(_DRAFT_GIB, max_seq_len) if draft else 0)))


def used_bytes(max_seq_len: int, *, draft: bool, loaded: bool, held_tokens: int) -> int:
    """Bytes in use: the system and the weights, the pools, and what the prompt of `held_tokens` adds."""
    if not loaded:
        return _WITHOUT_MODEL_BYTES
    weights = _LOADED_1M_BYTES - pool_bytes(_1M_TOKENS, draft=True)
    return min(TOTAL_BYTES, weights + pool_bytes(max_seq_len, draft=draft) + int(_along(_HELD, held_tokens)))


def _along(table: Sequence[tuple[int, float]], x: float) -> float:
    """The value at `x` of the line through the points of `table`, carried on beyond the last."""
    index = min(max(bisect_right(table, x, key=lambda point: point[0]), 1), len(table) - 1)
    (x0, y0), (x1, y1) = table[index - 1], table[index]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
