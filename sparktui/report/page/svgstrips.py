"""Burst timelines as SVG: one column a tenth of a second, its height the tokens that landed in it, its colour the largest burst."""

from __future__ import annotations

import svg

from sparktui.core.figures.burstscale import FULL_TOKENS, columns_of, full_tokens, ramp
from sparktui.core.figures.columns import Columns
from sparktui.report import numbers
from sparktui.report.page.parts import Timeline, Timelines
from sparktui.report.page.svgparts import WIDE, picture, stroke, tidy, words
from sparktui.report.strip import column_ms

_HEIGHT, _OVER, _AXIS = 72, 8, 22
_WIDEST_COLUMN = 12.0
_LABEL_ROOM = 52
_TICKS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400)


def strip_pictures(strips: Timelines) -> tuple[str, list[str]]:
    """What a column and a colour mean, and one picture a strip, all on one clock and one scale."""
    step_ms = max(column_ms(strip.marks[-1].t_s) for strip in strips.strips)
    columns = [columns_of(strip.marks, step_ms) for strip in strips.strips]
    full = max(full_tokens(found) for found in columns)
    ramp_full = full if step_ms == 100 else max(full_tokens(columns_of(strip.marks, 100)) for strip in strips.strips)
    count = max(len(found) for found in columns)
    pictures = [_strip(strip, found, count, step_ms, (full, ramp_full)) for strip, found in zip(strips.strips, columns, strict=True)]
    return _legend(step_ms, full, ramp_full), pictures


def _legend(step_ms: int, full: float, ramp_full: float) -> str:
    span = f"{step_ms} ms" if step_ms < 1000 else f"{step_ms // 1000} s"
    mid = next(tokens for tokens in range(1, int(ramp_full) + 1) if ramp(tokens, ramp_full) == "mid")
    burst = next(tokens for tokens in range(1, int(ramp_full) + 1) if ramp(tokens, ramp_full) == "burst")
    return (
        f"One column is {span}, full height is {numbers.count(full)} tokens (▲: more). Colour by the largest burst in a column: "
        f"up to {mid - 1} tokens, {mid}–{burst - 1}, {burst} and more."
    )


def _strip(strip: Timeline, columns: Columns, count: int, step_ms: int, scales: tuple[float, float]) -> str:
    full, ramp_full = scales
    width = min(_WIDEST_COLUMN, WIDE / max(1, count))
    bars: dict[str, list[svg.PathData]] = {"flow": [], "mid": [], "burst": []}
    for number, tokens in enumerate(columns.tokens):
        if tokens > 0:
            drawn = bars[ramp(columns.largest[number], ramp_full)]
            drawn += _bar(number * width, width * 0.82, min(1.0, max(tokens / full, 1 / FULL_TOKENS)), over=tokens > full)
    elements: list[svg.Element] = [svg.Path(d=path, class_=[kind]) for kind, path in bars.items() if path]
    elements += _axis(count, width, step_ms)
    return picture(f"Burst timeline: {strip.title}", (WIDE, _OVER + _HEIGHT + _AXIS), elements, "strip")


def _bar(x: float, width: float, share: float, *, over: bool) -> list[svg.PathData]:
    base, height = _OVER + _HEIGHT, _HEIGHT * share
    bar: list[svg.PathData] = [svg.M(tidy(x), base), svg.v(tidy(-height)), svg.h(tidy(width)), svg.V(base), svg.Z()]
    if over:
        bar += [svg.M(tidy(x), _OVER - 2), svg.h(tidy(width)), svg.L(tidy(x + width / 2), 0), svg.Z()]
    return bar


def _axis(count: int, width: float, step_ms: int) -> list[svg.Element]:
    """A tick where there is room for its time."""
    base, second = _OVER + _HEIGHT, width * 1000 / step_ms
    length_s = count * step_ms / 1000
    every = next((tick for tick in _TICKS_S if tick * second >= _LABEL_ROOM), _TICKS_S[-1])
    elements: list[svg.Element] = [stroke(0, base + 0.5, count * width, base + 0.5, "rule")]
    for tick in range(0, int(length_s) + 1, every):
        x = tick * second
        elements.append(stroke(x + 0.5, base, x + 0.5, base + 5, "rule"))
        if x + 30 < WIDE:
            elements.append(words(x + 4, base + 17, f"{tick} s", "muted"))
    return elements
