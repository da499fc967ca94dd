"""The long-context table: prompt, result, prefill, rate, memory, as the published one."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.core.records import RunRecord
from sparktui.report import numbers
from sparktui.report.numbers import ABSENT
from sparktui.report.runtable import note
from sparktui.report.table import Column, Row, Table

_COLUMNS = (
    Column(title="prompt", right=False), Column(title="depth"), Column(title="result", right=False), Column(title="prefill"),
    Column(title="rate"), Column(title="memory", right=False), Column(title="note", right=False),
)  # fmt: skip


def needle_table(records: Sequence[RunRecord]) -> Table:
    """One needle run a row. `needle` of a record holds `found` (true, false, or absent where the run failed), `length` and `depth`."""
    table = Table(_COLUMNS, tuple(_row(record) for record in records))
    return table.without_empty(ABSENT, ("depth", "note"))


def found_word(record: RunRecord) -> str:
    """"found", "not found", or absent."""
    found = (record.needle or {}).get("found")
    return ABSENT if found is None else "found" if found else "not found"


def _row(record: RunRecord) -> Row:
    needle = record.needle or {}
    tokens = record.prompt_tokens if record.prompt_tokens is not None else needle.get("length")
    memory = record.memory
    depth = needle.get("depth")
    cells = (
        ABSENT if tokens is None else f"{numbers.count(tokens)} tokens, needle",
        ABSENT if depth is None else f"{depth:g}",
        found_word(record),
        numbers.seconds(record.prefill_s if record.prefill_s is not None else record.ttft_s, estimated=record.prefill_s is None),
        ABSENT if record.prefill_tok_s is None else f"{numbers.fixed(record.prefill_tok_s, 0, estimated=record.prefill_estimated)} tok/s",
        ABSENT if memory is None else f"{numbers.gigabytes(memory.used_peak)} used / {numbers.gigabytes(memory.available_min)} avail",
        note(record),
    )
    return Row(cells, "run" if record.status == "ok" else "left_out")
