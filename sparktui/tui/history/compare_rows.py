"""The comparison of marked cells as rows: numbers, the interval on one scale, the words. Pure; the figures are report.comparing's."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from msgspec import Struct
from rich.cells import cell_len
from textual.strip import Strip

from sparktui.core.stats.cells import Cell
from sparktui.core.stats.statistics import Comparison
from sparktui.report import numbers
from sparktui.report.comparing import Matched, Side, match, remarks, verdict
from sparktui.report.intervalplot import plot, scale_for, title
from sparktui.report.numbers import ABSENT
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.pen import Ink, Line, cut
from sparktui.tui.drawing.prose import wrapped
from sparktui.tui.drawing.roles import Role, Roles
from sparktui.tui.history.history_book import CellEntry
from sparktui.tui.history.history_rows import Column

FIRST = 3
Scale = tuple[float, float]
_COLUMNS = (
    Column("b", "B", 12, right=False),
    Column("median", "median", 7),
    Column("difference", "B − A", 8),
    Column("ratio", "ratio", 8),
    Column("interval", "95 % interval", 17, right=False),
    Column("plot", "", 34, right=False),
    Column("verdict", "verdict", 26, right=False),
)
_DROPPED_FIRST = ("difference", "plot", "median", "interval")
_LEAST_PLOT, _WIDEST_PLOT, _LEAST_NAME, _LONGEST_NAME = 24, 62, 12, 40
_AFTER_PLOT = 3
_PLOTTED = "├──●──┤ is the interval and the ratio of the medians, ┊ is 1.00 (no change), ▁ within ±2 tok/s of A."
_ROLES: dict[str, Role] = {"faster": "good", "slower": "bad", "no difference shown": "muted", "too few runs": "muted"}


class Compared(Struct, frozen=True):
    """A against every B. `names`: how the sides are told apart, A first."""

    matched: Matched
    names: tuple[str, ...]

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        return self.matched.comparisons


def compared(entries: Sequence[CellEntry]) -> Compared | None:
    """The first cell against each of the others; None for fewer than two."""
    if len(entries) < 2:
        return None
    names = side_names(entries)
    sides = [Side(name, entry.runs) for name, entry in zip(names, entries, strict=True)]
    return Compared(match(sides[0], sides[1:])[0], names)


def side_names(entries: Sequence[CellEntry]) -> tuple[str, ...]:
    """Names made of what differs between these cells: label, prompt, temperature, limit, model, server; the label where all is equal."""
    parts = [_name_parts(entry.cell) for entry in entries]
    telling = [at for at, values in enumerate(zip(*parts, strict=True)) if len(set(values)) > 1]
    return tuple(" · ".join(own[at] for at in telling if own[at]) or own[0] for own in parts)


def _name_parts(cell: Cell) -> tuple[str, ...]:
    params, server = cell.params, cell.server
    extra = ", ".join(f"{name} {value}" for name, value in sorted(params.extra.items()))
    limit = "" if params.max_tokens is None else f"max {numbers.count(params.max_tokens)}"
    temperature = "T unset" if params.temperature is None else f"T {numbers.temperature(params.temperature)}"
    where = "simulated" if cell.simulated else " ".join(filter(None, (server.kind, server.base_url.removeprefix("http://"))))
    return tuple(shown(part) for part in (cell.label, cell.prompt.name, temperature, limit, extra, server.model, where))


def columns_for(width: int, longest_name: int) -> tuple[Column, ...]:
    """What fits into `width` cells: the plot goes first, the verdict never."""
    kept = list(_COLUMNS)
    name = max(_LEAST_NAME, min(_LONGEST_NAME, longest_name + 2))
    for key in ("", *_DROPPED_FIRST):
        kept = [column for column in kept if column.key != key]
        least = sum(_LEAST_PLOT if column.key == "plot" else column.width for column in kept)
        if FIRST + least <= width:
            break
    sizes = {column.key: column.width for column in kept}
    if "plot" in sizes:
        sizes["plot"] = _LEAST_PLOT
    spare = width - FIRST - sum(sizes.values())
    for key, widest in (("b", name), ("plot", _COLUMNS[5].width), ("plot", _WIDEST_PLOT)):
        if key in sizes and spare > 0:
            more = max(0, min(spare, widest - sizes[key]))
            sizes[key] += more
            spare -= more
    return tuple(Column(column.key, column.title, sizes[column.key], right=column.right) for column in kept)


def compare_rows(found: Compared, width: int, roles: Roles) -> list[Strip]:
    """Column heads, a row for every B, and below them what has to be said."""
    columns = columns_for(width, max(cell_len(name) for name in found.names))
    scale = scale_for(found.comparisons)
    rows = [_head(columns, scale, width, roles)]
    for name, comparison in zip(found.names[1:], found.comparisons, strict=True):
        line = Line(width, roles.style())
        _write(line, name, comparison, columns, scale=scale, roles=roles)
        rows.append(line.strip())
    plotted = any(column.key == "plot" for column in columns)
    said = [_sides(found.comparisons) + (f" {_PLOTTED}" if plotted else ""), *remarks(found.matched)]
    return rows + [_said(line, width, roles) for text in said for line in wrapped(shown(text), width - FIRST - 1)]


def _sides(comparisons: Sequence[Comparison]) -> str:
    """`n = 3 a side`, or every number where they differ."""
    counts = {comparisons[0].n_a, *(found.n_b for found in comparisons)}
    if len(counts) == 1:
        return f"n = {counts.pop()} a side."
    return f"n = {comparisons[0].n_a} against {', '.join(str(found.n_b) for found in comparisons)}."


def _said(text: str, width: int, roles: Roles) -> Strip:
    line = Line(width, roles.style())
    line.put(FIRST, (text, roles.style("muted")))
    return line.strip()


def _head(columns: Sequence[Column], scale: Scale, width: int, roles: Roles) -> Strip:
    line = Line(width, roles.style())
    muted = roles.style("muted")
    x, before = FIRST, ""
    for column in columns:
        if column.key == "plot":
            line.put(x, (title(scale, _plot_width(column)), muted))
        elif column.right:
            line.end(x + column.width - 1, (column.title, muted))
        else:
            line.put(x + _indent(column, before), (column.title, muted))
        x, before = x + column.width, column.key
    return line.strip()


def _write(line: Line, name: str, found: Comparison, columns: Sequence[Column], *, scale: Scale, roles: Roles) -> None:
    role = _ROLES[found.verdict]
    texts = {
        "b": shown(name), "median": numbers.tok_s(found.median_b), "difference": numbers.difference(found.difference),
        "ratio": numbers.ratio(found.ratio), "interval": numbers.interval(found.low, found.high),
    }  # fmt: skip
    x, before = FIRST, ""
    for column in columns:
        if column.key == "plot":
            line.put(x, *plot_inks(found, scale, _plot_width(column), roles))
        elif column.key == "verdict":
            glyph, _, words = verdict(found).partition(" ")
            loud = role in ("good", "bad")
            said = roles.style("text" if loud else "muted", bold=loud)
            line.put(x + _indent(column, before), (f"{glyph} ", roles.style(role, bold=loud)), (words, said))
        else:
            text = texts[column.key]
            shade: Role = "faint" if text == ABSENT else "muted" if column.key == "interval" else "text"
            style = roles.style(shade, bold=column.key in ("median", "ratio") and text != ABSENT)
            if column.right:
                line.end(x + column.width - 1, (text, style))
            else:
                line.put(x + _indent(column, before), (cut(text, column.width - 1), style))
        x, before = x + column.width, column.key


def plot_inks(found: Comparison, scale: Scale, width: int, roles: Roles) -> list[Ink]:
    """The drawn interval: its own part in the verdict's colour, `┊` at 1 and the ±2 tok/s band faint."""
    drawn = plot(found, scale, width)
    if not drawn:
        drawn = " " * ((width - 1) // 2) + "┊"
    role = _ROLES[found.verdict]
    style, faint = roles.style(role, bold=role in ("good", "bad")), roles.style("faint")
    return [("".join(part), faint if is_ground else style) for is_ground, part in groupby(drawn, lambda glyph: glyph in "┊▁")]


def _plot_width(column: Column) -> int:
    """An odd number of cells, so that 1 is in the middle of one."""
    return (column.width - _AFTER_PLOT - 1) | 1


def _indent(column: Column, before: str) -> int:
    """What is aligned to the left stands two cells from a number before it."""
    return 2 if before in ("median", "difference", "ratio") and not column.right else 0
