"""Runs as rows of the history table: one text a column, what is left out of medians, and how rows sort. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from msgspec import Struct

from sparktui.core.needleplan import needle_note
from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import Cell, is_counted
from sparktui.report import numbers
from sparktui.report.numbers import ABSENT


class Column(Struct, frozen=True):
    """`width` includes the space before it; `right`: aligned to its last cell."""

    key: str
    title: str
    width: int
    right: bool = True


_COLUMNS = (
    Column("when", "when", 6, right=False),
    Column("label", "label", 9, right=False),
    Column("prompt", "prompt", 7, right=False),
    Column("temperature", "T", 4),
    Column("ttft", "TTFT s", 7),
    Column("client", "client tok/s", 13),
    Column("server", "server", 8),
    Column("chunks", "chunks", 7),
    Column("per_chunk", "tok/chunk", 10),
    Column("draft", "draft", 9),
    Column("percent", "%", 6),
    Column("per_step", "tok/step", 9),
)
_NARROW = ("when", "prompt", "temperature", "ttft", "client", "server", "chunks", "per_chunk", "percent")
NOTE = Column("note", "note", 0, right=False)
_ALL_FROM = 100
_NOTE_BESIDE_ALL_FROM = 112


class HistoryRow(Struct, frozen=True, kw_only=True):
    """`texts` by column key. `counted` False mutes the row: it is left out of medians, and `note` says why."""

    id: str
    texts: dict[str, str]
    note: str = ""
    counted: bool = True


def columns_for(width: int) -> tuple[Column, ...]:
    """The columns of a table `width` cells wide: all of them, or the narrow set as far as it fits.

    A table that is only just wide gives its last column to the note: why a run does not count matters more.
    """
    if width >= _ALL_FROM:
        return _COLUMNS if width >= _NOTE_BESIDE_ALL_FROM else _COLUMNS[:-1]
    kept, used = [], 2
    for column in _COLUMNS:
        if column.key in _NARROW and used + column.width <= width:
            kept.append(column)
            used += column.width
    return tuple(kept)


def run_row(record: RunRecord, today: datetime) -> HistoryRow:
    """One run."""
    counted, reason = is_counted(record)
    estimated = record.tokens_estimated
    texts = {
        "when": numbers.when(record.started_at, today),
        "label": record.label,
        "prompt": record.prompt.name,
        "temperature": _temperature(record.params.temperature),
        "ttft": numbers.seconds_number(record.ttft_s),
        "client": numbers.tok_s(record.client_tok_s, estimated=estimated),
        "server": numbers.tok_s(record.server_tok_s),
        "chunks": numbers.count(record.chunks),
        "per_chunk": numbers.per_chunk(record.tokens_per_chunk, estimated=estimated),
        "draft": numbers.drafts(record.draft_accepted, record.draft_proposed, tight=True),
        "percent": numbers.percent_number(record.acceptance_rate),
        "per_step": numbers.per_step(record.tokens_per_step),
    }
    notes = [needle_note(record.needle), *([reason] if not counted else [])]
    notes += [flag.replace("_", " ") for flag in record.flags if flag.replace("_", " ") not in reason]
    return HistoryRow(id=record.id, texts=texts, note=", ".join(note for note in notes if note), counted=counted)


def cell_row(cell: Cell) -> HistoryRow:
    """The medians of one cell; its id is the newest run's."""
    figures = cell.medians
    texts = {
        "when": f"n {cell.n}",
        "label": cell.label,
        "prompt": cell.prompt.name,
        "temperature": _temperature(cell.params.temperature),
        "ttft": numbers.seconds_number(figures.get("ttft_s")),
        "client": numbers.tok_s(figures.get("client_tok_s")),
        "server": numbers.tok_s(figures.get("server_tok_s")),
        "chunks": numbers.count(figures.get("chunks")),
        "per_chunk": numbers.per_chunk(figures.get("tokens_per_chunk")),
        "draft": numbers.drafts(cell.draft_accepted, cell.draft_proposed, tight=True),
        "percent": numbers.percent_number(cell.acceptance_rate),
        "per_step": numbers.per_step(figures.get("tokens_per_step")),
    }
    note = "left out: " + ", ".join(f"{count} {reason}" for reason, count in cell.excluded.items()) if cell.n_excluded else ""
    return HistoryRow(id=cell.run_ids[-1], texts=texts, note=note, counted=cell.n > 0)


_SORTS: dict[str, Callable[[RunRecord], float | str | None]] = {
    "when": lambda record: record.started_at,
    "label": lambda record: record.label,
    "prompt": lambda record: record.prompt.name,
    "temperature": lambda record: record.params.temperature,
    "ttft": lambda record: record.ttft_s,
    "client": lambda record: record.client_tok_s,
    "server": lambda record: record.server_tok_s,
    "chunks": lambda record: record.chunks,
    "per_chunk": lambda record: record.tokens_per_chunk,
    "draft": lambda record: record.draft_accepted,
    "percent": lambda record: record.acceptance_rate,
    "per_step": lambda record: record.tokens_per_step,
}


def sorted_records(records: Iterable[RunRecord], key: str, *, descending: bool) -> list[RunRecord]:
    """By one column; runs without that figure come last, equal ones newest first."""
    value = _SORTS[key]
    newest_first = sorted(records, key=lambda record: (record.started_at, record.id), reverse=True)
    known = [record for record in newest_first if value(record) is not None]
    unknown = [record for record in newest_first if value(record) is None]
    return sorted(known, key=value, reverse=descending) + unknown  # type: ignore[arg-type]


def matches(record: RunRecord, wanted: str) -> bool:
    """Whether every word of a filter is in the run's label, prompt, model, status or flags."""
    text = " ".join((record.label, record.prompt.name, record.server.model, record.status, record.id, *record.flags)).casefold()
    return all(word in text for word in wanted.casefold().split())


def _temperature(value: float | None) -> str:
    return ABSENT if value is None else numbers.temperature(value)
