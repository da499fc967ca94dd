"""The burst timeline as text: one column a tenth of a second, one eighth of a cell a token, in lines of whole seconds."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sparktui.core.figures.burstscale import FULL_TOKENS, columns_of, full_tokens
from sparktui.core.records import ChunkMark

_LEVELS = " ▁▂▃▄▅▆▇█"
_ROWS = 3
_COLUMNS_MS = (100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000)
_LONGEST_AT_100_MS_S = 40


def column_ms(duration_s: float) -> int:
    """Milliseconds a column: 100 up to 40 s, then the first that keeps the strip as short."""
    return next((step for step in _COLUMNS_MS if duration_s * 100 <= step * _LONGEST_AT_100_MS_S), _COLUMNS_MS[-1])


def strip_lines(marks: Sequence[ChunkMark], width: int) -> list[str]:
    """The strip and its axis, first a line that says what a column and an eighth are. [] for a run without chunks.

    Full height is 24 tokens, more where a tenth of the filled columns would not fit; a column that is higher is drawn full with ▲ on top.
    """
    if not marks:
        return []
    step_ms = column_ms(marks[-1].t_s)
    columns = columns_of(marks, step_ms)
    tokens, eighth = columns.tokens, round(full_tokens(columns) / FULL_TOKENS)
    per_second = max(1, 1000 // step_ms)
    per_line = max(per_second, (width - 1) // per_second * per_second)
    lines = [f"burst timeline   tokens per {step_ms} ms   ▁ {eighth} token{'s' if eighth > 1 else ''}  █ {8 * eighth}"]
    for start in range(0, len(tokens), per_line):
        part = tokens[start : start + per_line]
        lines += [row.rstrip() for row in _bars(part, eighth)]
        lines.append(_axis(start, len(part), step_ms))
    return lines


def _bars(tokens: Sequence[float], eighth: int) -> list[str]:
    rows = []
    for row in reversed(range(_ROWS)):
        cells = []
        for value in tokens:
            # any token at all is seen
            height = max(1, round(value / eighth)) if value > 0 else 0
            over = row == _ROWS - 1 and height > 8 * _ROWS
            cells.append("▲" if over else _LEVELS[min(8, max(0, height - 8 * row))])
        rows.append("".join(cells))
    return rows


def _axis(start: int, length: int, step_ms: int) -> str:
    """A tick each second (each tenth column where a column is a second or more), its time where there is room for it."""
    every = 1000 // step_ms if step_ms < 1000 else 10
    axis = ["─"] * length
    for column in range(0, length, every):
        axis[column] = "┴"
        label = f"{(start + column) * step_ms // 1000} s"
        room = every * max(1, math.ceil((len(label) + 2) / every))
        if column % room == 0 and column + 1 + len(label) <= length:
            axis[column + 1 : column + 1 + len(label)] = label
    return "".join(axis)
