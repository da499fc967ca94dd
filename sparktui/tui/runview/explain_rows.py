"""An explanation as rows: titles, topics, sentences, and below each its formula. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.report.explaining import Part, by_topic
from sparktui.report.sections import SIMULATED
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.prose import Piece, TextRow, row, wrapped

_WIDEST = 110


def explain_rows(parts: Sequence[Part], width: int, *, simulated: bool) -> list[TextRow]:
    """The parts for `width` cells. Sentences of which something is not known are dimmer."""
    rows = _block(SIMULATED, 1, width, bold=True) if simulated else []
    for title, _, found in parts:
        rows += [row(), *_block(shown(title), 1, width, bold=True)]
        for topic, sentences in by_topic(found).items():
            rows += [row(), row(Piece(1, topic, "accent"))]
            for sentence in sentences:
                rows += _block(shown(sentence.text), 3, width, role="text" if sentence.known else "muted")
                rows += _block(shown(sentence.formula), 5, width, role="muted") if sentence.formula else []
    return rows


def _block(text: str, indent: int, width: int, *, role: str = "text", bold: bool = False) -> list[TextRow]:
    room = max(8, min(_WIDEST, width - indent - 1))
    return [row(Piece(indent, line, role, bold)) for line in wrapped(text, room)]  # type: ignore[arg-type]
