"""What a report page is made of, before anybody decides whether it becomes HTML or Markdown. All text here may be hostile."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from sparktui.core.records import ChunkMark
from sparktui.core.stats.statistics import Comparison
from sparktui.report.definitions import Definition
from sparktui.report.table import Table

Tone = Literal["plain", "muted", "strong"]


class Heading(Struct, frozen=True):
    """A heading inside a section; `level` 1 stands above 2."""

    text: str
    level: int = 1


class Words(Struct, frozen=True):
    """One paragraph."""

    text: str
    tone: Tone = "plain"


class Bullets(Struct, frozen=True):
    """Sentences one below the other, each with the formula behind it ("" for none)."""

    items: tuple[tuple[str, str], ...]


class Rows(Struct, frozen=True):
    """A table."""

    table: Table
    caption: str = ""


class Timeline(Struct, frozen=True):
    """The burst timeline of one run."""

    title: str
    detail: str
    marks: tuple[ChunkMark, ...]


class Timelines(Struct, frozen=True):
    """Burst timelines that share one clock and one height, so that they compare."""

    strips: tuple[Timeline, ...]


class Rate(Struct, frozen=True, kw_only=True):
    """A cell's decode rate, tokens/s: its runs, their median, the server's own median, and the tokens a chunk that set its colour."""

    name: str
    text: str
    values: tuple[float, ...]
    median: float
    server: float | None = None
    tokens_per_chunk: float | None = None


class RatePlot(Struct, frozen=True):
    title: str
    rates: tuple[Rate, ...]


class Series(Struct, frozen=True):
    """Points (prompt tokens, tokens/s) of one kind."""

    name: str
    points: tuple[tuple[float, float], ...]


class CurvePlot(Struct, frozen=True):
    """A rate over prompt length."""

    title: str
    series: tuple[Series, ...]


class MemoryUse(Struct, frozen=True, kw_only=True):
    """System memory in bytes; `text` is its row of figures."""

    name: str
    text: str
    used_before: int | None
    used_peak: int
    total: int


class MemoryPlot(Struct, frozen=True):
    title: str
    uses: tuple[MemoryUse, ...]


class IntervalPlot(Struct, frozen=True):
    """Ratios to the baseline with their intervals: (name, verdict's words, comparison)."""

    title: str
    baseline: str
    rows: tuple[tuple[str, str, Comparison], ...]


class Terms(Struct, frozen=True):
    """Definitions of figures."""

    definitions: tuple[Definition, ...]


Block = Heading | Words | Bullets | Rows | Timelines | RatePlot | CurvePlot | MemoryPlot | IntervalPlot | Terms


class Section(Struct, frozen=True):
    """`name` is its anchor: letters and hyphens of ours, never foreign text."""

    name: str
    title: str
    blocks: tuple[Block, ...]


class Page(Struct, frozen=True, kw_only=True):
    """`banner`: what must be known before any figure is read, "" for nothing."""

    title: str
    subtitle: str
    banner: str
    lead: str
    sections: tuple[Section, ...]
    footer: str
