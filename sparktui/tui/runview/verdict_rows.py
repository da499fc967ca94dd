"""The verdict of a sweep as rows: the table that `sparktui sweep` prints, and what has to be said of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.core.records import RunRecord
from sparktui.report.sections import SIMULATED
from sparktui.report.sweeptable import combined_lines, matched_variants, sweep_lines, sweep_table
from sparktui.report.table import plain_lines
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.prose import Piece, TextRow, row, wrapped

_WIDEST = 110


def verdict_rows(runs: Sequence[RunRecord], names: Sequence[str], baseline: str, width: int) -> list[TextRow]:
    """The runs of one sweep for `width` cells: one variant a row, held against the baseline; columns drop whole where it is narrow."""
    rows = [row(Piece(1, line, bold=True)) for line in wrapped(SIMULATED, width - 2)] if any(run.simulated for run in runs) else []
    matched = matched_variants(runs, names, baseline)
    if matched is None:
        return [*rows, row(), row(Piece(1, shown(f"The baseline {baseline!r} has no run yet, so nothing can be compared.")))]
    table = sweep_table(matched).fitted(max(20, width - 2))
    head, *lines = plain_lines(table)
    rows += [row(), row(Piece(1, head, "muted"))]
    rows += [row(Piece(1, line, "muted" if of.kind == "left_out" else "text")) for line, of in zip(lines, table.rows, strict=True)]
    rows.append(row())
    for text in (*sweep_lines(matched, runs), *combined_lines(matched)):
        rows += [row(Piece(1, line, "muted")) for line in wrapped(shown(text), max(8, min(_WIDEST, width - 2)))]
    return rows
