"""Ratios to a baseline with their 95 % intervals, over the band of ±2 tok/s, each below its name and its verdict."""

from __future__ import annotations

import svg

from sparktui.core.stats.statistics import BAND_TOK_S, Comparison
from sparktui.report.intervalplot import scale_for
from sparktui.report.page.parts import IntervalPlot
from sparktui.report.page.svgparts import NARROW, Anchor, box, dot, picture, stroke, words

_ROW, _NAME, _MIDDLE, _AXIS = 42, 15, 28, 24
_LEFT, _RIGHT = 8, 8
_KINDS = {"faster": "good", "slower": "bad"}


def interval_picture(plot: IntervalPlot) -> str:
    """One row a comparison, on the scale that the table of these comparisons has; what lies beyond it is said in words."""
    scale = scale_for([found for _, _, found in plot.rows])
    height = _ROW * len(plot.rows)
    elements: list[svg.Element] = _bands(plot, scale, height)
    for number, (name, verdict, found) in enumerate(plot.rows):
        y = number * _ROW
        elements += [words(_LEFT, y + _NAME, name, longest=34), words(NARROW - _RIGHT, y + _NAME, verdict, "figure", anchor="end")]
        elements += _whisker(found, y + _MIDDLE, scale)
    for value in (scale[0], (scale[0] + 1) / 2, 1.0, (1 + scale[1]) / 2, scale[1]):
        anchor: Anchor = "start" if value == scale[0] else "end" if value == scale[1] else "middle"
        elements.append(words(_x(value, scale), height + 18, f"{value:.2f}", "muted", anchor=anchor))
    return picture(f"{plot.title}, baseline {plot.baseline}", (NARROW, height + _AXIS), elements)


def _bands(plot: IntervalPlot, scale: tuple[float, float], height: float) -> list[svg.Element]:
    base = next((found.median_a for _, _, found in plot.rows if found.median_a), None)
    elements: list[svg.Element] = []
    if base:
        low, high = (_x(1 + sign * BAND_TOK_S / base, scale) for sign in (-1, 1))
        elements.append(box(low, 0, high - low, height + 4, "band"))
    return [*elements, stroke(_x(1.0, scale), 0, _x(1.0, scale), height + 4, "rule")]


def _whisker(found: Comparison, y: float, scale: tuple[float, float]) -> list[svg.Element]:
    if found.low is None or found.high is None or found.ratio is None:
        return []
    if found.high < scale[0]:
        return [words(_LEFT, y + 8, "◀ off the scale", "muted")]
    if found.low > scale[1]:
        return [words(NARROW - _RIGHT, y + 8, "off the scale ▶", "muted", anchor="end")]
    kind = _KINDS.get(found.verdict, "even")
    low, high = _x(found.low, scale), _x(found.high, scale)
    elements: list[svg.Element] = [stroke(low, y, high, y, f"{kind}-line")]
    ends = [x for x, end in ((low, found.low), (high, found.high)) if scale[0] <= end <= scale[1]]
    elements += [stroke(x, y - 5, x, y + 5, f"{kind}-line") for x in ends]
    return [*elements, dot(_x(found.ratio, scale), y, kind, 4.5)]


def _x(ratio: float, scale: tuple[float, float]) -> float:
    share = (ratio - scale[0]) / (scale[1] - scale[0])
    return _LEFT + (NARROW - _LEFT - _RIGHT) * min(max(share, 0.0), 1.0)
