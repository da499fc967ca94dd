"""The pictures: columns, scales and places are those of the figures."""

from __future__ import annotations

import re

import pytest

from sparktui.core.stats.statistics import compare
from sparktui.report.page.parts import CurvePlot, IntervalPlot, MemoryPlot, MemoryUse, Rate, RatePlot, Series, Timeline, Timelines
from sparktui.report.page.svgbars import memory_picture, rate_picture
from sparktui.report.page.svgcurve import curve_picture
from sparktui.report.page.svginterval import interval_picture
from sparktui.report.page.svgparts import ticks
from sparktui.report.page.svgstrips import strip_pictures
from tests.report.page.samples import marks


def bars(svg: str, kind: str) -> list[tuple[float, float]]:
    """(x, height) of every column of one colour."""
    paths = [attribute(tag, "d") for tag in re.findall(r"<path[^>]*>", svg) if attribute(tag, "class") == kind]
    return [(float(x), float(height)) for path in paths for x, height in re.findall(r"M ([\d.]+) 80 v -([\d.]+)", path)]


def attribute(tag: str, name: str) -> str:
    found = re.search(rf' {name}="([^"]*)"', tag)
    assert found, (tag, name)
    return found[1]


def test_a_column_a_tenth_of_a_second_as_high_as_its_tokens() -> None:
    code = Timeline("code", "", marks(12, 0.3, 1.0, 20))
    story = Timeline("story", "", marks(5, 0.2, 0.5, 50))
    legend, (first, second) = strip_pictures(Timelines((code, story)))
    assert legend.startswith("One column is 100 ms, full height is 24 tokens (▲: more).") and "up to 9 tokens, 10–13, 14 and more" in legend
    assert len(bars(first, "mid")) == 20 and not bars(first, "burst")
    assert {height for _, height in bars(first, "mid")} == {36.0}
    places = [x for x, _ in bars(second, "flow")]
    # one clock: story lasts 10.3 s, so both have 104 columns of 960 ÷ 104
    assert places[0] == pytest.approx(5 * 960 / 104, abs=0.02) and len(places) == 50
    assert bars(first, "mid")[0][0] == pytest.approx(10 * 960 / 104, abs=0.02)


def test_a_column_above_full_height_carries_a_mark_and_many_double_the_scale() -> None:
    one = (*marks(5, 0.2, 0.5, 40), *marks(38, 0.2, 9.0, 1))
    legend, (svg,) = strip_pictures(Timelines((Timeline("x", "", one),)))
    assert "full height is 24" in legend and bars(svg, "burst") == [(pytest.approx(90 * 960 / 91, abs=0.02), 72.0)]
    assert "M " in svg and "L " in svg
    legend, _ = strip_pictures(Timelines((Timeline("x", "", marks(38, 0.2, 1.0, 20)),)))
    assert "full height is 48" in legend


def test_a_run_of_an_hour_stays_small() -> None:
    svg = strip_pictures(Timelines((Timeline("x", "", marks(1, 0.5, 1.0, 7_000)),)))[1][0]
    assert len(svg) < 40_000


def test_bars_end_at_the_median_and_dots_at_the_runs() -> None:
    rate = Rate(name="code", text="50.0 tok/s", values=(40.0, 50.0, 60.0), median=50.0, server=45.0, tokens_per_chunk=16.0)
    svg = rate_picture(RatePlot("rates", (rate,)))
    width = 630 / (60 * 1.02)
    assert float(attribute(re.findall(r"<rect[^>]*>", svg)[0], "width")) == pytest.approx(50 * width, abs=0.02)
    dots = [float(x) for x in re.findall(r'<circle[^>]*cx="([\d.]+)"', svg)]
    assert dots == [pytest.approx(2 + value * width, abs=0.02) for value in (40, 50, 60)]
    assert 'class="burst"' in svg and 'class="mark"' in svg
    assert 'class="mark"' not in rate_picture(RatePlot("rates", (Rate(name="x", text="", values=(1.0,), median=1.0),)))


def test_memory_is_before_peak_and_free() -> None:
    use = MemoryUse(name="x", text="", used_before=100 * 10**9, used_peak=110 * 10**9, total=126 * 10**9)
    boxes = re.findall(r"<rect[^>]*>", memory_picture(MemoryPlot("m", (use,))))
    widths = {attribute(tag, "class"): float(attribute(tag, "width")) for tag in boxes}
    assert widths == {"free": 630.0, "flow": pytest.approx(500, abs=0.02), "burst": pytest.approx(50, abs=0.02)}


def test_a_curve_has_a_point_a_run_and_a_shape_a_series() -> None:
    plot = CurvePlot("prefill", (Series("a", ((100_000.0, 800.0), (300_000.0, 780.0))), Series("b", ((600_000.0, 640.0),))))
    svg = curve_picture(plot)
    # two circles and their key; one square and its key; one line
    assert (svg.count("<circle"), svg.count("<rect"), svg.count("<polyline")) == (3, 2, 1)
    assert ">600k<" in svg and ">800<" in svg and "prompt tokens" in svg


def test_intervals_on_their_scale_and_off_it() -> None:
    base = [50.0, 50.5, 49.8]
    near, far = compare(base, [50.4, 50.1, 49.9]), compare(base, [29.0, 29.1, 29.2])
    svg = interval_picture(IntervalPlot("t", "shipped", (("same", "= no difference shown", near), ("none", "▼ slower", far))))
    places = [float(x) for x in re.findall(r'<circle[^>]*cx="([\d.]+)"', svg)]
    assert places == [pytest.approx(8 + 624 * ((near.ratio or 0) - 0.9) / 0.2, abs=0.02)]
    assert "◀ off the scale" in svg and 'class="band"' in svg and "baseline shipped" in svg


@pytest.mark.parametrize(
    ("top", "expected"), [(57.0, [0, 10, 20, 30, 40, 50]), (0.9, [0, 0.2, 0.4, 0.6, 0.8]), (0.0, [0]), (float("inf"), [0])]
)
def test_ticks_are_round(top: float, expected: list[float]) -> None:
    assert ticks(top, 6) == pytest.approx(expected)
