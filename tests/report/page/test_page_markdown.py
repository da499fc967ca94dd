"""The Markdown page: the tables of the HTML one, timelines as text, and nothing that a viewer would take for markup."""

from __future__ import annotations

from collections.abc import Callable

from markdown_it import MarkdownIt

from sparktui.report.page.content import page_of
from sparktui.report.page.parts import Rows
from sparktui.report.page.render import render_page
from sparktui.report.strip import strip_lines
from tests.report.page.reading import cells_of_markdown
from tests.report.page.samples import AT, bench, hostile, needles, sweep


def test_golden(golden: Callable[[str, bytes], None]) -> None:
    golden("report/page.md", render_page(page_of([*bench(), *needles(), *sweep()], made_at=AT), "md"))


def test_the_tables_are_the_pages() -> None:
    found = page_of([*bench(), *needles(), *sweep()], made_at=AT)
    tables = [block.table for section in found.sections for block in section.blocks if isinstance(block, Rows)]
    text = render_page(found, "md").decode()
    assert cells_of_markdown(text) == [
        [[column.title for column in table.columns], *(list(row.cells) for row in table.rows)] for table in tables
    ]


def test_timelines_are_text_strips() -> None:
    text = render_page(page_of(bench(), made_at=AT), "md").decode()
    assert "```text\n" + "\n".join(strip_lines(bench()[2].timeline or (), 112)) + "\n```" in text
    assert "<svg" not in text


def test_intervals_stand_on_their_scale() -> None:
    text = render_page(page_of(sweep(), made_at=AT), "md").decode()
    lines = text.partition("within ±2 tok/s of it\n\n```text\n")[2].partition("\n```")[0].split("\n")
    assert lines[0].split() == ["0.90", "1", "1.10"] and lines[1].startswith("8-bit cache  ") and "●" in lines[1]
    assert lines[1].index("●") in range(lines[0].index("0.90"), lines[0].index("1.10") + 4)


def test_hostile_text_is_only_text() -> None:
    data = render_page(page_of(hostile(), made_at=AT, strips="all"), "md").decode()
    assert "\x1b" not in data and "\u202e" not in data
    tokens = MarkdownIt("commonmark").enable("table").parse(data)
    inner = [child for token in tokens for child in token.children or ()]
    kinds = {token.type for token in (*tokens, *inner)}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "autolink"}, kinds
    codes = {child.content for child in inner if child.type == "code_inline"}
    assert all(code.isidentifier() for code in codes), "only the figures' own field names are code"
