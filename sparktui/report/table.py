"""Tables as data, and as aligned lines or Markdown. Text from outside is scrubbed here, so that no caller can forget it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from sparktui.core.scrub import scrub

Kind = Literal["run", "left_out", "summary"]

_SPECIAL = re.compile(r"[\\`*\[\]<>|~]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)")
_GAP = "  "


class Column(Struct, frozen=True, kw_only=True):
    """`right`: numbers. `drop`: columns with the highest number go first where the width is short; 0 never goes."""

    title: str
    right: bool = True
    drop: int = 0


class Row(Struct, frozen=True):
    """One text a column. `left_out` rows are shown muted, a `summary` is set off from the runs above it."""

    cells: tuple[str, ...]
    kind: Kind = "run"


class Table(Struct, frozen=True):
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    def without(self, titles: Sequence[str]) -> Table:
        """The table without some columns."""
        kept = [number for number, column in enumerate(self.columns) if column.title not in titles]
        rows = tuple(Row(tuple(row.cells[number] for number in kept), row.kind) for row in self.rows)
        return Table(tuple(self.columns[number] for number in kept), rows)

    def without_empty(self, absent: str, titles: Sequence[str]) -> Table:
        """The table without those of the columns in `titles` that hold nothing in any row."""
        empty = [
            column.title
            for number, column in enumerate(self.columns)
            if column.title in titles and all(row.cells[number] in ("", absent) for row in self.rows)
        ]
        return self.without(empty)

    def fitted(self, width: int) -> Table:
        """The table with whole columns dropped until a line fits into `width` cells."""
        table = self
        while sum(widths(table)) + len(_GAP) * (len(table.columns) - 1) > width:
            going = max(table.columns, key=lambda column: column.drop, default=None)
            if going is None or going.drop == 0:
                return table
            table = table.without((going.title,))
        return table


def cell_text(text: str) -> str:
    """Foreign text on one line: control characters taken out, line ends as spaces."""
    return " ".join(scrub(text, keep_newlines=True).split())


def widths(table: Table) -> list[int]:
    """Width of each column in terminal cells."""
    from rich.cells import cell_len

    found = [cell_len(column.title) for column in table.columns]
    for row in table.rows:
        for number, text in enumerate(row.cells):
            found[number] = max(found[number], cell_len(text))
    return found


def plain_lines(table: Table) -> list[str]:
    """The table as aligned lines, a summary after a blank-free rule-less list: no characters but the figures' own."""
    from rich.cells import cell_len

    columns, room = table.columns, widths(table)

    def line(texts: Sequence[str]) -> str:
        padded = []
        for column, text, width in zip(columns, texts, room, strict=True):
            space = " " * (width - cell_len(text))
            padded.append(space + text if column.right else text + space)
        return _GAP.join(padded).rstrip()

    return [line([column.title for column in columns]), *(line(row.cells) for row in table.rows)]


def markdown_lines(table: Table) -> list[str]:
    """The table in Markdown; every cell escaped."""
    rule = ["---:" if column.right else "---" for column in table.columns]
    head = [escaped(column.title) for column in table.columns]
    return [_pipes(head), _pipes(rule), *(_pipes([escaped(text) for text in row.cells]) for row in table.rows)]


def escaped(text: str) -> str:
    """`text` on one line with everything that Markdown or HTML would read as markup made harmless."""
    return _SPECIAL.sub(_harmless, cell_text(text))


def fenced(text: str) -> list[str]:
    """`text` as a code block whose fence is longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *scrub(text, keep_newlines=True).split("\n"), fence]


def _harmless(match: re.Match[str]) -> str:
    character = match[0]
    return {"<": "&lt;", ">": "&gt;", "&": "&amp;"}.get(character, "\\" + character)


def _pipes(texts: Sequence[str]) -> str:
    return "| " + " | ".join(texts) + " |"
