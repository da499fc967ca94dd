"""Draft acceptance over the last runs, a cell each: heights from nothing to all accepted, the newest at the right. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.core.records import RunRecord
from sparktui.report import numbers
from sparktui.tui.drawing.roles import Role

_HEIGHTS = "▁▂▃▄▅▆▇█"
_UNKNOWN = "·"
_MOST = 60


def acceptance_pieces(newest_first: Sequence[RunRecord], room: int) -> list[tuple[str, Role]]:
    """`acceptance ▅▅·█ 64.2 %  of 4 runs` in at most `room` cells, [] where no run tells any or there is no room for one.

    A run that does not tell is a dot; the number is the newest that is known.
    """
    known = next((run.acceptance_rate for run in newest_first if run.acceptance_rate is not None), None)
    if known is None:
        return []
    latest = f" {numbers.percent(known)}"
    label = "acceptance " if room >= len("acceptance ") + len(latest) + 4 else ""
    cells = min(_MOST, len(newest_first), room - len(label) - len(latest))
    if cells < 1:
        return []
    shown = list(newest_first[:cells])[::-1]
    pieces: list[tuple[str, Role]] = [(label, "muted")] if label else []
    pieces += [(_cell(run.acceptance_rate), "faint" if run.acceptance_rate is None else "flow") for run in shown]
    pieces.append((latest, "text"))
    said = f"  last {cells} runs"
    return [*pieces, (said, "muted")] if sum(len(text) for text, _ in pieces) + len(said) <= room else pieces


def _cell(rate: float | None) -> str:
    return _UNKNOWN if rate is None else _HEIGHTS[min(len(_HEIGHTS) - 1, int(max(0.0, rate) * len(_HEIGHTS)))]
