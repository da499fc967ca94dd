"""Medians and percentiles, Student's t, and comparisons of two groups against published and independent values."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest
from scipy import stats

from sparktui.core.stats.statistics import compare, drift, holm, median, percentile
from sparktui.core.stats.student import t_cdf, t_quantile

FIXTURES = Path(__file__).parents[1] / "fixtures"


def test_b17_medians() -> None:
    for values, want in json.loads((FIXTURES / "cases" / "B17" / "inputs.json").read_text(encoding="utf-8")):
        assert median(values) == want


def test_percentiles_are_linear_between_ranks() -> None:
    assert percentile([1, 2, 3, 4], 50) == 2.5
    assert percentile([10, 20], 90) == 19
    assert percentile([7], 99) == 7
    assert percentile([3, None, 1], 100) == 3
    assert percentile([], 50) is None


@pytest.mark.parametrize("df", [1, 1.7, 2, 2.5, 4, 10, 33.3, 200, 1e6])
@pytest.mark.parametrize("t", [-40, -3.2, -1, -0.01, 0, 0.5, 2.776, 12.7, 300])
def test_the_t_distribution_agrees_with_scipy(df: float, t: float) -> None:
    assert t_cdf(t, df) == pytest.approx(float(stats.t.cdf(t, df)), rel=1e-8, abs=1e-14)


@pytest.mark.parametrize("df", [1, 1.3, 2, 2.9, 4, 7.77, 30, 1000])
@pytest.mark.parametrize("p", [0.001, 0.025, 0.3, 0.5, 0.8, 0.975, 0.9999])
def test_t_quantiles_agree_with_scipy(df: float, p: float) -> None:
    assert t_quantile(p, df) == pytest.approx(float(stats.t.ppf(p, df)), rel=1e-9, abs=1e-12)


def test_t_quantiles_agree_with_the_printed_tables() -> None:
    for df, want in ((1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (10, 2.228), (30, 2.042)):
        assert t_quantile(0.975, df) == pytest.approx(want, abs=0.0005)


def test_the_t_distribution_refuses_what_it_is_not_defined_for() -> None:
    assert (t_cdf(math.inf, 3), t_cdf(-math.inf, 3)) == (1, 0)
    with pytest.raises(ValueError, match="degrees"):
        t_cdf(1, 0)
    for p in (0, 1, -1):
        with pytest.raises(ValueError, match="probability"):
            t_quantile(p, 3)


def reference(prompt: str, temperature: float) -> list[float]:
    rows = json.loads((FIXTURES / "reference" / "runs.json").read_text(encoding="utf-8"))["runs"]
    return [row["client_tok_s"] for row in rows if (row["prompt"], row["temperature"], row["through"]) == (prompt, temperature, "direct")]


def test_the_published_story_is_faster_at_temperature_zero() -> None:
    found = compare(reference("story", 1.0), reference("story", 0))
    assert found.ratio == pytest.approx(1.053, abs=0.001)
    assert (found.low, found.high) == (pytest.approx(1.015, abs=0.0005), pytest.approx(1.094, abs=0.0005))
    assert (found.verdict, found.within_band) == ("faster", True)


def test_the_published_code_shows_no_difference_at_temperature_one() -> None:
    found = compare(reference("code", 0), reference("code", 1.0))
    assert (found.low, found.high) == (pytest.approx(0.859, abs=0.0005), pytest.approx(1.040, abs=0.0005))
    assert (found.verdict, found.within_band) == ("no difference shown", False)
    assert found.difference == pytest.approx(-4.0)


@pytest.mark.parametrize("seed", range(6))
def test_welch_agrees_with_scipy_on_the_logarithms(seed: int) -> None:
    chance = random.Random(seed)
    a = [chance.lognormvariate(3.4, 0.03) for _ in range(3 + seed)]
    b = [chance.lognormvariate(3.45, 0.08) for _ in range(4)]
    found = compare(a, b)
    theirs = stats.ttest_ind([math.log(x) for x in b], [math.log(x) for x in a], equal_var=False)
    interval = theirs.confidence_interval(0.95)
    assert found.p == pytest.approx(float(theirs.pvalue), rel=1e-8)
    assert found.df == pytest.approx(float(theirs.df), rel=1e-9)
    assert (found.low, found.high) == (pytest.approx(math.exp(interval.low)), pytest.approx(math.exp(interval.high)))


def test_fewer_than_three_a_side_gives_a_ratio_and_no_verdict() -> None:
    found = compare([30, 31], [40, 41, 42])
    assert (found.n_a, found.n_b, found.ratio) == (2, 3, pytest.approx(41 / 30.5))
    assert (found.low, found.p, found.verdict) == (None, None, "too few runs")
    empty = compare([], [None, 30])
    assert (empty.n_a, empty.n_b, empty.ratio, empty.difference, empty.within_band) == (0, 1, None, None, None)


def test_unknown_and_impossible_values_are_left_out() -> None:
    assert compare([30, 31, None, 0, math.nan, 32], [30, 31, 32, math.inf]).verdict == "no difference shown"
    assert compare([30, 31, None, 0], [30, 31, 32]).verdict == "too few runs"


def test_values_without_any_spread_are_judged_by_whether_they_are_the_same() -> None:
    assert compare([30, 30, 30], [30, 30, 30]).verdict == "no difference shown"
    assert compare([30, 30, 30], [31, 31, 31]).verdict == "faster"
    assert compare([31, 31, 31], [30, 30, 30]).verdict == "slower"


def test_holm_decides_the_words_of_several_comparisons() -> None:
    base = [50.0, 50.6, 49.5]
    alone = [compare(base, b) for b in ([52.2, 51.6, 52.1], [29.0, 29.1, 28.9], [50.1, 49.9, 50.4], [51, 52])]
    assert [found.verdict for found in alone] == ["faster", "slower", "no difference shown", "too few runs"]
    together = holm(alone)
    assert [found.verdict for found in together] == ["faster", "slower", "no difference shown", "too few runs"]
    ps = sorted(found.p for found in alone if found.p is not None)
    assert sorted(found.p_holm for found in together if found.p_holm is not None)[0] == pytest.approx(3 * ps[0])
    assert {found.family for found in together[:3]} == {3}
    assert [found.low for found in together] == [found.low for found in alone]


def test_holm_takes_back_a_difference_that_one_of_many_shows_by_chance() -> None:
    base = [50.0, 50.6, 49.5]
    barely = compare(base, [51.6, 52.3, 50.9])
    assert barely.verdict == "faster"
    others = [compare(base, [50.0 + i / 10, 50.5, 49.6]) for i in range(6)]
    assert holm([barely, *others])[0].verdict == "no difference shown"
    assert holm([]) == []


def test_holms_steps_never_fall() -> None:
    chance = random.Random(1)
    found = holm([compare([chance.gauss(50, 1) for _ in range(4)], [chance.gauss(50 + i / 2, 1) for _ in range(4)]) for i in range(7)])
    by_p = sorted(found, key=lambda c: c.p or 0)
    adjusted = [c.p_holm or 0 for c in by_p]
    assert adjusted == sorted(adjusted)
    assert all(a >= (c.p or 0) for a, c in zip(adjusted, by_p, strict=True))


def test_drift_over_a_sweep_is_seen_through_the_variants() -> None:
    groups = ["a", "b", "c"] * 6
    level = {"a": 50.0, "b": 29.0, "c": 52.0}
    chance = random.Random(3)
    slowing = [level[g] * (1 - 0.006 * i) * chance.lognormvariate(0, 0.01) for i, g in enumerate(groups)]
    assert drift(slowing, groups).verdict == "slower"
    steady = [level[g] * chance.lognormvariate(0, 0.01) for g in groups]
    assert drift(steady, groups).verdict == "no difference shown"
    assert drift([50, None, 29], ["a", "a", "b"]).verdict == "too few runs"


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    chance = random.Random(7)
    for n, spread in ((3, 0.03), (8, 0.08)):
        hits = 0
        for _ in range(1500):
            a = [chance.lognormvariate(3.4, spread) for _ in range(n)]
            b = [chance.lognormvariate(3.4 + math.log(1.05), spread) for _ in range(n)]
            found = compare(a, b)
            hits += (found.low or 0) <= 1.05 <= (found.high or 0)
        assert 0.93 <= hits / 1500 <= 0.975
