"""Requests made at once, as a table: what they came to together, each alone, and whether they waited for each other."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.core.stats.statistics import median
from sparktui.report import numbers
from sparktui.report.table import Column, Row, Table, cell_text
from sparktui.report.together import Round

_COLUMNS = (
    Column(title="label", right=False, drop=2), Column(title="prompt", right=False), Column(title="T"), Column(title="round"),
    Column(title="requests"), Column(title="tokens", drop=5), Column(title="all tok/s"), Column(title="with prefill", drop=3),
    Column(title="each, median"), Column(title="min – max", drop=4), Column(title="decoding at once"),
    Column(title="longest queue", drop=1),
)  # fmt: skip
MEANING = (
    "all tok/s = tokens of all ÷ (last text − first text of all); with prefill: from the first request sent. "
    "Decoding at once = Σ decode times ÷ that window: 1 means one after the other, the rest queued."
)


def together_table(rounds: Sequence[Round]) -> Table:
    """One round a row; where there are several of a kind, their median at the end."""
    rows = [_row(found) for found in rounds]
    kinds = {(found.label, found.prompt, found.temperature, found.asked) for found in rounds}
    if len(rounds) > 1 and len(kinds) == 1:
        rows.append(_medians(rounds))
    return Table(_COLUMNS, tuple(rows))


def _row(found: Round) -> Row:
    requests = str(found.asked) if found.n == found.asked else f"{found.n} of {found.asked}"
    guess = found.estimated
    return Row((
        cell_text(found.label),
        cell_text(found.prompt),
        numbers.temperature(found.temperature),
        str(found.run_no),
        requests,
        numbers.count(found.tokens, estimated=guess),
        numbers.tok_s(found.tok_s, estimated=guess),
        numbers.tok_s(found.wall_tok_s, estimated=guess),
        numbers.tok_s(found.request_tok_s_median, estimated=guess),
        f"{numbers.tok_s(found.request_tok_s_min)} – {numbers.tok_s(found.request_tok_s_max)}",
        numbers.fixed(found.at_once, 1),
        numbers.seconds(found.queue_s),
    ))  # fmt: skip


def _medians(rounds: Sequence[Round]) -> Row:
    guess = any(found.estimated for found in rounds)
    texts = (
        numbers.tok_s(median(found.tok_s for found in rounds), estimated=guess),
        numbers.tok_s(median(found.wall_tok_s for found in rounds), estimated=guess),
        numbers.tok_s(median(found.request_tok_s_median for found in rounds), estimated=guess),
        "",
        numbers.fixed(median(found.at_once for found in rounds), 1),
        numbers.seconds(median(found.queue_s for found in rounds)),
    )
    return Row(("median", "", "", "", "", "", *texts), "summary")
