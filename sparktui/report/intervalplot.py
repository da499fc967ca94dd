"""A ratio and its 95 % interval as a line of text, on a scale that a whole table shares."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.core.stats.statistics import BAND_TOK_S, Comparison

SCALES = ((0.90, 1.10), (0.50, 1.50), (0.0, 2.0))
WIDTH = 25


def scale_for(found: Sequence[Comparison]) -> tuple[float, float]:
    """The narrowest scale that holds at least half of the intervals; the others are shown as off the scale."""
    known = [(one.low, one.high) for one in found if one.low is not None and one.high is not None]
    for scale in SCALES:
        inside = sum(scale[0] <= low and high <= scale[1] for low, high in known)
        if 2 * inside >= len(known):
            return scale
    return SCALES[-1]


def plot(found: Comparison, scale: tuple[float, float], width: int = WIDTH) -> str:
    """`├──●──┤` around `┊` at 1, over `▁` where B is within ±2 tok/s of A; "" without an interval."""
    if found.low is None or found.high is None or found.ratio is None:
        return ""
    if found.high < scale[0]:
        return "◀ off the scale".ljust(width)
    if found.low > scale[1]:
        return "off the scale ▶".rjust(width)
    cells = [" "] * width
    if found.median_a:
        reach = BAND_TOK_S / found.median_a
        for place in range(_place(1 - reach, scale, width), _place(1 + reach, scale, width) + 1):
            cells[place] = "▁"
    cells[_place(1.0, scale, width)] = "┊"
    low, high = _place(found.low, scale, width), _place(found.high, scale, width)
    for place in range(low, high + 1):
        cells[place] = "─"
    cells[low] = "├" if found.low >= scale[0] else "◀"
    cells[high] = "┤" if found.high <= scale[1] else "▶"
    cells[_place(found.ratio, scale, width)] = "●"
    return "".join(cells)


def title(scale: tuple[float, float], width: int = WIDTH) -> str:
    """The scale as the head of its column: its ends with 1 between them."""
    left, right = f"{scale[0]:.2f}", f"{scale[1]:.2f}"
    room = width - len(left) - len(right)
    return left + "1".center(room) + right


def _place(ratio: float, scale: tuple[float, float], width: int) -> int:
    share = (ratio - scale[0]) / (scale[1] - scale[0])
    return round(min(max(share, 0.0), 1.0) * (width - 1))
