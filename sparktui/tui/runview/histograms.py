"""Two histograms of a run: gaps between chunks, and tokens per chunk. Heights are relative to the fullest bin. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from textual.strip import Strip

from sparktui.core.figures.burstscale import ramp
from sparktui.core.records import ChunkMark
from sparktui.tui.drawing.pen import Ink, Line
from sparktui.tui.drawing.roles import Role, Roles
from sparktui.tui.widgets.strip_window import EIGHTHS

ROWS = 3
_GAP_MS, _LONGEST_GAP_MS = 10, 500
_TOKEN_CELLS, _MOST_TOKENS = 2, 24
_LABELLED_TOKENS = (1, 4, 8, 12, 16, 20, 24)
# both beside each other need this many cells
SIDE_BY_SIDE_FROM = 110


def gap_bins(marks: Sequence[ChunkMark], step_ms: int = _GAP_MS) -> list[int]:
    """How many gaps fall into each `step_ms` up to 500 ms; the last bin takes all that are longer."""
    bins = [0] * (_LONGEST_GAP_MS // step_ms + 1)
    for before, mark in pairwise(marks):
        # whole nanoseconds: 290 ms must not fall into the bin below for a rounding error
        gap_ns = round(mark.t_s * 1e9) - round(before.t_s * 1e9)
        bins[min(len(bins) - 1, max(0, gap_ns) // (step_ms * 1_000_000))] += 1
    return bins


def token_bins(marks: Sequence[ChunkMark]) -> list[int]:
    """How many chunks hold 1, 2 … 24 tokens (rounded, at least 1); the last bin takes all that hold more."""
    bins = [0] * (_MOST_TOKENS + 1)
    for mark in marks:
        bins[min(_MOST_TOKENS, max(1, round(mark.tokens)) - 1)] += 1
    return bins


def histogram_rows(marks: Sequence[ChunkMark], width: int, roles: Roles) -> list[Strip]:
    """Both, beside each other where there is room. [] for fewer than two chunks."""
    if len(marks) < 2:
        return []
    if width >= SIDE_BY_SIDE_FROM:
        lines = _lines(width, roles)
        _draw_gaps(lines, marks, 1, width // 2 - 2, roles)
        _draw_tokens(lines, marks, width // 2 + 1, width - 1, roles)
        return [line.strip() for line in lines]
    gaps, tokens = _lines(width, roles), _lines(width, roles)
    _draw_gaps(gaps, marks, 1, width - 1, roles)
    _draw_tokens(tokens, marks, 1, width - 1, roles)
    return [line.strip() for line in (*gaps, *tokens)]


def _lines(width: int, roles: Roles) -> list[Line]:
    return [Line(width, roles.style()) for _ in range(ROWS + 2)]


def _draw_gaps(lines: list[Line], marks: Sequence[ChunkMark], left: int, stop: int, roles: Roles) -> None:
    step_ms = _GAP_MS if stop - left > _LONGEST_GAP_MS // _GAP_MS else 2 * _GAP_MS
    bins = gap_bins(marks, step_ms)
    _title(lines[0], left, "gaps between chunks", f"{step_ms} ms a column", roles)
    _bars(lines, left, bins, roles, cells=1, role_of=lambda at: "flow")
    labels = [(at, f"{at * step_ms} ms" if at < len(bins) - 1 else "+") for at in range(0, len(bins), 100 // step_ms)]
    _axis(lines[-1], left, len(bins), labels, roles)


def _draw_tokens(lines: list[Line], marks: Sequence[ChunkMark], left: int, stop: int, roles: Roles) -> None:
    bins = token_bins(marks)[: max(1, (stop - left) // _TOKEN_CELLS)]
    _title(lines[0], left, "tokens per chunk", f"{len(marks):,} chunks", roles)
    _bars(lines, left, bins, roles, cells=_TOKEN_CELLS, role_of=lambda at: ramp(at + 1))
    labels = [((tokens - 1) * _TOKEN_CELLS, str(tokens)) for tokens in _LABELLED_TOKENS if tokens <= len(bins)]
    if len(bins) > _MOST_TOKENS:
        labels[-1] = (labels[-1][0] + _TOKEN_CELLS, "+")
    _axis(lines[-1], left, len(bins) * _TOKEN_CELLS, labels, roles)


def _title(line: Line, left: int, title: str, about: str, roles: Roles) -> None:
    x = line.put(left, (title, roles.style(bold=True)))
    line.put(x + 3, (about, roles.style("muted")))


def _bars(lines: list[Line], left: int, bins: Sequence[int], roles: Roles, *, cells: int, role_of: Callable[[int], Role]) -> None:
    fullest = max(bins, default=0)
    for at, count in enumerate(bins):
        if not count:
            continue
        eighths = max(1, round(8 * ROWS * count / fullest))
        for row in range(ROWS):
            glyph = EIGHTHS[max(0, min(8, eighths - 8 * (ROWS - 1 - row)))]
            # one cell of ground between two bins of two cells, so that neighbours stay apart
            ink: Ink = (glyph, roles.style(role_of(at)))
            lines[1 + row].put(left + at * cells, ink)


def _axis(line: Line, left: int, cells: int, labels: Sequence[tuple[int, str]], roles: Roles) -> None:
    faint, muted = roles.style("faint"), roles.style("muted")
    x = 0
    for at, label in labels:
        line.put(left + x, ("─" * (at - x), faint))
        x = line.put(left + at, ("┴", faint), (label if at + 1 + len(label) <= cells or label == "+" else "", muted)) - left
    line.put(left + x, ("─" * (cells - x), faint))
