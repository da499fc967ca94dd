"""What the meter says: digits, the lines beside them, and rows of figures. Pure: session in, text out."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from sparktui.core.expect import Prefill, prefill_of
from sparktui.core.figures.burstscale import ramp
from sparktui.core.figures.phase import Phase
from sparktui.core.liverun import LiveRun
from sparktui.core.records import RunRecord
from sparktui.core.session import SessionState
from sparktui.core.stats.statistics import median
from sparktui.report import numbers
from sparktui.report.numbers import ABSENT
from sparktui.tui.drawing.roles import Role
from sparktui.tui.live.pace import Pace, pace_of

PREFILL_SHOWN_S = 2.0
_DIGITS_DECIMAL_BELOW = 100
_CELL_RUNS = 5


class Row(Struct, frozen=True):
    """One row of the meter below the digits.

    `figure`: name, number, unit (`role` is the number's, `old` mutes it). `head`: a title and what it is about. `spark`, `bench`, `blank`.
    `rank`: which rows go first where the terminal is too low for all (the highest).
    """

    kind: Literal["figure", "head", "spark", "bench", "blank"]
    name: str = ""
    number: str = ""
    unit: str = ""
    role: Role = "text"
    old: bool = False
    rank: int = 0
    share: float = 0.0


class MeterView(Struct, frozen=True, kw_only=True):
    """`beside`: up to five lines, each of pieces (text, role, bold). `spare`: rows for a meter with six rows or more to spare."""

    status: str = ""
    digits: str = ABSENT
    digits_role: Role = "faint"
    beside: tuple[tuple[tuple[str, Role, bool], ...], ...] = ()
    rows: tuple[Row, ...] = ()
    spare: tuple[Row, ...] = ()


_BLANK = Row("blank", rank=9)
_EMPTY: tuple[tuple[str, Role, bool], ...] = ()


def meter_view(session: SessionState, phase: Phase, now_ns: int, baseline_tok_s: float | None = None) -> MeterView:
    """The meter at `now_ns`. `baseline_tok_s`: the configured rate without a draft, where no run tells it."""
    run = session.current
    if run is None:
        return MeterView(beside=(_one("tok/s", "muted"),), rows=(_BLANK, Row("figure", name="no run yet"), *_bench(session)))
    if phase.name == "prefill" and phase.seconds >= PREFILL_SHOWN_S:
        return _waiting(session, run, now_ns)
    if run.record is not None:
        return _finished(session, run, run.record)
    return _running(session, run, phase, now_ns, pace_of(session, run, baseline_tok_s))


def _running(session: SessionState, run: LiveRun, phase: Phase, now_ns: int, pace: Pace) -> MeterView:
    rate = run.rate.now(now_ns)
    stalled = phase.name == "stalled"
    idle = stalled or not rate
    estimated = not run.tokens_exact
    beside = [
        (("tok/s", "text", True), (" ≈", "muted", False)) if estimated else (("tok/s", "text", True),),
        _one("now, 1 s", "muted"),
        _EMPTY,
        ((numbers.tok_s(run.tok_s_net), "text", True), (" before" if stalled else " so far", "muted", False)),
    ]
    if stalled:
        beside.append(_one(f"stalled {int(phase.seconds)} s", "burst", bold=True))
    elif pace.ratio is not None:
        beside.append(((f"{pace.ratio:.1f}×", "text", True), (" no draft", "muted", False)))
    return MeterView(
        status="≈ estimated" if estimated else "",
        digits="0" if stalled else numbers.tok_s_now(rate).replace(",", ""),
        digits_role="faint" if idle else ramp(run.tokens_per_chunk or 0),
        beside=tuple(beside),
        rows=(*_figures(run, now_ns), *_earlier_draft(session, run), *_bench(session)),
        spare=_cell(session, run),
    )


def _figures(run: LiveRun, now_ns: int) -> tuple[Row, ...]:
    waiting = run.t_first_ns is None
    ttft = float(int(run.elapsed_s(now_ns))) if waiting else run.ttft_s
    per_chunk = run.tokens_per_chunk
    burstiness = run.gaps.burstiness
    return (
        _BLANK,
        Row("spark", rank=6),
        _BLANK,
        _figure("TTFT", numbers.seconds(ttft), old=waiting),
        _figure("elapsed", numbers.elapsed(run.elapsed_s(now_ns)), rank=5),
        _tokens(numbers.count(run.tokens, estimated=not run.tokens_exact and run.chunks > 0), run.max_tokens),
        _figure("chunks", numbers.count(run.chunks), rank=4),
        _figure("per chunk", _unit(numbers.per_chunk(per_chunk), "tok"), role=ramp(per_chunk) if per_chunk is not None else "text"),
        _figure("gap p50", numbers.gap_ms(run.gaps.median_ms), rank=3),
        _figure("burstiness", _unit(numbers.burstiness(burstiness), numbers.burst_word(burstiness)), rank=7),
    )


def _finished(session: SessionState, run: LiveRun, record: RunRecord) -> MeterView:
    rate = record.client_tok_s
    digits = numbers.tok_s(rate).replace(",", "")
    large = rate is not None and round(rate, 1) >= _DIGITS_DECIMAL_BELOW
    beside: list[tuple[tuple[str, Role, bool], ...]] = [_one("client", "text", bold=True), _one("tok/s", "text", bold=True), _EMPTY]
    if large:
        digits = digits.split(".", maxsplit=1)[0]
        beside = [_one("tok/s", "text", bold=True)] if len(digits) > 3 else [*beside[:2], _one(numbers.tok_s(rate), "text")]
    if len(digits.replace(".", "")) <= 3:
        beside += [_one(numbers.tok_s(record.server_tok_s), "text", bold=True), _one("server", "muted")]
    per_chunk = record.tokens_per_chunk
    gap = record.gap_ms.p50 if record.gap_ms is not None else None
    rows = (
        _BLANK,
        Row("spark", rank=6),
        _BLANK,
        _figure("TTFT", numbers.seconds(record.ttft_s)),
        _figure("total", numbers.elapsed(record.total_s), rank=5),
        _tokens(numbers.count(record.completion_tokens, estimated=record.tokens_estimated), run.max_tokens),
        _figure("chunks", numbers.count(record.chunks), rank=4),
        _figure("per chunk", _unit(numbers.per_chunk(per_chunk), "tok"), role=ramp(per_chunk) if per_chunk is not None else "text"),
        _figure("gap p50", numbers.gap_ms(gap), rank=3),
        _figure("burstiness", _unit(numbers.burstiness(record.burstiness), numbers.burst_word(record.burstiness)), rank=7),
        *_own_draft(record),
        *_bench(session),
    )
    known = not record.tokens_estimated and record.completion_tokens is not None
    return MeterView(
        status="from the server" if known else "≈ estimated" if record.completion_tokens is not None else "",
        digits=digits,
        digits_role="faint" if digits == ABSENT else ramp(per_chunk or 0),
        beside=tuple(beside),
        rows=rows,
        spare=_cell(session, run),
    )


def _waiting(session: SessionState, run: LiveRun, now_ns: int) -> MeterView:
    prefill = prefill_of(session, run, now_ns)
    beside: list[tuple[tuple[str, Role, bool], ...]] = [(("TTFT", "text", True), (" s", "muted", False)), _one("counting", "muted"), _EMPTY]
    if prefill.expected_s is not None:
        beside += [_one(numbers.mark(_whole(prefill.expected_s), True), "text", bold=True), _one("expected", "muted")]
    elif prefill.exact and prefill.share is not None:
        beside += [_one(f"{100 * prefill.share:.0f} %", "text", bold=True), _one("of the prompt", "muted")]
    elapsed = run.elapsed_s(now_ns)
    return MeterView(
        digits=str(int(elapsed)),
        digits_role="muted",
        beside=tuple(beside),
        rows=(
            _BLANK,
            _figure("elapsed", numbers.elapsed(float(int(elapsed)))),
            _figure("prompt", _unit(_prompt(prefill), "tok")),
            _tokens("0", run.max_tokens),
            _figure("chunks", "0", rank=5),
            _BLANK,
            *_memory(session),
            _BLANK,
            *_bench(session),
        ),
    )


def _earlier_draft(session: SessionState, run: LiveRun) -> tuple[Row, ...]:
    earlier = session.earlier_of_cell(run)
    if earlier is None:
        return (Row("head", name="draft", number="known when this ends", rank=2), *_draft(None, None, None, old=True))
    named = f"run {earlier.run_no}" if earlier.run_no else "the run before"
    head = Row("head", name="draft", number=f"from {named} until this ends", rank=2)
    return (head, *_draft(earlier.acceptance_rate, earlier.tokens_per_step, earlier.server_tok_s, old=True))


def _draft(rate: float | None, per_step: float | None, server_tok_s: float | None, *, old: bool) -> tuple[Row, ...]:
    return (
        _figure("accepted", numbers.percent(rate), old=old, rank=1),
        _figure("per step", _unit(numbers.per_step(per_step), "tok"), old=old, rank=1),
        _figure("server", _unit(numbers.tok_s(server_tok_s), "tok/s"), old=old, rank=2),
    )


def _own_draft(record: RunRecord) -> tuple[Row, ...]:
    counted = record.draft_accepted is not None and record.draft_proposed is not None
    said = f"this run, {numbers.count(record.draft_accepted)} of {numbers.count(record.draft_proposed)}" if counted else "this run"
    return (
        Row("head", name="draft", number=said, rank=2),
        _figure("accepted", numbers.percent(record.acceptance_rate), rank=1),
        _figure("per step", _unit(numbers.per_step(record.tokens_per_step), "tok"), rank=1),
        _figure("speed-up", _unit(numbers.fixed(record.speedup, 2), "× no draft"), rank=2),
    )


def _memory(session: SessionState) -> tuple[Row, ...]:
    if session.memory is None:
        return ()
    return (
        Row("head", name="memory", number="every second", rank=4),
        _figure("used", numbers.gigabytes(session.memory.used), rank=3),
        _figure("peak", numbers.gigabytes(session.memory_peak_used), rank=3),
        _figure("least free", numbers.gigabytes(session.memory_least_free), rank=3),
    )


def _cell(session: SessionState, run: LiveRun) -> tuple[Row, ...]:
    """Client tok/s of the finished runs of this bench's cell, the newest five, and their median."""
    started = run.started
    if started.bench_id is None:
        return ()
    wanted = (started.bench_id, started.prompt.sha256, started.params)
    cell = [r for r in session.records if (r.bench_id, r.prompt.sha256, r.params) == wanted]
    rates = {r.run_no or 0: r.client_tok_s for r in cell if r.status == "ok" and not r.warmup and r.client_tok_s is not None}
    if not rates:
        return ()
    of = f"{len(rates)} of {started.runs}" if started.runs else f"{len(rates)} runs"
    runs = [_figure(f"run {number}", _unit(numbers.tok_s(rates[number]), "tok/s")) for number in sorted(rates)[-_CELL_RUNS:]]
    middle = _figure("median", _unit(numbers.tok_s(median(rates.values())), "tok/s"))
    return (_BLANK, Row("head", name="this cell", number=of), *runs, middle)


def _bench(session: SessionState) -> tuple[Row, ...]:
    progress = session.progress
    if progress is None or not progress.total:
        return ()
    left = "done" if progress.finished else numbers.eta(progress.eta_s)
    done = f"{progress.done}/{progress.total}"
    kind = session.plan.kind if session.plan is not None else "bench"
    return (Row("bench", name=kind, number=done, unit="" if left == ABSENT else left, share=progress.done / progress.total),)


def _tokens(number: str, limit: int | None) -> Row:
    return Row("figure", name="tokens", number=number, unit=f"/ {numbers.count(limit)}" if limit is not None else "tok")


def _figure(name: str, text: str, *, role: Role = "text", old: bool = False, rank: int = 0) -> Row:
    """`text` is number and unit; the unit is what follows the last space of a marked or plain number."""
    marked = text.startswith("≈ ")
    number, _, unit = (text[2:] if marked else text).partition(" ")
    absent = number == ABSENT
    return Row("figure", name, f"≈ {number}" if marked else number, unit, "faint" if absent else role, old and not absent, rank)


def _unit(number: str, unit: str) -> str:
    return number if number == ABSENT else f"{number} {unit}"


def _prompt(prefill: Prefill) -> str:
    return numbers.count(prefill.prompt_tokens, estimated=prefill.prompt_estimated)


def _whole(seconds: float) -> str:
    return numbers.seconds(seconds) if seconds < 10 else f"{seconds:.0f} s"


def _one(text: str, role: Role, *, bold: bool = False) -> tuple[tuple[str, Role, bool], ...]:
    return ((text, role, bold),)
