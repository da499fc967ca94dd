"""Long prompts of a page: how fast they are read, and how fast the answer behind them is."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import Cell, cell_of, figure_values, is_counted
from sparktui.core.stats.statistics import median
from sparktui.report import numbers
from sparktui.report.needletable import needle_grid, needle_table
from sparktui.report.numbers import ABSENT
from sparktui.report.page.kinds import LONG_PROMPT, SIMULATED_MARK, Kinds, by_cell, by_length, by_source
from sparktui.report.page.meaning import sentences_on
from sparktui.report.page.parts import Block, CurvePlot, Heading, Rows, Section, Series, Words
from sparktui.report.runtable import guessed
from sparktui.report.table import Column, Row, Table, cell_text

_PREFILL = (
    Column(title="prompt", right=False), Column(title="label", right=False), Column(title="n"), Column(title="prompt tok"),
    Column(title="prefill"), Column(title="prefill tok/s"), Column(title="min – max"),
)  # fmt: skip
_DECODE = (
    Column(title="context"), Column(title="prompt", right=False), Column(title="label", right=False), Column(title="n"),
    Column(title="tokens"), Column(title="client tok/s"), Column(title="min – max"), Column(title="net"), Column(title="server"),
    Column(title="draft %"), Column(title="tok/step"),
)  # fmt: skip
_SHORT_ANSWERS = "A needle's answer is short: much of it lies in the first chunk, so read its net and server rates."


def prefill_section(kinds: Kinds) -> Section | None:
    """The needle runs as the published table has them, their grid, and the prefill of other long prompts. None without any."""
    others = [runs for runs in by_cell(long_runs(kinds)) if runs[0].needle is None and cell_of(runs).medians.get("prefill_tok_s")]
    if not kinds.needles and not others:
        return None
    blocks: list[Block] = [*_curve("Prefill rate by prompt length", _prefill_runs(kinds), "prefill_tok_s")]
    for runs in by_source(kinds.needles):
        if kinds.mixed:
            blocks.append(Heading(f"Needle runs, {SIMULATED_MARK if runs[0].simulated else 'measured'}"))
        blocks.append(Rows(needle_table(runs)))
        if grid := needle_grid(runs):
            blocks.append(Rows(grid, "Found, and the prefill rate, by length and depth"))
    if others:
        blocks.append(Rows(Table(_PREFILL, tuple(_prefill_row(runs, kinds) for runs in others)), "Medians of prompts without a needle"))
    return Section("prefill", "Prefill", (*blocks, *sentences_on(kinds, "prefill")))


def decode_section(kinds: Kinds) -> Section | None:
    """Decode rates behind long prompts, cell by cell, shortest context first. None without any."""
    cells = [runs for runs in by_length(long_runs(kinds)) if cell_of(runs).medians.get("client_tok_s") is not None]
    if not cells:
        return None
    # to two digits: lengths that are meant to be the same stay in the order in which they were measured
    cells.sort(key=lambda runs: float(f"{cell_of(runs).medians.get('prompt_tokens', 0.0):.1e}"))
    table = Table(_DECODE, tuple(_decode_row(runs, kinds) for runs in cells))
    blocks: list[Block] = [*_curve("Server decode rate by context", _curve_runs(kinds), "server_tok_s")]
    blocks.append(Rows(table.without_empty(ABSENT, ("min – max", "net", "server", "draft %", "tok/step"))))
    if any(runs[0].needle is not None for runs in cells):
        blocks.append(Words(_SHORT_ANSWERS, "muted"))
    return Section("decode", "Decode at long context", (*blocks, *sentences_on(kinds, "context")))


def long_runs(kinds: Kinds) -> list[RunRecord]:
    """Runs with long prompts of every kind, in order of time."""
    return [run for run in kinds.all if run.needle is not None or (run.prompt_tokens or 0) >= LONG_PROMPT]


def _curve(title: str, named: Sequence[tuple[str, RunRecord]], field: str) -> list[Block]:
    """One point a run that counts; [] where they are all of about one length, or none is long."""
    series: dict[str, list[tuple[float, float]]] = {}
    for name, run in named:
        value = getattr(run, field)
        if value and run.prompt_tokens and is_counted(run)[0] and "cached_prompt" not in run.flags:
            series.setdefault(name, []).append((float(run.prompt_tokens), float(value)))
    lengths = sorted(x for points in series.values() for x, _ in points)
    if not lengths or lengths[-1] < max(LONG_PROMPT, 2 * lengths[0]):
        return []
    return [CurvePlot(title, tuple(Series(name, tuple(sorted(points))) for name, points in series.items()))]


def _curve_runs(kinds: Kinds) -> list[tuple[str, RunRecord]]:
    """Runs by what they ask, the short prompts among them: where the decode rate stands without any context."""
    mark = f" ({SIMULATED_MARK})" if kinds.mixed else ""
    return [(run.prompt.name + (mark if run.simulated else ""), run) for run in kinds.all]


def _prefill_runs(kinds: Kinds) -> list[tuple[str, RunRecord]]:
    """Runs of long prompts by their labels; those of sweeps, which are of one length, by their prompts."""
    swept = kinds.swept_ids
    return [(run.prompt.name if run.id in swept else kinds.named(run), run) for run in long_runs(kinds)]


def _prefill_row(runs: Sequence[RunRecord], kinds: Kinds) -> Row:
    cell, guess = cell_of(runs), _guess(runs)
    estimated = "prefill_tok_s" in guess
    return Row((
        cell_text(cell.prompt.name), cell_text(kinds.named(runs[0])), str(cell.n), numbers.count(cell.medians.get("prompt_tokens")),
        numbers.seconds(cell.medians.get("prefill_s")), numbers.tok_s(cell.medians.get("prefill_tok_s"), estimated=estimated),
        _span(cell, "prefill_tok_s", estimated=estimated),
    ))  # fmt: skip


def _decode_row(runs: Sequence[RunRecord], kinds: Kinds) -> Row:
    cell, guess = cell_of(runs), _guess(runs)

    def rate(name: str) -> str:
        return numbers.tok_s(cell.medians.get(name), estimated=name in guess)

    steps = cell.medians.get("tokens_per_step")
    return Row((
        numbers.count(median(figure_values(runs, "prompt_tokens"))), cell_text(cell.prompt.name), cell_text(kinds.named(runs[0])),
        str(cell.n), numbers.count(cell.medians.get("completion_tokens"), estimated="completion_tokens" in guess),
        rate("client_tok_s"), _span(cell, "client_tok_s", estimated="client_tok_s" in guess), rate("client_tok_s_net"),
        rate("server_tok_s"), numbers.percent_number(cell.acceptance_rate),
        numbers.per_step(steps, estimated="tokens_per_step" in guess),
    ))  # fmt: skip


def _span(cell: Cell, name: str, *, estimated: bool) -> str:
    low, high = cell.minima.get(name), cell.maxima.get(name)
    if cell.counts.get(name, 0) < 2:
        return ABSENT
    return numbers.mark(f"{numbers.tok_s(low)} – {numbers.tok_s(high)}", estimated)


def _guess(runs: Sequence[RunRecord]) -> frozenset[str]:
    return guessed(run for run in runs if is_counted(run)[0])
