"""Pages of the documentation as rows: headings, paragraphs, lists, tables, code. Ours alone is read here, no foreign text. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from sparktui.tui.drawing.pen import cut
from sparktui.tui.drawing.prose import Piece, TextRow
from sparktui.tui.drawing.roles import Role

_INLINE = re.compile(
    r"\*\*(?P<bold>[^*]+)\*\*|`(?P<code>[^`]+)`|\[(?P<link>[^\]]+)\]\([^)]*\)|(?<!\w)\*(?P<said>[^*\s](?:[^*]*[^*\s])?)\*(?!\w)"
)
_FIGURE = re.compile(r"^`(?P<field>\w+)` (?P<name>.+)$")
_ITEM = re.compile(r"^(?P<mark>[-*]|\d+\.) (?P<text>.+)$")
_LEFT, _WIDEST = 3, 110
_LEAST_COLUMN = 8


class Word(NamedTuple):
    """A word and how it is written; `glued`: it follows the one before without a space."""

    text: str
    role: Role
    bold: bool
    glued: bool


def doc_rows(text: str, width: int) -> list[TextRow]:
    """The rows of a page for `width` cells; a figure's heading has the field's name as its anchor, others their words."""
    room = max(20, min(_WIDEST, width - 2 * _LEFT))
    rows: list[TextRow] = []
    for kind, lines in _blocks(text):
        if kind == "code":
            rows += [TextRow((Piece(_LEFT + 2, cut(line, room - 2), "flow"),)) for line in lines]
        elif kind == "table":
            rows += _table(lines, room)
        elif kind == "heading":
            rows += _heading(lines[0], room)
            continue
        elif kind == "list":
            for line in lines:
                rows += _item(line, room)
        else:
            rows += _flowed(" ".join(lines), _LEFT, room)
        rows.append(TextRow())
    return rows


def plain(text: str) -> str:
    """A line of Markdown without its marks."""
    return _INLINE.sub(lambda match: next(part for part in match.groups() if part is not None), text)


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """(kind, lines) of each block: code without its fences, a list's items with their continuation lines joined."""
    lines: list[str] = []
    kind = "paragraph"
    in_code = False
    for line in [*text.splitlines(), ""]:
        if line.startswith("```"):
            if lines:
                yield kind, lines
            lines, kind, in_code = [], "paragraph" if in_code else "code", not in_code
            continue
        if in_code:
            lines.append(line)
            continue
        new = "heading" if line.startswith("#") else "table" if line.startswith("|") else "list" if _ITEM.match(line) else "paragraph"
        if kind == "list" and line.startswith("  ") and lines:
            lines[-1] += " " + line.strip()
            continue
        if lines and (new != kind or not line.strip() or kind == "heading"):
            yield kind, lines
            lines = []
        kind = new
        if line.strip():
            lines.append(line)


def _heading(line: str, room: int) -> list[TextRow]:
    level = len(line) - len(line.lstrip("#"))
    words = line[level:].strip()
    figure = _FIGURE.match(words)
    if figure:
        named = Piece(_LEFT, figure["name"], "accent", True)
        return [TextRow((named, Piece(_LEFT + cell_len(figure["name"]) + 2, figure["field"], "muted")), figure["field"])]
    text = plain(words)
    if level == 1:
        return [TextRow((Piece(_LEFT, cut(text, room), "text", True),), text), TextRow()]
    if level > 2:
        return [TextRow((Piece(_LEFT, cut(text, room), "accent", True),), text)]
    rule = Piece(_LEFT + cell_len(text) + 1, "─" * max(0, room - cell_len(text) - 1), "rule")
    return [TextRow((Piece(_LEFT, cut(text, room), "text", True), rule), text)]


def _item(line: str, room: int) -> list[TextRow]:
    match = _ITEM.match(line)
    assert match is not None
    mark = "·" if match["mark"] in "-*" else match["mark"]
    rows = _flowed(match["text"], _LEFT + len(mark) + 1, room - len(mark) - 1)
    first = rows[0] if rows else TextRow()
    return [TextRow((Piece(_LEFT, mark, "accent"), *first.pieces)), *rows[1:]]


def _words(text: str, role: Role = "text") -> list[Word]:
    """The words of a line of Markdown with their styles."""
    found: list[Word] = []
    at = 0
    spans: list[tuple[str, Role, bool]] = []
    for match in _INLINE.finditer(text):
        spans.append((text[at : match.start()], role, False))
        if (strong := match["bold"] or match["said"]) is not None:
            spans.append((strong, "text", True))
        elif match["code"] is not None:
            spans.append((match["code"], "flow", False))
        else:
            spans.append((match["link"], "flow", False))
        at = match.end()
    spans.append((text[at:], role, False))
    open_word = True
    for span, span_role, bold in spans:
        for number, word in enumerate(span.split(" ")):
            if number:
                open_word = False
            if word:
                found.append(Word(word, span_role, bold, open_word and bool(found)))
                open_word = True
    return found


def _flowed(text: str, left: int, room: int, role: Role = "text") -> list[TextRow]:
    """Words in rows; pieces of one style that follow each other are one."""
    rows: list[list[Piece]] = [[]]
    x = left
    for word in _words(text, role):
        size = cell_len(word.text)
        gap = 0 if word.glued or not rows[-1] else 1
        if rows[-1] and x + gap + size > left + room:
            rows.append([])
            x, gap = left, 0
        shown = cut(word.text, room)
        last = rows[-1][-1] if rows[-1] else None
        if last is not None and (last.role, last.bold) == (word.role, word.bold):
            rows[-1][-1] = last._replace(text=last.text + " " * gap + shown)
        else:
            rows[-1].append(Piece(x + gap, shown, word.role, word.bold))
        x += gap + cell_len(shown)
    return [TextRow(tuple(pieces)) for pieces in rows if pieces]


def _table(lines: Sequence[str], room: int) -> list[TextRow]:
    """Columns as wide as they have to be; what is too wide for the page wraps in the last ones."""
    cells = [[part.strip() for part in line.strip().strip("|").split("|")] for line in lines]
    cells = [row for row in cells if not all(set(part) <= set("-: ") for part in row)]
    count = max(len(row) for row in cells)
    widths = [max((cell_len(plain(row[at])) for row in cells if at < len(row)), default=0) for at in range(count)]
    gaps = 2 * (count - 1)
    while sum(widths) + gaps > room and max(widths) > _LEAST_COLUMN:
        widest = widths.index(max(widths))
        widths[widest] = max(_LEAST_COLUMN, widths[widest] - max(1, (sum(widths) + gaps - room) // 2))
    rows: list[TextRow] = []
    for number, row in enumerate(cells):
        blocks = []
        left = _LEFT
        for part, cell_width in zip(row, widths, strict=False):
            blocks.append(_flowed(part, left, cell_width, "muted" if number == 0 else "text"))
            left += cell_width + 2
        for y in range(max((len(block) for block in blocks), default=0)):
            rows.append(TextRow(tuple(piece for block in blocks if y < len(block) for piece in block[y].pieces)))
    return rows
