"""Cells compared: which belong together, what the numbers are, and the words for them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import CellKey, cell_key, cell_of, figure_values, is_counted
from sparktui.core.stats.outliers import versions_note
from sparktui.core.stats.statistics import BAND_TOK_S, MIN_RUNS, Comparison, compare, holm
from sparktui.report import numbers
from sparktui.report.intervalplot import plot, scale_for, title
from sparktui.report.numbers import ABSENT
from sparktui.report.runtable import guessed
from sparktui.report.sections import cell_heading, temperature_words
from sparktui.report.table import Column, Row, Table, cell_text

INTERVAL = (
    "95 % interval of the ratio B ÷ A (geometric means, Welch's t on the logarithms); the ratio itself is of medians. "
    "An interval that holds 1 proves nothing either way."
)
_MARKS = {"faster": "▲ faster", "slower": "▼ slower", "no difference shown": "= no difference shown"}
_PLOT = Column(title="", right=False, drop=4)
_COMPARISONS = (
    Column(title="B", right=False), Column(title="median"), Column(title="B − A"), Column(title="ratio"), Column(title="95 % interval"),
    _PLOT, Column(title="verdict", right=False), Column(title="±2 tok/s", right=False, drop=2), Column(title="n A", drop=3),
    Column(title="n B", drop=3),
)  # fmt: skip
_CELLS = (
    Column(title="", right=False), Column(title="label", right=False), Column(title="prompt", right=False), Column(title="T"),
    Column(title="n"), Column(title="out", drop=7), Column(title="client tok/s"), Column(title="min – max", drop=6),
    Column(title="server", drop=1), Column(title="TTFT s", drop=2), Column(title="tok/chunk", drop=4), Column(title="draft %", drop=3),
    Column(title="tok/step", drop=5),
)  # fmt: skip


class Side(Struct, frozen=True):
    """One side of a comparison: the name it was asked for by, and its runs."""

    name: str
    runs: tuple[RunRecord, ...]


class Matched(Struct, frozen=True):
    """A cell of A, and the cells of the Bs that belong to it with their comparisons, corrected together. `differences`: see `match`."""

    heading: str
    a: Side
    bs: tuple[Side, ...]
    comparisons: tuple[Comparison, ...]
    differences: tuple[str, ...] = ()


def match(a: Side, bs: Sequence[Side]) -> list[Matched]:
    """Every cell of A against the cells of each B with the same prompt and parameters; where B has several, the one of A's model.

    Where A and every B are one cell each, they are compared whatever they are, and `differences` says how their questions differ.
    """
    single = all(len(_cells(side.runs)) == 1 for side in (a, *bs))
    found = []
    for runs in _cells(a.runs):
        partners = list(bs) if single else [Side(b.name, partner) for b in bs if (partner := _partner(runs, b.runs))]
        if partners:
            found.append(matched_of(Side(a.name, runs), partners, a.runs))
    return found


def matched_of(a: Side, bs: Sequence[Side], others: Sequence[RunRecord] = ()) -> Matched:
    """A against each B whatever their questions, the words corrected together. `others`: what the heading tells A's cell from."""
    comparisons = holm([compare(_speeds(a.runs), _speeds(b.runs)) for b in bs])
    first = a.runs[0]
    heading = f"{cell_text(first.prompt.name)}, {cell_heading(first, others)}"
    differences = [f"{cell_text(b.name)}: {words}" for b in bs if (words := _difference(first, b.runs[0]))]
    return Matched(heading, a, tuple(bs), tuple(comparisons), tuple(differences))


def _difference(a: RunRecord, b: RunRecord) -> str:
    """How B's question differs from A's, in words; "" where it is the same."""
    words = []
    if (a.prompt.name, a.prompt.sha256) != (b.prompt.name, b.prompt.sha256):
        words.append(f"prompt {cell_text(b.prompt.name)}" if a.prompt.name != b.prompt.name else "another text of the prompt")
    if a.params.temperature != b.params.temperature:
        words.append(temperature_words(b.params))
    if a.params.max_tokens != b.params.max_tokens:
        words.append(f"max_tokens {numbers.count(b.params.max_tokens)}")
    if a.params.extra != b.params.extra:
        words.append("other parameters")
    return ", ".join(words)


def cell_table(sides: Sequence[Side], marks: Sequence[str] = ()) -> Table:
    """One cell a row: medians, spread, pooled acceptance; `out` counts runs left out of them."""
    rows = tuple(_cell_row(side, mark) for side, mark in zip(sides, marks or [""] * len(sides), strict=True))
    table = Table(_CELLS, rows)
    return table.without_empty(ABSENT, ("", "server", "tok/chunk", "draft %", "tok/step"))


def cells_side(records: Sequence[RunRecord]) -> list[Side]:
    """Runs as sides, one a cell, under their labels."""
    return [Side(cell_text(runs[0].label), runs) for runs in _cells(records)]


def comparison_table(matched: Matched) -> Table:
    """One B a row against the A of `matched`."""
    scale = scale_for(matched.comparisons)
    rows = [_comparison_row(side, found, scale) for side, found in zip(matched.bs, matched.comparisons, strict=True)]
    columns = tuple(Column(title=title(scale), right=False, drop=4) if column is _PLOT else column for column in _COMPARISONS)
    return Table(columns, tuple(rows)).without_empty("", (title(scale),))


def verdict(found: Comparison) -> str:
    """`▲ faster by 4–7 %`, `▼ slower by …`, `= no difference shown`, or `– too few runs (n = 2)`."""
    if found.verdict == "too few runs":
        return f"{ABSENT} too few runs (n = {min(found.n_a, found.n_b)})"
    return _MARKS[found.verdict] + ("" if found.verdict == "no difference shown" else f" by {_by(found)}")


def _by(found: Comparison) -> str:
    """The interval as percent: "4–7 %"; below 1 % with a decimal."""
    ends = sorted(abs((end or 1.0) - 1.0) * 100 for end in (found.low, found.high))
    low, high = (f"{end:.{1 if ends[0] < 1 else 0}f}" for end in ends)
    return f"{low} %" if low == high else f"{low}–{high} %"


def remarks(matched: Matched) -> list[str]:
    """What has to be said below the table: the interval, how many runs, the ±2 rule, the correction."""
    lines = [f"Not the same question: {'; '.join(matched.differences)}."] if matched.differences else []
    lines += [cell_text(note) for note in versions_note([run for side in (matched.a, *matched.bs) for run in side.runs])]
    if any(found.low is not None for found in matched.comparisons):
        lines.append(INTERVAL)
    if any(found.verdict == "too few runs" for found in matched.comparisons):
        lines.append(f"With fewer than {MIN_RUNS} counted runs a side nothing can be told.")
    inside = [cell_text(b.name) for b, found in zip(matched.bs, matched.comparisons, strict=True) if found.within_band]
    outside = [cell_text(b.name) for b, found in zip(matched.bs, matched.comparisons, strict=True) if found.within_band is False]
    words = [f"{', '.join(names)} {word}" for names, word in ((inside, "inside"), (outside, "outside")) if names]
    if words:
        lines.append(f"Reference rule, within ±{BAND_TOK_S:g} tok/s of A: {'; '.join(words)}.")
    family = max((found.family for found in matched.comparisons), default=1)
    if family > 1:
        lines.append(f"{family} comparisons against one A: Holm's correction decides the words, the intervals are each on its own.")
    return lines


def _cells(records: Sequence[RunRecord]) -> list[tuple[RunRecord, ...]]:
    groups: dict[CellKey, list[RunRecord]] = {}
    for record in sorted(records, key=lambda run: (run.started_at, run.id)):
        groups.setdefault(cell_key(record), []).append(record)
    return [tuple(runs) for runs in groups.values()]


def _partner(runs: Sequence[RunRecord], others: Sequence[RunRecord]) -> tuple[RunRecord, ...]:
    wanted = _question(runs[0])
    fitting = [cell for cell in _cells(others) if _question(cell[0]) == wanted]
    model, server = runs[0].server.model, runs[0].server.base_url
    same_model = [cell for cell in fitting if cell[0].server.model == model]
    same_server = [cell for cell in same_model if cell[0].server.base_url == server]
    return next(iter(same_server or same_model or fitting), ())


def _question(record: RunRecord) -> tuple[str, ...]:
    """What must be the same for two cells to be compared: prompt and parameters, a needle's place included."""
    return cell_key(record)[3:]


def _speeds(runs: Sequence[RunRecord]) -> list[float]:
    return figure_values(runs, "client_tok_s")


def _cell_row(side: Side, mark: str) -> Row:
    cell = cell_of(side.runs)
    guess = guessed(run for run in side.runs if is_counted(run)[0])
    low, high = cell.minima.get("client_tok_s"), cell.maxima.get("client_tok_s")
    cells = (
        mark,
        cell_text(side.name),
        cell_text(cell.prompt.name),
        numbers.temperature(cell.params.temperature),
        str(cell.n),
        str(cell.n_excluded) if cell.n_excluded else ABSENT,
        numbers.tok_s(cell.medians.get("client_tok_s"), estimated="client_tok_s" in guess),
        f"{numbers.tok_s(low)} – {numbers.tok_s(high)}" if cell.n > 1 else ABSENT,
        numbers.tok_s(cell.medians.get("server_tok_s")),
        numbers.seconds_number(cell.medians.get("ttft_s")),
        numbers.per_chunk(cell.medians.get("tokens_per_chunk"), estimated="tokens_per_chunk" in guess),
        numbers.percent_number(cell.acceptance_rate),
        numbers.per_step(cell.medians.get("tokens_per_step"), estimated="tokens_per_step" in guess),
    )
    return Row(cells)


def _comparison_row(side: Side, found: Comparison, scale: tuple[float, float]) -> Row:
    band = {True: "inside", False: "outside", None: ABSENT}[found.within_band]
    cells = (
        cell_text(side.name),
        numbers.tok_s(found.median_b),
        numbers.difference(found.difference),
        numbers.ratio(found.ratio),
        numbers.interval(found.low, found.high),
        plot(found, scale),
        verdict(found),
        band,
        str(found.n_a),
        str(found.n_b),
    )
    return Row(cells, "run" if found.verdict != "too few runs" else "left_out")
