"""The figures of a run in columns. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from sparktui.core.figures.burstscale import ramp
from sparktui.core.records import RunRecord
from sparktui.report.detail import Figure, groups
from sparktui.report.numbers import ABSENT
from sparktui.tui.drawing.pen import Ink, cells, cut
from sparktui.tui.drawing.roles import Role, Roles

COLUMN_CELLS = 40
_NAME_AT, _NUMBER_END, _UNIT_AT = 2, 27, 29
_UNITS = {"step_cost": "× base", "speedup": "× base"}


class Item(Struct, frozen=True):
    """One row of a column: a group's name, a figure, or nothing."""

    head: str = ""
    figure: Figure | None = None


Columns = tuple[tuple[Item, ...], ...]


def figure_columns(record: RunRecord, count: int) -> Columns:
    """Groups of figures in `count` columns: the first groups side by side, each further one below the shortest."""
    columns: list[list[Item]] = [[] for _ in range(count)]
    for number, (name, figures) in enumerate(_told(record)):
        column = columns[number] if number < count else min(columns, key=len)
        column += [Item()] if column else []
        column += [Item(head=name), *(Item(figure=figure) for figure in figures)]
    return tuple(tuple(column) for column in columns)


def _told(record: RunRecord) -> list[tuple[str, tuple[Figure, ...]]]:
    """The groups without what says nothing about this run, with p99 and the longest gap in one row, the server's time with the steps."""
    found = []
    moved = [figure for _, figures in groups(record) for figure in figures if figure.field == "server_decode_s"]
    for name, figures in groups(record):
        kept = [_as_shown(figure) for figure in figures if figure.field != "server_decode_s" and _says_something(figure, record)]
        if name == "Draft":
            kept = [*kept[:-2], *moved, *kept[-2:]] if record.server_decode_s is not None else kept
        found.append((name, tuple(_gaps_joined(kept))))
    return found


def _says_something(figure: Figure, record: RunRecord) -> bool:
    first, answer = record.ttft_s, record.ttft_content_s
    hidden = {
        "ttft_content_s": answer is None or (first is not None and abs(answer - first) < 0.001),
        "cached_tokens": not record.cached_tokens,
        "reasoning_tokens": not record.reasoning_tokens,
        "connect_s": not record.connect_s or record.connect_s < 0.0005,
        "bursts": record.bursts is None or record.bursts == record.chunks,
    }
    return not hidden.get(figure.field, False)


def _as_shown(figure: Figure) -> Figure:
    """Names and units that fit into a column."""
    unit, name = _UNITS.get(figure.field, figure.unit), figure.name.replace("p50 / p90", "p50/p90")
    return msgspec.structs.replace(figure, unit=unit, name=name) if (unit, name) != (figure.unit, figure.name) else figure


def _gaps_joined(figures: Sequence[Figure]) -> list[Figure]:
    """`gap p99 / max` in place of two rows."""
    p99 = next((figure for figure in figures if figure.name == "gap p99"), None)
    longest = next((figure for figure in figures if figure.name == "gap longest"), None)
    if p99 is None or longest is None:
        return list(figures)
    number = ABSENT if ABSENT in (p99.number, longest.number) else f"{p99.number} / {longest.number}"
    joined = Figure("gap p99 / max", number, p99.unit, p99.field)
    return [joined if figure is p99 else figure for figure in figures if figure is not longest]


def item_inks(item: Item, record: RunRecord, roles: Roles, *, cursor: bool) -> list[tuple[int, Ink]]:
    """A row of a column: pieces with their cells, figures right-aligned."""
    ground: Role = "cursor" if cursor else "background"
    if item.head:
        return [(1, (item.head, roles.style(bold=True)))]
    figure = item.figure
    if figure is None:
        return []
    absent = figure.number == ABSENT
    number: Ink = (figure.number, roles.style("faint" if absent else _number_role(figure, record), ground, bold=not absent))
    unit = "" if absent else figure.unit
    inks: list[tuple[int, Ink]] = [(1, ("▸", roles.style("accent", ground)))] if cursor else []
    inks.append((_NAME_AT, (figure.name, roles.style("muted", ground))))
    number_at = max(_NAME_AT + len(figure.name) + 1, _NUMBER_END - cells([number]) + 1)
    unit_at = max(_UNIT_AT, number_at + cells([number]) + 1)
    inks += [(number_at, number), (unit_at, (cut(unit, COLUMN_CELLS - unit_at - 1), roles.style("muted", ground)))]
    return inks


def _number_role(figure: Figure, record: RunRecord) -> Role:
    """The headline in accent, tokens per chunk in its ramp colour."""
    if figure.field == "client_tok_s":
        return "accent"
    return ramp(record.tokens_per_chunk or 0) if figure.field == "tokens_per_chunk" else "text"
