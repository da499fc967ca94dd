"""How to read the burst strip, drawn with the ramp, and the glyphs: the end of the keys page. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.strip import Strip

from sparktui.core.figures.burstscale import FULL_TOKENS, ramp
from sparktui.tui.drawing.pen import Line
from sparktui.tui.drawing.prose import Piece, wrapped
from sparktui.tui.drawing.roles import Roles
from sparktui.tui.widgets.strip_window import column_cells

_LEFT = 3
_SCALE = (
    "One column is 100 ms, one eighth of a cell is one token, a row is 8. "
    "The empty columns before the first one are the time to first token."
)
_CHUNK = "A chunk is what arrived at once. It is not a token, and not a draft step: with TabbyAPI about three steps make one chunk."
# tokens that landed in each 100 ms: what code and prose look like with a draft
CODE_SAMPLE = (0, 0, 17, 0, 0, 20, 0, 7, 0, 0, 15, 0, 0, 16, 0, 0, 17, 0, 0, 17, 0, 0, 14, 0, 18, 0, 0, 19, 0, 0, 17, 0, 0, 15, 0, 0, 17, 0,
               0, 15, 0, 0, 20, 0, 18, 0, 0, 15, 0, 0, 14, 0, 0, 14)  # fmt: skip
PROSE_SAMPLE = (6, 0, 3, 4, 0, 5, 0, 5, 4, 0, 7, 5, 0, 3, 0, 4, 5, 0, 4, 6, 0, 5, 0, 8, 5, 0, 5, 6, 0, 6, 0, 7, 6, 0, 6, 0, 4, 3, 0, 4, 6,
                0, 5, 0, 6, 6, 0, 4, 4, 0, 6, 4, 0, 4, 6)  # fmt: skip
_SAMPLES = (
    (CODE_SAMPLE, "code: tall and apart. Many draft tokens accepted a step."),
    (PROSE_SAMPLE, "prose: low and even. One or two accepted a step."),
)  # fmt: skip
_GLYPHS = (
    ("≈", "estimated"), ("–", "not known"), ("●", "generating"), ("◌", "waiting"), ("○", "idle"), ("✓", "ended well"),
    ("✕", "failed, unreachable"), ("■", "cancelled, cut off"), ("▶", "replay"), ("◉", "watching"),
    ("‖", "paused"), ("◆", "generation record"), ("!", "warning"),
    ("▌", "the newest burst; the focused panel"), ("▸", "cursor"), ("▲", "faster; higher than the scale"), ("▼", "slower; more below"),
)  # fmt: skip


def strip_rows(width: int, roles: Roles) -> list[Strip]:
    """Two samples of the strip, what its colours and heights mean, and the glyphs."""
    rows = [_line(width, roles, Piece(_LEFT, "Reading the burst strip", "text", True))]
    beside = width >= _LEFT + len(CODE_SAMPLE) + 4 + len(PROSE_SAMPLE) + 2
    second = _LEFT + len(CODE_SAMPLE) + 4
    if beside:
        rows += _sample([(_SAMPLES[0], _LEFT), (_SAMPLES[1], second)], width, roles)
    else:
        for sample in _SAMPLES:
            rows += _sample([(sample, _LEFT)], width, roles)
    rows.append(_line(width, roles))
    rows += _ramp_rows(width, roles)
    rows += [_line(width, roles, Piece(_LEFT, text, "muted")) for text in wrapped(_CHUNK, width - 2 * _LEFT)]
    return [*rows, _line(width, roles), *_glyph_rows(width, roles)]


def _ramp_rows(width: int, roles: Roles) -> list[Strip]:
    rows = [_line(width, roles, Piece(_LEFT, text, "muted")) for text in wrapped(_SCALE, width - 2 * _LEFT)]
    line = Line(width, roles.style())
    x = line.put(_LEFT, ("The colour is the size of the burst: ", roles.style("muted")))
    for words, tokens in (("1–9", 1), ("10–13", 10), ("14 and more", 14)):
        x = line.put(x, (words, roles.style(ramp(tokens), bold=True))) + 2
    return [*rows, line.strip()]


def _glyph_rows(width: int, roles: Roles) -> list[Strip]:
    rows = []
    line, x = Line(width, roles.style()), _LEFT
    for glyph, words in _GLYPHS:
        size = 2 + cell_len(words)
        if x > _LEFT and x + size >= width:
            rows.append(line.strip())
            line, x = Line(width, roles.style()), _LEFT
        x = line.put(x, (glyph, roles.style("text", bold=True)), (f" {words}", roles.style("muted"))) + 3
    return [*rows, line.strip()]


def _sample(samples: Sequence[tuple[tuple[Sequence[int], str], int]], width: int, roles: Roles) -> list[Strip]:
    lines = [Line(width, roles.style()) for _ in range(4)]
    for (tokens, words), left in samples:
        for x, count in enumerate(tokens):
            if count:
                for line, cell in zip(lines, column_cells(count, FULL_TOKENS, 3), strict=False):
                    line.put(left + x, (cell, roles.style(ramp(count))))
        lines[3].put(left, (words, roles.style("muted")))
    return [line.strip() for line in lines]


def _line(width: int, roles: Roles, *pieces: Piece) -> Strip:
    line = Line(width, roles.style())
    for x, text, role, bold, italic in pieces:
        line.put(x, (text, roles.style(role, bold=bold, italic=italic)))
    return line.strip()
