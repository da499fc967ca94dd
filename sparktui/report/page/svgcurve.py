"""A rate over the length of the prompt: a point a run, a line through the medians of each length."""

from __future__ import annotations

from collections.abc import Sequence

import svg

from sparktui.core.stats.statistics import middle
from sparktui.report import numbers
from sparktui.report.page.parts import CurvePlot, Series
from sparktui.report.page.svgparts import NARROW, box, dot, picture, spread, stroke, ticks, tidy, words

_LEFT, _RIGHT, _TOP, _HEIGHT, _AXIS = 58, 14, 14, 200, 40
_LEGEND_ROW = 20
_SAME_LENGTH = 1.05
_KINDS = ("flow", "burst", "good", "mid")


def curve_picture(plot: CurvePlot) -> str:
    """Both axes from 0; each series has a colour and a shape of its own, and its name below the picture."""
    far = max(x for series in plot.series for x, _ in series.points) * 1.03
    top = max(y for series in plot.series for _, y in series.points) * 1.12
    elements = [*_axes(far, top)]
    for number, series in enumerate(plot.series):
        elements += _series(series, number, far, top)
    legend = _LEGEND_ROW * len(plot.series) if len(plot.series) > 1 else 0
    for number, series in enumerate(plot.series if legend else ()):
        y = _TOP + _HEIGHT + _AXIS + _LEGEND_ROW * number + 8
        elements += [_shape(_LEFT + 6, y, number), words(_LEFT + 18, y + 4.5, series.name)]
    return picture(plot.title, (NARROW, _TOP + _HEIGHT + _AXIS + legend + 4), elements)


def _series(series: Series, number: int, far: float, top: float) -> list[svg.Element]:
    kind = _KINDS[number % len(_KINDS)]
    line = [(_x(x, far), _y(y, top)) for x, y in _medians(series.points)]
    elements: list[svg.Element] = []
    if len(line) > 1:
        elements.append(svg.Polyline(points=[svg.Point(tidy(x), tidy(y)) for x, y in line], class_=[f"{kind}-line"]))
    return [*elements, *(_shape(_x(x, far), _y(y, top), number) for x, y in series.points)]


def _medians(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The middle of each length; lengths within 5 % are one."""
    groups: list[list[tuple[float, float]]] = []
    for point in sorted(points):
        if groups and point[0] <= groups[-1][0][0] * _SAME_LENGTH:
            groups[-1].append(point)
        else:
            groups.append([point])
    return [(middle(x for x, _ in group), middle(y for _, y in group)) for group in groups]


def _shape(x: float, y: float, number: int) -> svg.Element:
    """A circle, a square, a diamond or a triangle, so that colour is not needed to tell them apart."""
    kind, shape = _KINDS[number % len(_KINDS)], number % 4
    if shape == 0:
        return dot(x, y, kind, 4)
    if shape == 1:
        return box(x - 3.6, y - 3.6, 7.2, 7.2, kind)
    corners = [(x, y - 5), (x + 5, y), (x, y + 5), (x - 5, y)] if shape == 2 else [(x, y - 5), (x + 5, y + 4), (x - 5, y + 4)]
    return svg.Polygon(points=[svg.Point(tidy(x), tidy(y)) for x, y in corners], class_=[kind])


def _axes(far: float, top: float) -> list[svg.Element]:
    base = _TOP + _HEIGHT
    elements: list[svg.Element] = [words(_LEFT - 8, _TOP - 2, "tok/s", "muted", anchor="end")]
    for tick in ticks(top, 5):
        y = _y(tick, top)
        elements.append(stroke(_LEFT, y, NARROW - _RIGHT, y, "grid" if tick else "rule"))
        if y > _TOP + 12:
            elements.append(words(_LEFT - 8, y + 4.5, numbers.fixed(tick, 0 if tick == int(tick) else 1), "muted", anchor="end"))
    for tick in ticks(far, 6):
        x = _x(tick, far)
        elements += [stroke(x, base, x, base + 5, "rule"), words(x, base + 19, numbers.context(round(tick)), "muted", anchor="middle")]
    return [*elements, words(NARROW - _RIGHT, base + 36, "prompt tokens", "muted", anchor="end")]


def _x(value: float, far: float) -> float:
    return spread([value], _LEFT, NARROW - _RIGHT, far)[0]


def _y(value: float, top: float) -> float:
    return spread([value], _TOP + _HEIGHT, _TOP, top)[0]
