"""How many rows each part of the live screen gets: the three breakpoints, taller terminals, and zoom. Pure."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from textual.geometry import Region

Mode = Literal["wide", "mid", "small"]
Panel = Literal["stream", "meter", "log", "history"]

PANELS: tuple[Panel, ...] = ("stream", "meter", "log", "history")
METER_CELLS = 38
PARTS = (
    "header", "stream-head", "stream", "strip", "rule", "meter-head", "meter", "meter-line",
    "log-head", "log", "history-head", "history", "prompt", "footer",
)  # fmt: skip
_WIDE_CELLS, _WIDE_ROWS = 100, 30
_MID_CELLS, _MID_ROWS = 60, 20
_REFERENCE_ROWS = 36
_STRIP_ROWS = 3
# who gets the 37th row and each one after it: of six, the stream three, history two, log one
_SHARES = ("stream", "history", "stream", "log", "history", "stream")


class Layout(Struct, frozen=True, kw_only=True):
    """Rows of each part; 0 = not shown. `meter`: beside the stream, one line, all of the screen, or the last line of a small one."""

    mode: Mode
    header: int = 1
    stream_head: int = 0
    text: int = 0
    strip_label: int = 0
    strip: int = 0
    axis: int = 0
    meter: Literal["side", "line", "full", "none"] = "none"
    meter_rows: int = 0
    log_head: int = 0
    log: int = 0
    history_head: int = 0
    history: int = 0
    prompt: int = 0
    footer: int = 0

    @property
    def body(self) -> int:
        """Rows of the part that holds the stream, its strip and, when wide, the meter."""
        return self.stream_head + self.text + self.strip_label + self.strip + self.axis


def mode_for(width: int, height: int) -> Mode:
    if width >= _WIDE_CELLS and height >= _WIDE_ROWS:
        return "wide"
    return "mid" if width >= _MID_CELLS and height >= _MID_ROWS else "small"


def layout_for(width: int, height: int, zoomed: Panel | None = None, *, quiet: bool = False) -> Layout:
    """The layout of a terminal of `width` × `height` cells; `zoomed` gives that panel all between header and footer.

    `quiet`: there is no run to show; below the widest layout its strip and meter give their rows to the card.
    """
    mode = mode_for(width, height)
    if mode == "small":
        return _small(height, quiet)
    if zoomed is not None:
        return _zoomed(mode, height, zoomed)
    return _wide(height) if mode == "wide" else _mid(height, quiet)


def regions_of(layout: Layout, width: int, *, prompt_over: bool = False) -> dict[str, Region]:
    """Where each part stands, by its id; a part without rows is not in it. `prompt_over`: the prompt takes the last line's place."""
    beside = layout.meter == "side"
    left = width - METER_CELLS - 1 if beside else width
    line = layout.meter == "line"
    stacked = {
        "header": layout.header,
        "stream-head": layout.stream_head,
        "stream": layout.text,
        "strip": layout.strip_label + layout.strip + layout.axis,
        "meter-line": int(line and not prompt_over),
        "log-head": layout.log_head,
        "log": layout.log,
        "history-head": min(1, layout.history_head),
        "history": layout.history + 1 if layout.history_head else 0,
        "prompt": int(prompt_over) or layout.prompt,
        "footer": layout.footer,
    }
    regions: dict[str, Region] = {}
    y = 0
    for part, rows in stacked.items():
        if part == "meter-line" and layout.meter == "full":
            regions["meter-head"] = Region(0, y, width, 1)
            regions["meter"] = Region(0, y + 1, width, layout.meter_rows - 1)
            y += layout.meter_rows
        if rows > 0:
            narrow = beside and part in ("stream-head", "stream", "strip")
            regions[part] = Region(0, y, left if narrow else width, rows)
            y += rows
    if beside:
        top = layout.header
        regions["rule"] = Region(left, top, 1, layout.body)
        regions["meter-head"] = Region(left + 1, top, METER_CELLS, 1)
        regions["meter"] = Region(left + 1, top + 1, METER_CELLS, layout.body - 1)
    return regions


def _wide(height: int) -> Layout:
    extra = {"stream": 0, "history": 0, "log": 0}
    for row in range(max(0, height - _REFERENCE_ROWS)):
        extra[_SHARES[row % len(_SHARES)]] += 1
    log, history = 4 + extra["log"], 4 + extra["history"]
    around = 1 + (1 + 1 + _STRIP_ROWS + 1) + (1 + log) + (2 + history) + 2
    text = height - around
    return Layout(
        mode="wide", stream_head=1, text=text, strip_label=1, strip=_STRIP_ROWS, axis=1,
        meter="side", meter_rows=1 + text + 1 + _STRIP_ROWS + 1,
        log_head=1, log=log, history_head=2, history=history, prompt=1, footer=1,
    )  # fmt: skip


def _mid(height: int, quiet: bool) -> Layout:
    log = 5 if height >= 26 else 3
    strip, axis, meter = (0, 0, 0) if quiet else (_STRIP_ROWS, 1, 1)
    text = height - (1 + 1 + strip + axis + meter + (1 + log) + 1 + 1)
    return Layout(
        mode="mid", stream_head=1, text=text, strip=strip, axis=axis, meter="line" if meter else "none", meter_rows=meter,
        log_head=1, log=log, prompt=1, footer=1,
    )  # fmt: skip


def _small(height: int, quiet: bool) -> Layout:
    header = 1 if height >= 2 else 0
    strip = 2 if height >= 14 and not quiet else 0
    text = max(0, height - header - strip - 1)
    return Layout(mode="small", header=header, text=text, strip=strip, meter="line", meter_rows=1)


def _zoomed(mode: Mode, height: int, panel: Panel) -> Layout:
    between = height - 2
    if panel == "stream":
        label = 1 if mode == "wide" else 0
        text = between - 1 - label - _STRIP_ROWS - 1
        return Layout(mode=mode, stream_head=1, text=text, strip_label=label, strip=_STRIP_ROWS, axis=1, footer=1)
    if panel == "meter":
        return Layout(mode=mode, meter="full", meter_rows=between, footer=1)
    if panel == "log":
        return Layout(mode=mode, log_head=1, log=between - 1, footer=1)
    return Layout(mode=mode, history_head=2, history=between - 2, footer=1)
