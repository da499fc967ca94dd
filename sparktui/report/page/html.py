"""A page as one HTML file: style sheet and pictures inside, no script, and nothing fetched when it is opened."""

from __future__ import annotations

from functools import singledispatch
from html import escape
from importlib import resources

from sparktui.core.scrub import scrub
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
    Section,
    Terms,
    Timelines,
    Words,
)  # fmt: skip
from sparktui.report.page.svgbars import memory_picture, rate_picture
from sparktui.report.page.svgcurve import curve_picture
from sparktui.report.page.svginterval import interval_picture
from sparktui.report.page.svgstrips import strip_pictures
from sparktui.report.table import Table

# a second lock: even what slipped through could fetch nothing
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_RATES = "Bar: the median, coloured by tokens per chunk as in the timelines. Dots: runs. Upright line: the server's own median."
_MEMORY = "Used at the peak / total. Filled: in use before the runs. Beyond it: added at the peak. Pale: available."
_INTERVALS = "Dot: ratio of medians. Line: its 95 % interval. Upright line: 1, as fast as the baseline. Band: within ±2 tok/s of it."
_CURVE = "A mark a run; the line goes through the medians."


def render_html(page: Page) -> bytes:
    """The file's bytes, UTF-8."""
    style = resources.files("sparktui").joinpath("report", "page", "report.css").read_text(encoding="utf-8")
    links = "".join(f'<li><a href="#{section.name}">{_text(section.title)}</a></li>' for section in page.sections)
    lines = [
        "<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">', '<meta name="referrer" content="no-referrer">',
        f"<title>{_text(page.title)}</title>", f"<style>\n{style}</style>", "</head>", "<body>", "<header>",
        f"<h1>{_text(page.title)}</h1>", f'<p class="sub">{_text(page.subtitle)}</p>',
        *([f'<p class="banner">{_text(page.banner)}</p>'] if page.banner else []), f'<p class="lead">{_text(page.lead)}</p>',
        f"<nav><ul>{links}</ul></nav>", "</header>", "<main>",
        *(line for section in page.sections for line in _section(section)),
        "</main>", f"<footer>{_text(page.footer)}</footer>", "</body>", "</html>", "",
    ]  # fmt: skip
    return "\n".join(lines).encode()


def _section(section: Section) -> list[str]:
    body = [line for block in section.blocks for line in _block(block)]
    return [f'<section id="{section.name}">', f"<h2>{_text(section.title)}</h2>", *body, "</section>"]


@singledispatch
def _block(block: Block) -> list[str]:
    raise TypeError(f"{type(block).__name__} has no form in HTML")


@_block.register
def _heading(block: Heading) -> list[str]:
    level = block.level + 2
    return [f"<h{level}>{_text(block.text)}</h{level}>"]


@_block.register
def _words(block: Words) -> list[str]:
    return [f'<p class="{block.tone}">{_text(block.text)}</p>']


@_block.register
def _bullets(block: Bullets) -> list[str]:
    behind = [f'<br><span class="formula">{_text(formula)}</span>' if formula else "" for _, formula in block.items]
    return ["<ul>", *(f"<li>{_text(text)}{formula}</li>" for (text, _), formula in zip(block.items, behind, strict=True)), "</ul>"]


@_block.register
def _rows(block: Rows) -> list[str]:
    caption = [f"<caption>{_text(block.caption)}</caption>"] if block.caption else []
    return ['<div class="scroll" tabindex="0">', "<table>", *caption, *_table(block.table), "</table>", "</div>"]


@_block.register
def _timelines(block: Timelines) -> list[str]:
    legend, pictures = strip_pictures(block)
    lines = ['<figure class="strips">']
    for strip, picture in zip(block.strips, pictures, strict=True):
        lines += [f'<p class="name"><b>{_text(strip.title)}</b> <span class="muted">{_text(strip.detail)}</span></p>']
        lines += [f'<div class="scroll" tabindex="0">{picture}</div>']
    return [*lines, f"<figcaption>{_text(legend)}</figcaption>", "</figure>"]


@_block.register
def _rate_plot(block: RatePlot) -> list[str]:
    return _figure(rate_picture(block), block.title, _RATES)


@_block.register
def _curve_plot(block: CurvePlot) -> list[str]:
    return _figure(curve_picture(block), block.title, _CURVE)


@_block.register
def _memory_plot(block: MemoryPlot) -> list[str]:
    return _figure(memory_picture(block), block.title, _MEMORY)


@_block.register
def _interval_plot(block: IntervalPlot) -> list[str]:
    return _figure(interval_picture(block), f"{block.title}, against {block.baseline}", _INTERVALS)


@_block.register
def _terms(block: Terms) -> list[str]:
    lines = ['<dl class="terms">']
    for one in block.definitions:
        lines.append(f"<dt>{_text(one.name)} <code>{_text(one.field)}</code></dt>")
        lines.append(f'<dd><span class="formula">{_text(one.plain_formula())}</span><br>{_text(one.meaning.replace("`", ""))}</dd>')
    return [*lines, "</dl>"]


def _figure(picture: str, title: str, caption: str) -> list[str]:
    text = f"<figcaption><b>{_text(title)}.</b> {_text(caption)}</figcaption>"
    return ["<figure>", f'<div class="scroll" tabindex="0">{picture}</div>', text, "</figure>"]


def _table(table: Table) -> list[str]:
    kinds = ["num" if column.right else "txt" for column in table.columns]
    heads = "".join(f'<th class="{kind}" scope="col">{_text(column.title)}</th>' for kind, column in zip(kinds, table.columns, strict=True))
    lines = [f"<thead><tr>{heads}</tr></thead>", "<tbody>"]
    for row in table.rows:
        cells = "".join(f'<td class="{kind}">{_text(cell)}</td>' for kind, cell in zip(kinds, row.cells, strict=True))
        lines.append(f'<tr class="{row.kind}">{cells}</tr>')
    return [*lines, "</tbody>"]


def _text(text: str) -> str:
    """Foreign text on one line, with everything made harmless that HTML or the eye could take for something else."""
    return escape(" ".join(scrub(text).split()))
