"""The cells table: which columns fit, each cell's texts, the bar on the common scale. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct
from rich.cells import cell_len
from textual.strip import Strip

from sparktui.core.figures.burstscale import ramp
from sparktui.core.stats.cells import Cell
from sparktui.report import numbers
from sparktui.report.numbers import ABSENT
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.pen import Ink, Line, cut
from sparktui.tui.drawing.roles import Role, Roles
from sparktui.tui.history.history_book import CellEntry
from sparktui.tui.history.history_rows import Column

FIRST = 3
LEGEND = "out = left out of the medians: failed, cancelled, cut off, not idle, warm-up.  % pooled: Σ accepted ÷ Σ proposed."
_LABEL, _MODEL, _PROMPT, _BAR = "label", "model", "prompt", "bar"
_COLUMNS = (
    Column("label", "label", 14, right=False),
    Column("model", "model", 24, right=False),
    Column("prompt", "prompt", 7, right=False),
    Column("temperature", "T", 5, right=False),
    Column("n", "n", 2),
    Column("out", "out", 4),
    Column("client", "client tok/s", 13),
    Column("range", "min – max", 15, right=False),
    Column("bar", "", 14, right=False),
    Column("server", "server", 8),
    Column("ttft", "TTFT s", 8),
    Column("per_chunk", "tok/chunk", 11),
    Column("percent", "draft %", 8),
    Column("per_step", "tok/step", 9),
)
_DROPPED_FIRST = ("model", "per_step", "bar", "ttft", "server", "out", "percent", "per_chunk", "range")
_LONGEST_LABEL, _LONGEST_PROMPT, _MIDDLE_BAR, _WIDEST_BAR = 32, 20, 22, 42
_STEPS = (1, 1.5, 2, 3, 4, 5, 6, 8, 10)
SORTED_BY = ("when", "label", "prompt", "temperature", "n", "client", "server", "ttft", "per_chunk", "percent")


class CellTable(Struct, frozen=True, kw_only=True):
    """What the rows have in common. `scale_top`: the client rate at the end of the bars."""

    columns: tuple[Column, ...]
    scale_top: float
    sorted_by: str = "when"
    descending: bool = True


class Longest(Struct, frozen=True):
    """Cells of the longest label, prompt name and range there are, and whether models differ."""

    label: int = 0
    prompt: int = 0
    models: bool = False
    range: int = 0


def longest_of(entries: Sequence[CellEntry]) -> Longest:
    """What the columns that are not of one width have to hold."""
    label = max((cell_len(shown(entry.cell.label)) for entry in entries), default=0)
    prompt = max((cell_len(shown(entry.cell.prompt.name)) for entry in entries), default=0)
    span = max((cell_len(_range(entry.cell)) for entry in entries), default=0)
    return Longest(label, prompt, len({entry.cell.server.model for entry in entries}) > 1, span)


def cell_table(width: int, scale_top: float, longest: Longest, *, sorted_by: str = "when", descending: bool = True) -> CellTable:
    """The columns that fit into `width` cells; names and bars get what there is to spare."""
    kept = [column for column in _COLUMNS if column.key != _MODEL or longest.models]
    # figures are never cut: the range is as wide as its longest, or gone
    kept = [_wide_enough(column, longest.range) if column.key == "range" else column for column in kept]
    for key in _DROPPED_FIRST:
        if FIRST + sum(column.width for column in kept) < width:
            break
        kept = [column for column in kept if column.key != key]
    spare = width - 1 - FIRST - sum(column.width for column in kept)
    names = (_LABEL, min(_LONGEST_LABEL, longest.label + 2)), (_PROMPT, min(_LONGEST_PROMPT, longest.prompt + 1))
    for key, widest in (*names, (_BAR, _MIDDLE_BAR), (_BAR, _WIDEST_BAR)):
        for at, column in enumerate(kept):
            if column.key == key and spare > 0:
                more = max(0, min(spare, widest - column.width))
                kept[at] = Column(key, column.title, column.width + more, right=False)
                spare -= more
    return CellTable(columns=tuple(kept), scale_top=scale_top, sorted_by=sorted_by, descending=descending)


def round_top(value: float) -> float:
    """A round number at or above `value`, for the end of a scale; 1 where there is nothing to show."""
    if not value > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (*_STEPS, 10) if step * power >= value * (1 - 1e-9))


def cell_texts(entry: CellEntry) -> dict[str, str]:
    """One text a column."""
    cell, guess = entry.cell, entry.guessed
    return {
        "label": shown(cell.label),
        "model": shown(cell.server.model.rsplit("/", 1)[-1]),
        "prompt": shown(cell.prompt.name),
        "temperature": numbers.temperature(cell.params.temperature) if cell.params.temperature is not None else ABSENT,
        "n": str(cell.n),
        "out": str(cell.n_excluded) if cell.n_excluded else ABSENT,
        "client": numbers.tok_s(cell.medians.get("client_tok_s"), estimated="client_tok_s" in guess),
        "range": _range(cell),
        "server": numbers.tok_s(cell.medians.get("server_tok_s")),
        "ttft": numbers.seconds_number(cell.medians.get("ttft_s")),
        "per_chunk": numbers.per_chunk(cell.medians.get("tokens_per_chunk"), estimated="tokens_per_chunk" in guess),
        "percent": numbers.percent_number(cell.acceptance_rate),
        "per_step": numbers.per_step(cell.medians.get("tokens_per_step"), estimated="tokens_per_step" in guess),
    }


def _range(cell: Cell) -> str:
    low, high = cell.minima.get("client_tok_s"), cell.maxima.get("client_tok_s")
    return f"{numbers.tok_s(low)} – {numbers.tok_s(high)}" if cell.n > 1 and low is not None else ABSENT


def _wide_enough(column: Column, longest: int) -> Column:
    return Column(column.key, column.title, max(column.width, longest + _indent(column) + 1), right=False)


def head_row(table: CellTable, width: int, roles: Roles) -> Strip:
    """The column heads; the bars' has the ends of their scale."""
    line = Line(width, roles.style())
    muted = roles.style("muted")
    x = FIRST
    for column in table.columns:
        mark = ("▾" if table.descending else "▴") if column.key == table.sorted_by else ""
        if column.key == _BAR:
            line.put(x, ("0", muted))
            line.end(x + column.width - 3, (f"{table.scale_top:g}", muted))
        elif column.right:
            line.end(x + column.width - 1, (mark + column.title, muted))
        else:
            line.put(x + _indent(column), (mark + column.title, muted))
        x += column.width
    return line.strip()


def cell_row(
    entry: CellEntry, table: CellTable, width: int, roles: Roles, *, mark: str = "", cursor: bool = False, lit: bool = True
) -> Strip:
    """One cell. `mark`: A or B. `lit`: the list has the focus; without it the cursor is shown by its ground alone."""
    ground: Role = "cursor" if cursor else "background"
    role: Role = "text" if entry.cell.n else "muted"
    line = Line(width, roles.style(role, ground))
    accent = roles.style("accent", ground, bold=True)
    line.put(0, ("▸" if cursor and lit else " ", accent), (mark, accent))
    texts = cell_texts(entry)
    x = FIRST
    for column in table.columns:
        if column.key == _BAR:
            line.put(x, *_bar(entry.cell, table.scale_top, column.width - 2, roles, ground))
        else:
            text = texts[column.key]
            style = roles.style(_role(column.key, text, role), ground, bold=column.key == "client" and text != ABSENT)
            if column.right:
                line.end(x + column.width - 1, (text, style))
            else:
                line.put(x + _indent(column), (cut(text, column.width - 1 - _indent(column)), style))
        x += column.width
    return line.strip()


def _role(key: str, text: str, role: Role) -> Role:
    if text == ABSENT:
        return "faint"
    if key == "out":
        return "burst"
    return "muted" if key == "range" else role


def _indent(column: Column) -> int:
    """The range stands two cells from the bold figure before it."""
    return 2 if column.key == "range" else 0


def _bar(cell: Cell, top: float, width: int, roles: Roles, ground: Role) -> Sequence[Ink]:
    rate = cell.medians.get("client_tok_s")
    if rate is None:
        return ()
    halves = max(1, round(2 * width * min(1.0, rate / top)))
    step = ramp(cell.medians.get("tokens_per_chunk") or 0)
    return (("━" * (halves // 2) + "╸" * (halves % 2), roles.style(step, ground)),)


def cell_name(cell: Cell) -> str:
    """`shipped · code · T 0`, and the limit where there is one."""
    parts = [cell.label, cell.prompt.name]
    parts.append("T unset" if cell.params.temperature is None else f"T {numbers.temperature(cell.params.temperature)}")
    return shown(" · ".join(parts))


def cell_details(cell: Cell) -> str:
    """What else makes the cell: limit, further parameters, model, server."""
    params = cell.params
    parts = [f"max {numbers.count(params.max_tokens)}"] if params.max_tokens is not None else []
    parts += [f"{name} {value}" for name, value in sorted(params.extra.items())]
    parts += [cell.server.model] if cell.server.model else []
    parts += ["simulated"] if cell.simulated else [" ".join(filter(None, (cell.server.kind, cell.server.base_url.removeprefix("http://"))))]
    return shown(" · ".join(parts))
