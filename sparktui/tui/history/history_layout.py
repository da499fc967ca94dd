"""How the history screen shares its rows between cells, comparison and runs. Pure."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from textual.geometry import Region

HistoryPanelName = Literal["cells", "compare", "runs"]
PANELS: tuple[HistoryPanelName, ...] = ("cells", "compare", "runs")
_ONE_PANEL_BELOW = (60, 20)
_LEAST_CELLS, _LEAST_RUNS = 5, 4
_COMPARE_SHARE = 0.45
_MOST_NOTES = 4


class Wanted(Struct, frozen=True):
    """Rows each part has to show, heads not counted: cells, lines of the comparison (0 = there is none), runs, notes on the runs."""

    cells: int
    compare: int
    runs: int
    notes: int = 0


_NO_NOTES = Wanted(0, 0, 0)


def is_single(width: int, height: int) -> bool:
    """Whether there is room for one panel only."""
    return width < _ONE_PANEL_BELOW[0] or height < _ONE_PANEL_BELOW[1]


def history_places(
    width: int, top: int, bottom: int, wanted: Wanted, *, only: HistoryPanelName | None = None
) -> dict[str, Region]:
    """Where cells, comparison, runs and notes stand; `only` one of them where the terminal is small or a panel is zoomed."""
    room = max(0, bottom - top)
    if only is not None:
        return _panel(only, width, top, room, wanted if room > 12 else _NO_NOTES)
    # a head each, column heads for cells and runs, the legend below the cells, a blank row between two panels
    compare = 1 + wanted.compare + 1 if wanted.compare else 0
    cells, runs = 2 + wanted.cells + 2, 2 + max(1, wanted.runs)
    notes = min(wanted.notes, _MOST_NOTES)
    if cells + compare + runs + notes > room:
        notes = 0
        compare = min(compare, max(5, round(_COMPARE_SHARE * room))) if compare else 0
        runs = max(_LEAST_RUNS, min(runs, room - compare - cells, room // 2))
        cells = max(_LEAST_CELLS, room - compare - runs)
    places = _panel("cells", width, top, cells - (cells > wanted.cells + 3), _NO_NOTES)
    y = top + cells
    if compare:
        shown = compare - (compare > wanted.compare + 1)
        places |= _panel("compare", width, y, min(shown, bottom - y), _NO_NOTES)
        y += compare
    places |= _panel("runs", width, y, max(0, bottom - y), wanted if notes else _NO_NOTES)
    return places


def _panel(name: HistoryPanelName, width: int, top: int, rows: int, wanted: Wanted) -> dict[str, Region]:
    """Head and list; notes on the runs stand right below them."""
    notes = min(wanted.notes, _MOST_NOTES) if name == "runs" else 0
    body = max(0, rows - 1 - notes)
    if notes:
        body = min(body, 1 + max(1, wanted.runs) + 1)
    places = {f"{name}-head": Region(0, top, width, min(1, rows)), name: Region(0, top + 1, width, body)}
    if notes:
        places["notes"] = Region(0, top + 1 + body, width, notes)
    return places
