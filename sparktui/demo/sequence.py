"""Points in [0, 1) that cover it evenly however few are taken, yet look random one by one.

Independent draws miss the reference's rates in most runs of a few hundred steps: their mean strays by 1 ÷ √n. These stray by about 1 ÷ n.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

EIGHTHS = 8
ROWS = 4
_GOLDEN = 0.6180339887498949


def radical_inverse(index: int) -> float:
    """The binary digits of `index` mirrored behind the point (van der Corput 1935)."""
    value, unit = 0.0, 0.5
    while index:
        index, digit = divmod(index, 2)
        value += digit * unit
        unit /= 2
    return value


def points(seed: str) -> Iterator[float]:
    """An endless sequence, its order drawn from `seed`: each 8 points have one in every eighth of [0, 1), each 32 one in every 32nd.

    Within its 32nd a point follows the van der Corput sequence from block to block, shifted by a seeded amount.
    """
    rng = random.Random(seed)
    shifts = [rng.random() for _ in range(ROWS * EIGHTHS)]
    block = 0
    while True:
        within = radical_inverse(block)
        for stratum in _order(rng):
            yield (stratum + (within + shifts[stratum]) % 1.0) / (ROWS * EIGHTHS)
        block += 1


def _order(rng: random.Random) -> Iterator[int]:
    """The 32 strata in four rows of eight, each row with one stratum of every eighth."""
    columns = [rng.sample(range(ROWS), ROWS) for _ in range(EIGHTHS)]
    for row in range(ROWS):
        for eighth in rng.sample(range(EIGHTHS), EIGHTHS):
            yield eighth * ROWS + columns[eighth][row]


def spread(index: int) -> float:
    """The `index`-th value, from 0, of a sequence over runs: three in a row have one in each third of [0, 1), so their median is tame."""
    third = (1, 2, 0)[index % 3]
    return (third + (0.5 + index // 3 * _GOLDEN) % 1.0) / 3
