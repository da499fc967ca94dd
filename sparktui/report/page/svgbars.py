"""Decode rates and memory as bars, each below its name, so that a phone shows them whole."""

from __future__ import annotations

import svg

from sparktui.report import numbers
from sparktui.report.page.parts import MemoryPlot, MemoryUse, Rate, RatePlot
from sparktui.report.page.svgparts import NARROW, box, dot, picture, ramp_of, spread, stroke, ticks, words

_ROW, _BAR, _NAME, _AXIS = 44, 14, 17, 24
_LEFT, _RIGHT = 2, 8


def rate_picture(plot: RatePlot) -> str:
    """One bar a cell up to its median, a dot a run, a stroke where the server's own median stands; from 0."""
    top = max([value for rate in plot.rates for value in (*rate.values, rate.median, rate.server or 0.0)]) * 1.02
    height = _ROW * len(plot.rates)
    elements = _grid(top, height, [numbers.fixed(tick, 0 if tick == int(tick) else 1) for tick in ticks(top, 6)])
    for number, rate in enumerate(plot.rates):
        elements += _rate(rate, number * _ROW, top)
    elements.append(words(NARROW - _RIGHT, height + 18, "tok/s", "muted", anchor="end"))
    return picture(plot.title, (NARROW, height + _AXIS), elements)


def _rate(rate: Rate, y: float, top: float) -> list[svg.Element]:
    middle, *dots = spread([rate.median, *rate.values], _LEFT, NARROW - _RIGHT, top)
    bar, centre = y + _NAME + 5, y + _NAME + 5 + _BAR / 2
    elements: list[svg.Element] = [
        words(_LEFT, y + _NAME, rate.name, longest=46), words(NARROW - _RIGHT, y + _NAME, rate.text, "figure", anchor="end"),
        box(_LEFT, bar, middle - _LEFT, _BAR, ramp_of(rate.tokens_per_chunk)),
    ]  # fmt: skip
    if rate.server is not None:
        (at,) = spread([rate.server], _LEFT, NARROW - _RIGHT, top)
        elements.append(stroke(at, bar - 3, at, bar + _BAR + 3, "mark"))
    return [*elements, *(dot(x, centre, "dot") for x in dots)]


def memory_picture(plot: MemoryPlot) -> str:
    """Used before the runs, what they added at the peak, and what of the total was left; from 0."""
    top = max(use.total for use in plot.uses) or 1
    height = _ROW * len(plot.uses)
    marks = ticks(top / 1e9, 6)
    elements = _grid(top, height, [numbers.fixed(tick, 0 if tick == int(tick) else 1) for tick in marks], unit=1e9)
    for number, use in enumerate(plot.uses):
        elements += _use(use, number * _ROW, top)
    elements.append(words(NARROW - _RIGHT, height + 18, "GB", "muted", anchor="end"))
    return picture(plot.title, (NARROW, height + _AXIS), elements)


def _use(use: MemoryUse, y: float, top: float) -> list[svg.Element]:
    before = min(use.used_before or use.used_peak, use.used_peak)
    start, peak, total = spread([before, use.used_peak, use.total], _LEFT, NARROW - _RIGHT, top)
    bar = y + _NAME + 5
    return [
        words(_LEFT, y + _NAME, use.name, longest=40), words(NARROW - _RIGHT, y + _NAME, use.text, "figure", anchor="end"),
        box(_LEFT, bar, total - _LEFT, _BAR, "free"), box(_LEFT, bar, start - _LEFT, _BAR, "flow"),
        box(start, bar, peak - start, _BAR, "burst"),
    ]  # fmt: skip


def _grid(top: float, height: float, labels: list[str], unit: float = 1.0) -> list[svg.Element]:
    values = [tick * unit for tick in ticks(top / unit, 6)]
    elements: list[svg.Element] = []
    for x, label in zip(spread(values, _LEFT, NARROW - _RIGHT, top), labels, strict=True):
        elements.append(stroke(x, 0, x, height + 4, "grid"))
        if x < NARROW - _RIGHT - 60:
            elements.append(words(x, height + 18, label, "muted", anchor="start" if x < 10 else "middle"))
    return elements
