"""The short prompts of a page: their rates, the table of cells, and how their text arrived."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from sparktui.core.explaincells import median_run
from sparktui.core.records import ChunkMark, RunRecord
from sparktui.core.stats.cells import cell_of, figure_values, is_counted
from sparktui.report import numbers
from sparktui.report.comparing import Side, cell_table
from sparktui.report.page.kinds import Kinds, by_cell
from sparktui.report.page.parts import Block, Heading, Rate, RatePlot, Rows, Section, Timeline, Timelines, Words
from sparktui.report.runtable import guessed, numbered, run_name
from sparktui.report.together import at_once
from sparktui.report.togethertable import MEANING, together_table

Which = Literal["median", "all", "none"]
"""Of which runs burst timelines are drawn."""

_ARRIVES = "The median run of each cell, all on one clock; the gap at the left is the time to first token."
_LONGEST_S = 7 * 86_400.0


def short_section(kinds: Kinds, strips: Which) -> Section | None:
    """None without runs of short prompts."""
    if not kinds.short:
        return None
    cells = by_cell(kinds.short)
    table = cell_table([Side(kinds.named(runs[0]), runs) for runs in cells])
    blocks: list[Block] = [*rate_plot([(_cell_name(runs[0], kinds), runs) for runs in cells]), Rows(table)]
    if rounds := at_once(kinds.short):
        blocks += [Heading("Requests at once"), Rows(together_table(rounds)), Words(MEANING, "muted")]
    if strips != "none" and (found := timelines([(_cell_name(runs[0], kinds), median_run(runs)) for runs in cells])):
        blocks += [Heading("How the text arrives"), Words(_ARRIVES), found]
    return Section("short-prompt", "Short prompt, streamed", tuple(blocks))


def rate_plot(cells: Sequence[tuple[str, Sequence[RunRecord]]]) -> list[Block]:
    """The decode rates of named cells; [] where no run counts."""
    rates = []
    for name, runs in cells:
        cell, values = cell_of(runs), figure_values(runs, "client_tok_s")
        middle = cell.medians.get("client_tok_s")
        if middle is None or not math.isfinite(middle):
            continue
        estimated = "client_tok_s" in guessed(run for run in runs if is_counted(run)[0])
        rates.append(Rate(
            name=name, text=f"{numbers.tok_s(middle, estimated=estimated)} tok/s", values=tuple(values), median=middle,
            server=cell.medians.get("server_tok_s"), tokens_per_chunk=cell.medians.get("tokens_per_chunk"),
        ))  # fmt: skip
    return [RatePlot("Client decode rate", tuple(rates))] if rates else []


def timelines(named: Sequence[tuple[str, RunRecord]]) -> Timelines | None:
    """The burst timelines of named runs, as far as they have one that can be drawn."""
    strips = [Timeline(name, _timeline_words(run), run.timeline) for name, run in named if run.timeline and _is_drawable(run.timeline)]
    return Timelines(tuple(strips)) if strips else None


def run_timelines(runs: Sequence[RunRecord]) -> Timelines | None:
    """One timeline a run of a cell, by their numbers."""
    return timelines([(run_name(record, number), record) for record, number in numbered(runs)])


def _cell_name(record: RunRecord, kinds: Kinds) -> str:
    parts = [record.prompt.name, f"T {numbers.temperature(record.params.temperature)}"]
    if len({run.label for run in kinds.short}) > 1 or kinds.mixed:
        parts.append(kinds.named(record))
    if len({run.params.max_tokens for run in kinds.short}) > 1 and record.params.max_tokens is not None:
        parts.append(f"max_tokens {numbers.count(record.params.max_tokens)}")
    if len({run.server.model for run in kinds.short if kinds.named(run) == kinds.named(record)}) > 1:
        parts.append(record.server.model)
    return " · ".join(part for part in parts if part)


def _timeline_words(run: RunRecord) -> str:
    guess = guessed([run])
    parts = [
        f"TTFT {numbers.seconds(run.ttft_s)}",
        f"{numbers.tok_s(run.client_tok_s, estimated='client_tok_s' in guess)} tok/s",
        f"{numbers.count(run.chunks)} chunks",
        f"{numbers.per_chunk(run.tokens_per_chunk, estimated='tokens_per_chunk' in guess)} tok/chunk",
        f"burstiness {numbers.burstiness(run.burstiness)} {numbers.burst_word(run.burstiness)}".rstrip(),
    ]
    return " · ".join(parts)


def _is_drawable(marks: Sequence[ChunkMark]) -> bool:
    """A file may claim any times and counts."""
    return all(0 <= mark.t_s <= _LONGEST_S and 0 <= mark.tokens < 1e9 for mark in marks)
