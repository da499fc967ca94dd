"""A page as Markdown: the same tables and sentences; burst timelines as text, since most viewers show no SVG."""

from __future__ import annotations

from functools import singledispatch

from sparktui.report.intervalplot import plot, scale_for, title
from sparktui.report.page.parts import (
    Block,
    Bullets,
    CurvePlot,
    Heading,
    IntervalPlot,
    MemoryPlot,
    Page,
    RatePlot,
    Rows,
    Terms,
    Timelines,
    Words,
)  # fmt: skip
from sparktui.report.strip import strip_lines
from sparktui.report.table import Column, Row, Table, cell_text, escaped, fenced, markdown_lines, plain_lines

_STRIP_WIDTH = 112


def render_page_markdown(page: Page) -> bytes:
    """The file's bytes, UTF-8."""
    lines = [f"# {escaped(page.title)}", "", escaped(page.subtitle), ""]
    lines += [f"**{escaped(page.banner)}**", ""] if page.banner else []
    lines += [escaped(page.lead), ""]
    for section in page.sections:
        lines += [f"## {escaped(section.title)}", ""]
        lines += [line for block in section.blocks for line in _block(block)]
    return "\n".join(lines).encode()


@singledispatch
def _block(block: Block) -> list[str]:
    raise TypeError(f"{type(block).__name__} has no form in Markdown")


@_block.register
def _heading(block: Heading) -> list[str]:
    return [f"{'#' * (block.level + 2)} {escaped(block.text)}", ""]


@_block.register
def _words(block: Words) -> list[str]:
    return [f"**{escaped(block.text)}**" if block.tone == "strong" else escaped(block.text), ""]


@_block.register
def _bullets(block: Bullets) -> list[str]:
    return [*(f"- {escaped(text)}" + (f"  \n  {escaped(formula)}" if formula else "") for text, formula in block.items), ""]


@_block.register
def _rows(block: Rows) -> list[str]:
    caption = [escaped(block.caption), ""] if block.caption else []
    return [*caption, *markdown_lines(block.table), ""]


@_block.register
def _timelines(block: Timelines) -> list[str]:
    lines = []
    for strip in block.strips:
        lines += [f"**{escaped(strip.title)}** {escaped(strip.detail)}", "", *fenced("\n".join(strip_lines(strip.marks, _STRIP_WIDTH))), ""]
    return lines


@_block.register(RatePlot)
@_block.register(CurvePlot)
@_block.register(MemoryPlot)
def _plot(_block: RatePlot | CurvePlot | MemoryPlot) -> list[str]:
    """Its figures are in the table beside it."""
    return []


@_block.register
def _interval_plot(block: IntervalPlot) -> list[str]:
    """The plot of the console, in a font in which its columns stand."""
    scale = scale_for([found for _, _, found in block.rows])
    columns = (Column(title="", right=False), Column(title=title(scale), right=False), Column(title="", right=False))
    rows = tuple(Row((cell_text(name), plot(found, scale), verdict)) for name, verdict, found in block.rows)
    caption = f"{block.title}, against {block.baseline}; ▁ is within ±2 tok/s of it"
    return [escaped(caption), "", *fenced("\n".join(plain_lines(Table(columns, rows)))), ""]


@_block.register
def _terms(block: Terms) -> list[str]:
    lines = []
    for one in block.definitions:
        meaning = one.meaning.replace("`", "")
        lines.append(f"- **{escaped(one.name)}** (`{one.field}`): {escaped(one.plain_formula())}  \n  {escaped(meaning)}")
    return [*lines, ""]
