"""Words in rows, and rows of text pieces at their places: what pages of help and of a run are made of. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from textual.strip import Strip

from sparktui.tui.drawing.pen import Line
from sparktui.tui.drawing.roles import Role, Roles


class Piece(NamedTuple):
    """Text at a cell of a row."""

    x: int
    text: str
    role: Role = "text"
    bold: bool = False
    italic: bool = False


class TextRow(NamedTuple):
    """One row. `anchor` names it, so that a link can lead to it."""

    pieces: tuple[Piece, ...] = ()
    anchor: str = ""

    @property
    def text(self) -> str:
        """The words of the row, to look for something in them."""
        return " ".join(piece.text for piece in self.pieces)


def row(*pieces: Piece, anchor: str = "") -> TextRow:
    return TextRow(pieces, anchor)


def painted(rows: Iterable[TextRow], width: int, roles: Roles) -> list[Strip]:
    """The rows as strips of `width` cells."""
    strips = []
    for text_row in rows:
        line = Line(width, roles.style())
        for x, text, role, bold, italic in text_row.pieces:
            line.put(x, (text, roles.style(role, bold=bold, italic=italic)))
        strips.append(line.strip())
    return strips


def wrapped(text: str, width: int) -> list[str]:
    """Words in rows of at most `width` cells; a word that is longer is cut over several. [] for an empty text."""
    rows: list[str] = []
    used = 0
    for word in text.split():
        size = cell_len(word)
        if rows and used + 1 + size <= width:
            rows[-1] += f" {word}"
            used += 1 + size
            continue
        while size > width > 0:
            head = set_cell_size(word, width).rstrip() or word[:1]
            rows.append(head)
            word = word[len(head) :]  # noqa: PLW2901
            size = cell_len(word)
        if word:
            rows.append(word)
            used = size
    return rows


def columns_of(rows: Sequence[Sequence[TextRow]], offsets: Sequence[int]) -> list[TextRow]:
    """Blocks of rows side by side, each moved right by its offset."""
    height = max((len(block) for block in rows), default=0)
    joined = []
    for y in range(height):
        pieces: list[Piece] = []
        anchor = ""
        for block, offset in zip(rows, offsets, strict=True):
            if y < len(block):
                pieces += [piece._replace(x=piece.x + offset) for piece in block[y].pieces]
                anchor = anchor or block[y].anchor
        joined.append(TextRow(tuple(pieces), anchor))
    return joined
