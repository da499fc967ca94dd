"""Long context: the table of runs as the published one, and the grid of lengths × depths."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.core.needleplan import found_words, short_length
from sparktui.core.records import RunRecord
from sparktui.core.stats.statistics import median
from sparktui.io.store.rows import trouble_of
from sparktui.report import numbers
from sparktui.report.estimates import estimated_fields
from sparktui.report.numbers import ABSENT
from sparktui.report.runtable import short
from sparktui.report.table import Column, Row, Table, cell_text

_COLUMNS = (
    Column(title="prompt", right=False), Column(title="result", right=False), Column(title="prefill"), Column(title="rate"),
    Column(title="memory", right=False), Column(title="depth", drop=2), Column(title="decode", drop=1), Column(title="note", right=False),
)  # fmt: skip


def needle_table(records: Sequence[RunRecord]) -> Table:
    """One needle run a row: the published columns, then depth, decode rate and note where any run has them."""
    table = Table(_COLUMNS, tuple(_row(record) for record in records))
    return table.without_empty(ABSENT, ("depth", "decode", "note"))


def needle_grid(records: Sequence[RunRecord]) -> Table | None:
    """Lengths down, depths across; in each place the finding and the prefill rate, both of all runs there. None for a single place.

    Runs on a warm cache say nothing of a prefill and stay out.
    """
    places: dict[tuple[int, tuple[float, ...]], list[RunRecord]] = {}
    for record in records:
        length = (record.needle or {}).get("length")
        if isinstance(length, int) and _depths(record) and not (record.needle or {}).get("warm"):
            places.setdefault((length, _depths(record)), []).append(record)
    lengths, depths = sorted({length for length, _ in places}), sorted({depth for _, depth in places})
    if len(lengths) * len(depths) < 2:
        return None
    columns = (Column(title="length"), *(Column(title=f"depth {_depth_words(depth)}", right=False) for depth in depths))
    rows = [Row((short_length(length), *(_place(places.get((length, depth), [])) for depth in depths))) for length in lengths]
    return Table(columns, tuple(rows))


def _place(runs: Sequence[RunRecord]) -> str:
    """"found 800 tok/s"; of several runs "2/3 found 801 tok/s"."""
    if not runs:
        return ABSENT
    known = [record for record in runs if (record.needle or {}).get("found") is not None]
    if not known:
        return cell_text(found_words(runs[-1].needle or {})) or runs[-1].status.replace("_", " ")
    hits = sum(bool((record.needle or {})["found"]) for record in known)
    word = found_words(known[0].needle or {}) if len(known) == 1 else f"{hits}/{len(known)} found"
    rates = [record.prefill_tok_s for record in known if record.prefill_tok_s is not None and "cached_prompt" not in record.flags]
    guess = any("prefill_tok_s" in estimated_fields(record) for record in known)
    rate = f" {numbers.fixed(median(rates), 0, estimated=guess)} tok/s" if rates else ""
    return word + rate


def _depths(record: RunRecord) -> tuple[float, ...]:
    needle = record.needle or {}
    depth = needle.get("depth")
    return tuple(needle.get("depths") or (() if depth is None else (depth,)))


def _depth_words(depths: Sequence[float]) -> str:
    return ", ".join(f"{depth:g}" for depth in depths)


def _row(record: RunRecord) -> Row:
    needle = record.needle or {}
    cells = (
        _prompt(record),
        cell_text(found_words(needle)) or ABSENT,
        numbers.seconds(record.prefill_s if record.prefill_s is not None else record.ttft_s, estimated=record.prefill_s is None),
        ABSENT if record.prefill_tok_s is None else f"{numbers.fixed(record.prefill_tok_s, 0, estimated=record.prefill_estimated)} tok/s",
        _memory(record),
        _depth_words(_depths(record)) or ABSENT,
        _decode(record),
        "" if needle.get("refused") else _note(record),
    )
    return Row(cells, "run" if record.status == "ok" else "left_out")


def _prompt(record: RunRecord) -> str:
    """The prompt's real length: the server's count, else the one it was built to."""
    needle = record.needle or {}
    tokens = record.prompt_tokens
    guess = tokens is None and bool(needle.get("length_estimated")) and not needle.get("refused")
    tokens = tokens if tokens is not None else needle.get("length_tokens", needle.get("length"))
    hidden = len(needle.get("codes") or ()) or 1
    what = "needle" if hidden == 1 else f"{hidden} needles"
    return ABSENT if tokens is None else f"{numbers.count(tokens, estimated=guess)} tokens, {what}"


def _memory(record: RunRecord) -> str:
    memory = record.memory
    if memory is None:
        return ABSENT
    return f"{numbers.gigabytes(memory.used_peak)} used / {numbers.gigabytes(memory.available_min)} avail"


def _decode(record: RunRecord) -> str:
    """The server's decode rate, else the client's without the first chunk."""
    if record.server_tok_s is not None:
        return f"{numbers.tok_s(record.server_tok_s)} tok/s"
    guess = "client_tok_s_net" in estimated_fields(record)
    return ABSENT if record.client_tok_s_net is None else f"{numbers.tok_s(record.client_tok_s_net, estimated=guess)} tok/s"


def _note(record: RunRecord) -> str:
    needle = record.needle or {}
    cached = f"{numbers.count(record.cached_tokens)} tokens cached" if record.cached_tokens else ""
    return short(", ".join(filter(None, ("warm" if needle.get("warm") else "", cached, trouble_of(record)))))
