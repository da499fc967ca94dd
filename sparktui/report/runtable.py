"""The tables of runs: the reference's layout for Markdown, the bench's and the history's for the console."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from datetime import datetime

from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import cell_of, is_counted
from sparktui.io.store.rows import note_of
from sparktui.report import numbers
from sparktui.report.estimates import estimated_fields
from sparktui.report.numbers import ABSENT
from sparktui.report.table import Column, Kind, Row, Table, cell_text

_REFERENCE = (
    Column(title="run"), Column(title="prompt tok"), Column(title="TTFT"), Column(title="tokens"), Column(title="time"),
    Column(title="client tok/s"), Column(title="server tok/s"), Column(title="chunks"), Column(title="draft accepted", right=False),
    Column(title="note", right=False),
)  # fmt: skip
_BENCH = (
    Column(title="run"), Column(title="prompt tok", drop=7), Column(title="TTFT"), Column(title="tokens"), Column(title="time", drop=6),
    Column(title="client tok/s"), Column(title="net", drop=5), Column(title="server tok/s"), Column(title="chunks", drop=2),
    Column(title="tok/chunk", drop=4), Column(title="draft accepted", drop=1), Column(title="tok/step", drop=3),
    Column(title="note", right=False),
)  # fmt: skip
_HISTORY = (
    Column(title="id", right=False), Column(title="when", right=False), Column(title="label", right=False),
    Column(title="model", right=False, drop=9), Column(title="prompt", right=False), Column(title="T"),
    Column(title="TTFT s", drop=3), Column(title="client tok/s"), Column(title="server", drop=1), Column(title="chunks", drop=5),
    Column(title="tok/chunk", drop=6), Column(title="draft", drop=8), Column(title="%", drop=4), Column(title="tok/step", drop=7),
    Column(title="note", right=False, drop=2),
)  # fmt: skip


def reference_table(records: Sequence[RunRecord]) -> Table:
    """One run a row in the columns of the published tables; time is the decode time.

    Where no run has an acceptance the columns are the published table's without one; a note column is there only where needed.
    """
    table = Table(_REFERENCE, tuple(_reference_row(record, number) for record, number in numbered(records)))
    dropped = [] if any(record.draft_accepted is not None for record in records) else ["time", "draft accepted"]
    return table.without(dropped).without_empty(ABSENT, ("note",))


def bench_table(records: Sequence[RunRecord]) -> Table:
    """One run a row with everything a bench shows; columns that no run fills are left out; the last row is the median line."""
    rows = [_bench_row(record, number) for record, number in numbered(records)]
    if sum(is_counted(record)[0] for record in records) > 1:
        rows.append(_median_row(records))
    table = Table(_BENCH, tuple(rows))
    return table.without_empty(ABSENT, ("net", "server tok/s", "tok/chunk", "draft accepted", "tok/step", "note"))


def history_table(records: Iterable[RunRecord], today: datetime) -> Table:
    """One run a row for lists, the id first."""
    return Table(_HISTORY, tuple(_history_row(record, today) for record in records))


def median_line(records: Sequence[RunRecord]) -> str:
    """"median 30.2 tok/s", and how many runs of how many where some are left out, which and why."""
    middle = cell_of(records).medians.get("client_tok_s")
    estimated = "client_tok_s" in guessed(record for record in records if is_counted(record)[0])
    line = f"median {numbers.tok_s(middle, estimated=estimated)}" + (" tok/s" if middle is not None else "")
    return line + left_out(records)


def guessed(records: Iterable[RunRecord]) -> frozenset[str]:
    """Names of the figures that are an estimate in any of the runs."""
    return frozenset(name for record in records for name in estimated_fields(record))


def left_out(records: Sequence[RunRecord]) -> str:
    """", 2 of 3 runs; left out: run 3 (not idle)"; "" where every run counts."""
    reasons = [
        run_name(record, number) + (f" ({reason})" if reason != run_name(record, number) else "")
        for record, number in numbered(records)
        for counted, reason in (is_counted(record),)
        if not counted
    ]
    if not reasons:
        return ""
    return f" ({len(records) - len(reasons)} of {len(records)} runs; left out: {', '.join(cell_text(text) for text in reasons)})"


def numbered(records: Sequence[RunRecord]) -> list[tuple[RunRecord, int]]:
    """Each run with its number: the one it had in its bench, or, where two runs had the same (several benches), its place."""
    own = [record.run_no for record in records if record.run_no and not record.warmup]
    distinct = len(set(own)) == len(own)
    places = itertools.count(1)
    found = []
    for record in records:
        place = 0 if record.warmup else next(places)
        found.append((record, record.run_no if distinct and record.run_no else place))
    return found


def run_name(record: RunRecord, number: int) -> str:
    """"run 2", or "warm-up"."""
    return "warm-up" if record.warmup else f"run {number}"


def note(record: RunRecord) -> str:
    """What a table says beside a run; its first line only, at most 60 characters."""
    return short(note_of(record))


def short(text: str) -> str:
    """A note's first 60 characters, on one line."""
    line = cell_text(text)
    return line if len(line) <= 60 else line[:59] + "…"


def _number(record: RunRecord, number: int) -> str:
    return "w" if record.warmup else str(number)


def _reference_row(record: RunRecord, number: int) -> Row:
    guess = estimated_fields(record)
    cells = (
        _number(record, number),
        numbers.count(record.prompt_tokens),
        numbers.seconds(record.ttft_s),
        numbers.count(record.completion_tokens, estimated="completion_tokens" in guess),
        numbers.tenths(record.decode_s),
        numbers.tok_s(record.client_tok_s, estimated="client_tok_s" in guess),
        numbers.tok_s(record.server_tok_s),
        chunk_count(record),
        numbers.acceptance(record.draft_accepted, record.draft_proposed),
        note(record),
    )
    return Row(cells, _kind(record))


def _bench_row(record: RunRecord, number: int) -> Row:
    guess = estimated_fields(record)
    cells = (
        *_reference_row(record, number).cells[:6],
        numbers.tok_s(record.client_tok_s_net, estimated="client_tok_s_net" in guess),
        numbers.tok_s(record.server_tok_s),
        chunk_count(record),
        numbers.per_chunk(record.tokens_per_chunk, estimated="tokens_per_chunk" in guess),
        numbers.acceptance(record.draft_accepted, record.draft_proposed),
        numbers.per_step(record.tokens_per_step, estimated="tokens_per_step" in guess),
        note(record),
    )
    return Row(cells, _kind(record))


def _median_row(records: Sequence[RunRecord]) -> Row:
    cell = cell_of(records)
    guess = guessed(record for record in records if is_counted(record)[0])

    def middle(name: str) -> float | None:
        return cell.medians.get(name)

    cells = (
        "median",
        ABSENT,
        numbers.seconds(middle("ttft_s")),
        numbers.count(middle("completion_tokens"), estimated="completion_tokens" in guess),
        numbers.tenths(middle("decode_s")),
        numbers.tok_s(middle("client_tok_s"), estimated="client_tok_s" in guess),
        numbers.tok_s(middle("client_tok_s_net"), estimated="client_tok_s_net" in guess),
        numbers.tok_s(middle("server_tok_s")),
        numbers.count(middle("chunks")),
        numbers.per_chunk(middle("tokens_per_chunk"), estimated="tokens_per_chunk" in guess),
        ABSENT if cell.acceptance_rate is None else f"pooled {numbers.percent(cell.acceptance_rate)}",
        numbers.per_step(middle("tokens_per_step"), estimated="tokens_per_step" in guess),
        f"of {cell.n} runs",
    )
    return Row(cells, "summary")


def _history_row(record: RunRecord, today: datetime) -> Row:
    guess = estimated_fields(record)
    cells = (
        record.id,
        numbers.when(record.started_at, today),
        cell_text(record.label),
        cell_text(record.server.model)[:24],
        cell_text(record.prompt.name),
        numbers.temperature(record.params.temperature),
        numbers.seconds_number(record.ttft_s),
        numbers.tok_s(record.client_tok_s, estimated="client_tok_s" in guess),
        numbers.tok_s(record.server_tok_s),
        chunk_count(record),
        numbers.per_chunk(record.tokens_per_chunk, estimated="tokens_per_chunk" in guess),
        numbers.drafts(record.draft_accepted, record.draft_proposed, tight=True),
        numbers.percent_number(record.acceptance_rate),
        numbers.per_step(record.tokens_per_step, estimated="tokens_per_step" in guess),
        ("simulated, " if record.simulated and note(record) else "simulated" if record.simulated else "") + note(record),
    )
    return Row(cells, _kind(record))


def chunk_count(record: RunRecord) -> str:
    """Chunks; absent for a good run of which none were recorded (an imported table without that column)."""
    return ABSENT if record.status == "ok" and not record.chunks else numbers.count(record.chunks)


def _kind(record: RunRecord) -> Kind:
    return "run" if is_counted(record)[0] else "left_out"
