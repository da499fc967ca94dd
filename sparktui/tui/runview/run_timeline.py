"""The burst timeline of a whole run, in lines of whole seconds: the live strip's columns, colours and scale. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from sparktui.core.figures.burstscale import FULL_TOKENS, columns_of, full_tokens, ramp
from sparktui.core.figures.columns import Columns
from sparktui.core.records import ChunkMark
from sparktui.report import numbers
from sparktui.report.strip import column_ms
from sparktui.tui.drawing.pen import Line
from sparktui.tui.drawing.roles import Roles
from sparktui.tui.widgets.strip_window import column_cells

ROWS = 3
_LEFT = 1
_TICKS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)


def timeline_rows(marks: Sequence[ChunkMark], width: int, roles: Roles) -> list[Strip]:
    """Label, then three rows and an axis for each line. [] without chunks."""
    if not marks:
        return []
    step_ms = column_ms(marks[-1].t_s)
    columns = columns_of(marks, step_ms)
    full = full_tokens(columns)
    ramp_full = full if step_ms == 100 else full_tokens(columns_of(marks, 100))
    per_second = max(1, 1000 // step_ms)
    room = max(1, width - 2 * _LEFT)
    per_line = max(per_second, room // per_second * per_second) if room >= per_second else room
    rows = [_label(step_ms, full, width, roles)]
    for start in range(0, len(columns), per_line):
        length = min(per_line, len(columns) - start)
        rows += _bars(columns, (start, start + length), width, roles, scales=(full, ramp_full))
        rows.append(_axis(start, length, step_ms, width, roles))
    return rows


def _label(step_ms: int, full: float, width: int, roles: Roles) -> Strip:
    muted = roles.style("muted")
    line = Line(width, roles.style())
    x = line.put(_LEFT, ("burst timeline", roles.style(bold=True))) + 3
    span = f"{step_ms} ms" if step_ms < 1000 else f"{step_ms // 1000} s"
    end = line.put(x, (f"tokens per {span}", muted))
    unit = round(full / FULL_TOKENS)
    legend = f"▁ {unit:,} token{'s' if unit > 1 else ''}  █ {8 * unit:,}"
    if end + 3 + len(legend) < width:
        line.end(-2, (legend, muted))
    return line.strip()


def _bars(columns: Columns, span: tuple[int, int], width: int, roles: Roles, *, scales: tuple[float, float]) -> list[Strip]:
    full, ramp_full = scales
    lines = [Line(width, roles.style()) for _ in range(ROWS)]
    for column in range(*span):
        tokens = columns.tokens[column]
        if tokens > 0:
            style = roles.style(ramp(columns.largest[column], ramp_full))
            for line, cell in zip(lines, column_cells(tokens, full, ROWS), strict=True):
                line.put(_LEFT + column - span[0], (cell, style))
    return [line.strip() for line in lines]


def _axis(start: int, length: int, step_ms: int, width: int, roles: Roles) -> Strip:
    """`┴` at every tick with its time right of it, as far as there is room for it."""
    faint, muted = roles.style("faint"), roles.style("muted")
    line = Line(width, roles.style())
    tick = _tick_columns(step_ms, (start + length) * step_ms / 1000)
    x = 0
    first = -(-start // tick) * tick
    for column in range(first, start + length, tick):
        at = column - start
        line.put(_LEFT + x, ("─" * (at - x), faint))
        second = column * step_ms // 1000
        label = "0" if not column else f"{second} s" if second < 100 else numbers.clock(second)
        fits = at + 1 + len(label) <= length
        x = line.put(_LEFT + at, ("┴", faint), (label if fits else "", muted)) - _LEFT
    line.put(_LEFT + x, ("─" * (length - x), faint))
    return line.strip()


def _tick_columns(step_ms: int, end_s: float) -> int:
    """Columns between two ticks: whole seconds, as many as a label needs."""
    label = 4 if end_s < 100 else 7
    fitting = (tick_s * 1000 // step_ms for tick_s in _TICKS_S if tick_s * 1000 % step_ms == 0)
    return next((columns for columns in fitting if columns >= label + 2), 60)
