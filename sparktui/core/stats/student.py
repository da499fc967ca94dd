"""Student's t distribution: its distribution function and quantile, for the comparison intervals."""

from __future__ import annotations

import math

_EPSILON = 1e-15
_TINY = 1e-300


def t_cdf(t: float, df: float) -> float:
    """P(T ≤ t) with `df` > 0 degrees of freedom (not necessarily whole).

    By the regularised incomplete beta function: P(|T| > t) = I_x(df/2, 1/2) with x = df ÷ (df + t²); Abramowitz and Stegun 26.5.27, 26.7.1.
    """
    if df <= 0:
        raise ValueError("degrees of freedom must be above 0")
    if math.isinf(t):
        return 1.0 if t > 0 else 0.0
    tail = 0.5 * _incomplete_beta(df / 2, 0.5, df / (df + t * t), t * t / (df + t * t))
    return 1 - tail if t > 0 else tail


def t_quantile(p: float, df: float) -> float:
    """The t with P(T ≤ t) = p, for 0 < p < 1: Newton's steps on `t_cdf`, kept inside a bracket that shrinks."""
    if not 0 < p < 1:
        raise ValueError("a probability between 0 and 1 is needed")
    if p < 0.5:
        return -t_quantile(1 - p, df)
    low, high = 0.0, 1.0
    while t_cdf(high, df) < p:
        low, high = high, high * 2
    t = (low + high) / 2
    for _ in range(200):
        excess = t_cdf(t, df) - p
        if excess < 0:
            low = t
        else:
            high = t
        following = t - excess / _t_density(t, df)
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - t) <= 1e-14 * t:
            break
        t = following
    return t


def _t_density(t: float, df: float) -> float:
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    return max(scale * math.exp(-(df + 1) / 2 * math.log1p(t * t / df)), _TINY)


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """I_x(a, b); `rest` is 1 − x, given apart so that it keeps its digits."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest))
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(a, b, x) / a
    return 1 - front * _beta_fraction(b, a, rest) / b


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), evaluated forward by Lentz's method."""
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < _EPSILON:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
