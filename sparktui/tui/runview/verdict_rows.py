"""The verdict of a sweep as rows: the table that `sparktui sweep` prints, and what has to be said of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from sparktui.core.loadmemory import LoadMemory
from sparktui.core.records import RunRecord
from sparktui.report.sections import SIMULATED
from sparktui.report.sweeptable import combined_lines, load_lines, matched_variants, sweep_lines, sweep_table
from sparktui.report.table import plain_lines
from sparktui.servers.tabbyload import Setting
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.prose import Piece, TextRow, row, wrapped

_WIDEST = 110


def verdict_rows(
    runs: Sequence[RunRecord], names: Sequence[str], baseline: str, width: int, outcome: Mapping[str, Any] | None = None
) -> list[TextRow]:  # fmt: skip
    """The runs of one sweep for `width` cells: one variant a row, held against the baseline; columns drop whole where it is narrow.

    `outcome`: what came with the sweep's end (core.events.PlanProgress).
    """
    rows = [row(Piece(1, line, bold=True)) for line in wrapped(SIMULATED, width - 2)] if any(run.simulated for run in runs) else []
    after = _after(outcome or {}, width)
    matched = matched_variants(runs, names, baseline)
    if matched is None:
        return [*rows, row(), row(Piece(1, shown(f"The baseline {baseline!r} has no run yet, so nothing can be compared."))), *after]
    table = sweep_table(matched).fitted(max(20, width - 2))
    head, *lines = plain_lines(table)
    rows += [row(), row(Piece(1, head, "muted"))]
    rows += [row(Piece(1, line, "muted" if of.kind == "left_out" else "text")) for line, of in zip(lines, table.rows, strict=True)]
    rows.append(row())
    for text in (*sweep_lines(matched, runs), *combined_lines(matched)):
        rows += _said(text, width, "muted")
    return [*rows, *after]


def _after(outcome: Mapping[str, Any], width: int) -> list[TextRow]:
    """What was not measured, what became of settings and memory, and whether the server is back."""
    settings = msgspec.convert(outcome.get("settings") or {}, dict[str, list[Setting]])
    memory = msgspec.convert(outcome.get("memory") or {}, dict[str, LoadMemory])
    rows: list[TextRow] = []
    for name, why in (outcome.get("failed") or {}).items():
        rows += _said(f"{name}: not measured. {why}", width, "text")
    for text in load_lines(settings, memory):
        rows += _said(text, width, "text" if ": ignored" in text else "muted")
    if outcome.get("restored") is False:
        rows += _said("The server is NOT as it was before the sweep: `sparktui sweep --restore` tries again.", width, "text")
    elif outcome.get("restored"):
        rows += _said("The server is as it was before the sweep.", width, "muted")
    return [row(), *rows] if rows else []


def _said(text: str, width: int, role: str) -> list[TextRow]:
    return [row(Piece(1, line, role)) for line in wrapped(shown(text), max(8, min(_WIDEST, width - 2)))]  # type: ignore[arg-type]
