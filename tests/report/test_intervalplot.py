"""Intervals drawn: on one scale, with 1 and the ±2 tok/s band."""

from __future__ import annotations

from sparktui.core.stats.statistics import Comparison, compare
from sparktui.report.intervalplot import WIDTH, plot, scale_for, title


def found(low: float, high: float, ratio: float = 1.0, a: float = 50.0) -> Comparison:
    return Comparison(n_a=3, n_b=3, median_a=a, median_b=a * ratio, ratio=ratio, difference=a * (ratio - 1), low=low, high=high)


def test_an_interval_around_one_with_its_band() -> None:
    assert plot(found(0.95, 1.05), (0.9, 1.1)) == "      ├─────●─────┤      "
    assert plot(found(0.995, 1.005), (0.9, 1.1)) == "       ▁▁▁▁├●┤▁▁▁▁       "
    away = plot(found(1.06, 1.09, 1.07), (0.9, 1.1))
    assert away[12] == "┊"
    assert away[7:18].replace("┊", "▁") == "▁" * 11
    assert (away[19], away[20], away[23]) == ("├", "●", "┤")


def test_ends_that_leave_the_scale() -> None:
    assert plot(found(0.5, 0.6, 0.55), (0.9, 1.1)).strip() == "◀ off the scale"
    assert plot(found(1.5, 1.6, 1.55), (0.9, 1.1)).strip() == "off the scale ▶"
    assert plot(found(0.8, 1.05), (0.9, 1.1)).startswith("◀──")
    assert plot(compare([1, 2], [1, 2]), (0.9, 1.1)) == ""
    assert {len(plot(found(low, low + 0.1, low), (0.5, 1.5))) for low in (0.3, 0.6, 0.9, 1.3, 1.7)} == {WIDTH}


def test_the_scale_holds_most_of_the_table() -> None:
    near, far = found(0.95, 1.05), found(0.5, 0.6, 0.55)
    assert scale_for([near, near, far]) == (0.9, 1.1)
    assert scale_for([near, far, far]) == (0.5, 1.5)
    assert title((0.9, 1.1)) == "0.90        1        1.10"
