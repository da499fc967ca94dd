"""A page read back as a browser would: its elements, its text, its tables."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

_VOID = {"meta", "br"}


class Read(HTMLParser):
    """`tags`: (name, attributes) of every element; `tables`: rows of cell texts; `open` is empty where every element was closed."""

    def __init__(self, data: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.texts: dict[str, list[str]] = {}
        self.sections: list[str] = []
        self.feed(data.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self.tables[-1][-1].append("")
        elif tag == "section":
            self.sections.append(dict(attrs)["id"] or "")
        self.texts.setdefault(tag, []).append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.texts[tag][-1] += data
        if self.open and self.open[-1] in {"td", "th"}:
            self.tables[-1][-1][-1] += data

    def names(self) -> set[str]:
        return {name for name, _ in self.tags}


def cells_of_markdown(text: str) -> list[list[list[str]]]:
    """The tables of a Markdown page, escapes undone; the rule below the heads left out."""
    tables: list[list[list[str]]] = []
    before = False
    for line in text.split("\n"):
        is_row = line.startswith("| ")
        if is_row and not before:
            tables.append([])
        if is_row and not set(line) <= set("| -:"):
            tables[-1].append([cell.strip() for cell in _plain(line)[2:-2].split(" | ")])
        before = is_row
    return tables


def _plain(line: str) -> str:
    return unescape(re.sub(r"\\(?=[_*~\[\]`|])", "", line))
