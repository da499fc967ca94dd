"""Medians, percentiles, and the comparison of two groups of runs (docs/metrics.md, "Groups")."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from sparktui.core.stats.student import t_cdf, t_quantile

Verdict = Literal["faster", "slower", "no difference shown", "too few runs"]

CONFIDENCE = 0.95
MIN_RUNS = 3
BAND_TOK_S = 2.0


def median(values: Iterable[float | None]) -> float | None:
    """The median of the values that are known; None if none is."""
    known = [value for value in values if value is not None]
    return middle(known) if known else None


def middle(values: Iterable[float]) -> float:
    """The median of values of which there is at least one."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def percentile(values: Iterable[float | None], share: float) -> float | None:
    """The value below which `share` % of the known values lie, linear between ranks (as numpy's default); None if none is known."""
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    place = (len(known) - 1) * share / 100
    low = math.floor(place)
    high = min(low + 1, len(known) - 1)
    return known[low] + (known[high] - known[low]) * (place - low)


class Comparison(Struct, frozen=True, kw_only=True):
    """Group B against group A. `ratio` and `difference` are of the medians (B ÷ A, B − A), None where a side is empty.

    `low` and `high`: 95 % interval of the ratio of geometric means, None with fewer than three runs a side. `p` is the two-sided
    probability of Welch's t on the logarithms; `p_holm` the same after Holm's correction over `family` comparisons.
    """

    n_a: int
    n_b: int
    median_a: float | None
    median_b: float | None
    ratio: float | None
    difference: float | None
    low: float | None = None
    high: float | None = None
    df: float | None = None
    p: float | None = None
    p_holm: float | None = None
    family: int = 1
    verdict: Verdict = "too few runs"

    @property
    def within_band(self) -> bool | None:
        """The reference's own rule: medians within ±2 tok/s of each other."""
        return None if self.difference is None else abs(self.difference) <= BAND_TOK_S + 1e-9


def compare(a: Sequence[float | None], b: Sequence[float | None]) -> Comparison:
    """B against A: ratio of medians, and Welch's t interval on ln values with Satterthwaite's degrees of freedom.

    Values that are None or not above 0 are left out. Sources: Welch 1947, Biometrika 34, 28–35; Satterthwaite 1946, Biometrics Bulletin 2.
    """
    known_a, known_b = _known(a), _known(b)
    median_a, median_b = median(known_a), median(known_b)
    both = median_a is not None and median_b is not None
    found = Comparison(
        n_a=len(known_a),
        n_b=len(known_b),
        median_a=median_a,
        median_b=median_b,
        ratio=median_b / median_a if both and median_a and median_b else None,
        difference=median_b - median_a if median_a is not None and median_b is not None else None,
    )
    if min(found.n_a, found.n_b) < MIN_RUNS:
        return found
    mean_a, error_a = _mean_and_squared_error(known_a)
    mean_b, error_b = _mean_and_squared_error(known_b)
    log_ratio, error = mean_b - mean_a, math.sqrt(error_a + error_b)
    if error < 1e-12:
        same = abs(log_ratio) < 1e-12
        return _judged(found, low=math.exp(log_ratio), high=math.exp(log_ratio), df=None, p=1.0 if same else 0.0)
    df = (error_a + error_b) ** 2 / (error_a**2 / (found.n_a - 1) + error_b**2 / (found.n_b - 1))
    reach = t_quantile(0.5 + CONFIDENCE / 2, df) * error
    p = 2 * t_cdf(-abs(log_ratio) / error, df)
    return _judged(found, low=math.exp(log_ratio - reach), high=math.exp(log_ratio + reach), df=df, p=p)


def holm(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The same comparisons, against one baseline, with the words decided after Holm's correction (Holm 1979, Scand. J. Statist. 6, 65–70).

    The intervals stay those of each comparison alone. Comparisons of too few runs take no part.
    """
    judged = sorted((c.p, i) for i, c in enumerate(comparisons) if c.p is not None)
    out = list(comparisons)
    adjusted = 0.0
    for rank, (p, i) in enumerate(judged):
        adjusted = min(1.0, max(adjusted, p * (len(judged) - rank)))
        shown = adjusted <= 1 - CONFIDENCE
        verdict: Verdict = _direction(out[i]) if shown else "no difference shown"
        out[i] = msgspec.structs.replace(out[i], p_holm=adjusted, family=len(judged), verdict=verdict)
    return out


def drift(values: Sequence[float | None], groups: Sequence[str]) -> Comparison:
    """Second half of a series against its first, each value taken relative to the median of its group; order is time."""
    centre = {name: median(v for v, g in zip(values, groups, strict=True) if g == name) for name in set(groups)}
    relative = [v / c for v, g in zip(values, groups, strict=True) if v is not None and v > 0 and (c := centre[g])]
    half = len(relative) // 2
    return compare(relative[:half], relative[len(relative) - half :])


def _known(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None and value > 0 and math.isfinite(value)]


def _mean_and_squared_error(values: Sequence[float]) -> tuple[float, float]:
    """Mean of the logarithms and the square of its standard error."""
    logs = [math.log(value) for value in values]
    mean = math.fsum(logs) / len(logs)
    return mean, math.fsum((x - mean) ** 2 for x in logs) / (len(logs) - 1) / len(logs)


def _judged(found: Comparison, *, low: float, high: float, df: float | None, p: float) -> Comparison:
    shown = msgspec.structs.replace(found, low=low, high=high, df=df, p=p)
    return msgspec.structs.replace(shown, verdict=_direction(shown) if p <= 1 - CONFIDENCE else "no difference shown")


def _direction(found: Comparison) -> Verdict:
    if found.low is None or found.high is None:
        return "too few runs"
    return "faster" if found.low * found.high > 1 else "slower"
