"""The HTML page: well formed, nothing fetched, nothing foreign taken for markup, and every table whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from sparktui.core.records import RunRecord
from sparktui.errors import UsageError
from sparktui.report.page import render
from sparktui.report.page.content import page_of
from sparktui.report.page.parts import Page, Rows
from sparktui.report.page.render import form_of, render_page
from tests.report.page.reading import Read
from tests.report.page.samples import AT, HOSTILE, bench, hostile, needles, sweep

_LOADS = {"src", "srcset", "data", "poster", "background", "action", "formaction", "ping", "manifest", "xlink:href", "style"}
_ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "h4", "p", "nav", "ul", "li", "a", "main",
    "section", "figure", "figcaption", "b", "span", "br", "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "dl", "dt",
    "dd", "code", "footer", "svg", "path", "rect", "line", "circle", "text", "polyline", "polygon",
}  # fmt: skip


def page(records: Sequence[RunRecord], **options: str) -> Page:
    return page_of(records, made_at=AT, **options)  # type: ignore[arg-type]


def everything() -> Page:
    return page([*bench(), *needles(), *sweep()], strips="all")


def test_golden(golden: Callable[[str, bytes], None]) -> None:
    data = render_page(page([*bench(), *needles(), *sweep()]), "html")
    golden("report/page.html", re.sub(rb"<style>.*?</style>", b"<style></style>", data, flags=re.DOTALL))


def test_elements_are_closed_and_sections_are_the_pages() -> None:
    found = everything()
    read = Read(render_page(found, "html"))
    assert read.open == []
    assert read.sections == [section.name for section in found.sections]
    anchors = [attributes["href"] for name, attributes in read.tags if name == "a"]
    assert anchors == [f"#{name}" for name in read.sections]
    assert {"svg", "table", "dl"} <= read.names() <= _ALLOWED


@pytest.mark.parametrize("records", [[*bench(), *needles(), *sweep()], hostile()], ids=["plain", "hostile"])
def test_nothing_is_fetched(records: list[RunRecord]) -> None:
    data = render_page(page(records, strips="all"), "html")
    for name, attributes in Read(data).tags:
        assert name in _ALLOWED, name
        assert not _LOADS & set(attributes), (name, attributes)
        assert not any(key.startswith("on") for key in attributes)
        assert name == "a" or "href" not in attributes
    style = re.findall(r"<style>(.*?)</style>", data.decode(), re.DOTALL)
    assert len(style) == 1 and not re.search(r"url\(|@import|@font-face|expression", style[0])
    policy = [attributes["content"] for _, attributes in Read(data).tags if attributes.get("http-equiv") == "Content-Security-Policy"]
    assert policy and str(policy[0]).startswith("default-src 'none'; style-src 'unsafe-inline';")


def test_hostile_text_is_only_text() -> None:
    found = page(hostile(), strips="all", title=HOSTILE)
    data = render_page(found, "html")
    read = Read(data)
    assert read.open == [] and read.names() <= _ALLOWED
    assert b"<script" not in data and b"\x1b" not in data and "\u202e" not in data.decode()
    shown = HOSTILE.replace("\x1b", "␛").replace("\u202e", "␦")
    assert read.texts["h1"] == [shown]
    assert any(shown in text for text in read.texts["td"])
    assert any("<script>alert(1)</script>" in text for text in read.texts["text"]), "names in the pictures"
    # foreign text stands in no attribute
    assert not [value for _, attributes in read.tags for value in attributes.values() if value and "alert" in value]


def test_every_cell_of_every_table_is_there() -> None:
    found = everything()
    tables = [block for section in found.sections for block in section.blocks if isinstance(block, Rows)]
    assert len(tables) > 8
    read = Read(render_page(found, "html"))
    assert read.tables == [
        [[column.title for column in block.table.columns], *(list(row.cells) for row in block.table.rows)] for block in tables
    ]


def test_the_picture_stands_for_the_plot_in_text() -> None:
    read = Read(render_page(page(sweep()), "html"))
    heads = next(table[0] for table in read.tables if "verdict" in table[0])
    assert not any("0.90" in head for head in heads) and "95 % interval" in heads


def test_light_and_dark_print_and_phones_are_provided_for() -> None:
    data = render_page(page(bench()), "html").decode()
    assert "prefers-color-scheme: dark" in data and "@media print" in data and "tabular-nums" in data
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in data


def test_forms_by_suffix_or_name() -> None:
    assert [form_of(name) for name in ("a.html", "a.HTM", "a.md", "a.markdown")] == ["html", "html", "md", "md"]
    assert form_of("page.txt", "html") == "html"
    for path, asked, why in (
        ("runs.csv", None, "A report is .html or .md; .csv is an export."), ("page", None, "page does not say what to write."),
        ("page.pdf", None, "page.pdf does not say what to write."), ("x", "htlm", "There is no report format 'htlm'."),
    ):  # fmt: skip
        with pytest.raises(UsageError) as caught:
            form_of(path, asked)
        assert caught.value.title == why and caught.value.hint


def test_without_the_library_html_is_refused_and_markdown_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="needs the extra `report`") as caught:
        form_of("page.html")
    assert "./run.sh report" in caught.value.hint and "sparktui[report]" in caught.value.hint
    assert form_of("page.md") == "md"
