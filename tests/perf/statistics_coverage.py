"""How often the comparison's 95 % interval holds the truth, and how often a sweep of equal variants shows a difference.

Simulated runs are log-normal, with the spreads of the published cells (1 to 7 %), n = 3 to 20 a side. Run by hand or by `./run.sh perf`:
    python -m tests.perf.statistics_coverage [--trials 2000] [--seed 1]
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Sequence

from sparktui.core.stats.statistics import compare, holm

SPREADS = (0.01, 0.03, 0.07)
SIZES = (3, 4, 5, 8, 12, 20)
VARIANTS = 8
COVERAGE_TARGET = (0.93, 0.97)
FALSE_SWEEPS_TARGET = 0.05


def sample(chance: random.Random, n: int, spread: float, ratio: float = 1.0) -> list[float]:
    """Rates of `n` runs around 50 tok/s × ratio."""
    return [chance.lognormvariate(math.log(50 * ratio), spread) for _ in range(n)]


def coverage(chance: random.Random, n: int, spreads: tuple[float, float], trials: int, ratio: float = 1.05) -> float:
    """Share of comparisons whose interval holds the true ratio."""
    held = 0
    for _ in range(trials):
        found = compare(sample(chance, n, spreads[0]), sample(chance, n, spreads[1], ratio))
        held += (found.low or 0) <= ratio <= (found.high or 0)
    return held / trials


def false_sweeps(chance: random.Random, n: int, spread: float, trials: int) -> tuple[float, float]:
    """Share of sweeps of equal variants in which at least one is called faster or slower: without and with Holm's correction."""
    plain = corrected = 0
    for _ in range(trials):
        base = sample(chance, n, spread)
        alone = [compare(base, sample(chance, n, spread)) for _ in range(VARIANTS - 1)]
        plain += any(found.verdict != "no difference shown" for found in alone)
        corrected += any(found.verdict != "no difference shown" for found in holm(alone))
    return plain / trials, corrected / trials


def rows(trials: int, seed: int) -> list[tuple[str, str, str, bool]]:
    """(figure, measured, target, met) of every simulated case."""
    chance = random.Random(seed)
    out = []
    noise = 3 * math.sqrt(0.05 * 0.95 / trials)
    for n in SIZES:
        for spread in SPREADS:
            share = coverage(chance, n, (spread, spread), trials)
            met = COVERAGE_TARGET[0] - noise <= share <= COVERAGE_TARGET[1] + noise
            out.append((f"95 % interval, n = {n}, spread {spread:.0%}", f"{share:.1%}", "93–97 %", met))
        share = coverage(chance, n, (0.01, 0.07), trials)
        out.append((f"95 % interval, n = {n}, spreads 1 % and 7 %", f"{share:.1%}", "93–97 %", COVERAGE_TARGET[0] - noise <= share))
    for n in (3, 5, 10):
        plain, corrected = false_sweeps(chance, n, 0.03, max(trials // 4, 200))
        target = f"≤ {FALSE_SWEEPS_TARGET:.0%}"
        room = 3 * math.sqrt(0.05 * 0.95 / max(trials // 4, 200))
        measured, met = f"{corrected:.1%} ({plain:.1%} uncorrected)", corrected <= FALSE_SWEEPS_TARGET + room
        out.append((f"false verdict in a sweep of {VARIANTS}, n = {n}", measured, target, met))
    return out


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    found = rows(options.trials, options.seed)
    for figure, measured, target, met in found:
        print(f"{figure:<46} {measured:>26}   {target:>8}  {'ok' if met else 'MISSED'}")
    return 0 if all(met for *_, met in found) else 1


if __name__ == "__main__":
    sys.exit(main())
