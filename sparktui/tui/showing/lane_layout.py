"""Where the parts of the two-lanes screen stand: texts side by side, strips under both; below 100 cells one text. Pure."""

from __future__ import annotations

from msgspec import Struct
from textual.geometry import Region

from sparktui.tui.live.layout import mode_for

_STRIPS = {"wide": 9, "mid": 9, "small": 4}
_LEAST_FOR_STRIPS = 14


class LaneLayout(Struct, frozen=True, kw_only=True):
    """`regions` by widget id; of a part without one nothing is shown. `both`: both texts are in sight."""

    regions: dict[str, Region]
    both: bool
    framed: bool


def lane_layout(width: int, height: int, *, shown: int, caption: bool = False) -> LaneLayout:
    """`shown`: the lane whose text is in sight where there is room for one alone. `caption`: a row for a caption above the transport."""
    mode = mode_for(width, height)
    both, framed = width >= 100 and mode != "small", mode != "small"
    strips = _STRIPS[mode] if height >= _LEAST_FOR_STRIPS else 0
    below = strips + int(caption) + (2 if framed else 1 if height > 3 else 0)
    top = 1
    body = max(0, height - top - below)
    regions = {"header": Region(0, 0, width, 1)}
    left = (width - 1) // 2 if both else width
    spans = {0: (0, left), 1: (left + 1, width - left - 1)} if both else {shown: (0, width)}
    for lane, (x, cells) in spans.items():
        regions |= _lane(lane, Region(x, top, cells, body), framed)
    if both:
        regions["rule"] = Region(left, top, 1, body)
    y = top + body
    for part, rows in (("strips", strips), ("caption", int(caption)), ("transport", int(height > 3)), ("footer", int(framed))):
        if rows:
            regions[part] = Region(0, y, width, rows)
            y += rows
    return LaneLayout(regions={part: region for part, region in regions.items() if region.height > 0}, both=both, framed=framed)


def _lane(lane: int, within: Region, framed: bool) -> dict[str, Region]:
    """Head, figures and text of one lane, as many of them as there are rows for."""
    x, y, width, rows = within
    figures = 3 if framed and rows >= 8 else 0
    gap = 1 if rows >= 16 else 0
    text = max(0, rows - 1 - figures - gap)
    return {
        f"head-{lane}": Region(x, y, width, min(1, rows)),
        f"figures-{lane}": Region(x, y + 1, width, figures),
        f"text-{lane}": Region(x, y + 1 + figures + gap, width, text),
    }
