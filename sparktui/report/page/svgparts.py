"""Pieces of inline SVG. Colours come from the page's style sheet by class; all text passes through `words`, which makes it harmless."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

import svg

from sparktui.core.figures.burstscale import FULL_TOKENS, ramp
from sparktui.report.table import cell_text

WIDE = 960
"""Width of a picture that needs room, in its own units (about CSS pixels on a desktop screen)."""
NARROW = 640
"""Width of a picture that a phone can show whole."""
Anchor = Literal["start", "middle", "end"]
_LONGEST_NAME = 64


def picture(title: str, size: tuple[float, float], elements: Iterable[svg.Element], kind: str = "") -> str:
    """An `<svg>` for the middle of an HTML page; `title` is what a screen reader says of it."""
    width, height = size
    drawn = svg.SVG(
        xmlns=None, viewBox=svg.ViewBoxSpec(0, 0, tidy(width), tidy(height)), class_=["plot", kind] if kind else ["plot"],
        extra={"role": "img"}, elements=[svg.Title(text=svg.escape(cell_text(title)) or "picture"), *elements],
    )  # fmt: skip
    return drawn.as_str()


def words(x: float, y: float, text: str, kind: str = "ink", *, anchor: Anchor = "start", longest: int = _LONGEST_NAME) -> svg.Text:
    """One line of text; what is longer than `longest` characters is cut."""
    line = cell_text(text)
    line = line if len(line) <= longest else line[: longest - 1] + "…"
    return svg.Text(x=tidy(x), y=tidy(y), class_=[kind], text_anchor=anchor, text=svg.escape(line))


def box(x: float, y: float, width: float, height: float, kind: str) -> svg.Rect:
    return svg.Rect(x=tidy(x), y=tidy(y), width=tidy(max(0.0, width)), height=tidy(max(0.0, height)), class_=[kind])


def stroke(x1: float, y1: float, x2: float, y2: float, kind: str) -> svg.Line:
    return svg.Line(x1=tidy(x1), y1=tidy(y1), x2=tidy(x2), y2=tidy(y2), class_=[kind])


def dot(x: float, y: float, kind: str, radius: float = 3.5) -> svg.Circle:
    return svg.Circle(cx=tidy(x), cy=tidy(y), r=tidy(radius), class_=[kind])


def ticks(top: float, most: int) -> list[float]:
    """Round numbers from 0 up to `top`, at most `most` steps: 1, 2 or 5 times a power of ten apart."""
    if not (math.isfinite(top) and top > 0):
        return [0.0]
    power = 10.0 ** math.floor(math.log10(top / most))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor * most >= top * (1 - 1e-9))
    return [step * number for number in range(math.floor(top / step * (1 + 1e-9)) + 1)]


def ramp_of(tokens_per_chunk: float | None) -> str:
    """The ramp's class for a mean burst; the text's own colour where it is not known."""
    return "ink-fill" if tokens_per_chunk is None or not math.isfinite(tokens_per_chunk) else ramp(tokens_per_chunk, FULL_TOKENS)


def spread(values: Sequence[float], first: float, last: float, top: float) -> list[float]:
    """Values from 0 to `top` as places from `first` to `last`."""
    return [first + (last - first) * min(max(value / top, 0.0), 1.0) if top > 0 else first for value in values]


def tidy(value: float) -> float:
    """A coordinate with two decimals: more are not seen, and make a page large."""
    return int(value) if float(value).is_integer() else round(value, 2)
