"""Everything known of one run, in groups of name, number and unit."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from sparktui.core.needleplan import found_words
from sparktui.core.records import GapMs, GpuMemory, RunRecord
from sparktui.report import numbers
from sparktui.report.estimates import estimated_fields
from sparktui.report.numbers import ABSENT, mark
from sparktui.report.runtable import chunk_count
from sparktui.report.sections import temperature_words
from sparktui.report.table import cell_text


class Figure(Struct, frozen=True):
    """One figure: its name, its number with ≈ where estimated or – where unknown, its unit, and the field that holds it."""

    name: str
    number: str
    unit: str = ""
    field: str = ""


Group = tuple[str, tuple[Figure, ...]]


def groups(record: RunRecord) -> list[Group]:
    """Speed, chunks, draft, and, where there is any, memory and needle."""
    found: list[Group] = [("Speed", _speed(record)), ("Chunks", _chunks(record)), ("Draft", _draft(record))]
    if record.memory is not None:
        found.append(("Memory", _memory(record)))
    if record.needle is not None:
        found.append(("Needle", _needle(record)))
    return found


def facts(record: RunRecord) -> list[tuple[str, str]]:
    """What the run was: names and words, foreign text scrubbed."""
    server = record.server
    extra = "".join(f", {name} {value}" for name, value in sorted(record.params.extra.items()))
    limit = "" if record.params.max_tokens is None else f", max_tokens {numbers.count(record.params.max_tokens)}"
    rows = [
        ("run", record.id),
        ("started", numbers.when_exactly(record.started_at)),
        ("label", record.label),
        ("status", _status(record)),
        ("server", " ".join(filter(None, (server.kind, server.version, server.base_url)))),
        ("model", server.model),
        ("prompt", f"{record.prompt.name} (sha256 {record.prompt.sha256[:12]})"),
        ("sent", temperature_words(record.params) + limit + extra),
        ("bench", (record.bench_id or "") + (f", run {record.run_no}" if record.bench_id and record.run_no else "")),
        ("request id", record.request_id or ""),
        ("flags", ", ".join(record.flags)),
        ("error", record.error or ""),
        *(("retry", retry) for retry in record.retries),
        *(("warning", warning) for warning in record.warnings),
    ]
    return [(name, cell_text(value)) for name, value in rows if value]


def _status(record: RunRecord) -> str:
    words = [record.status.replace("_", " ")]
    words += [f"finish {record.finish_reason}"] if record.finish_reason else []
    words += ["warm-up"] if record.warmup else []
    words += ["simulated, nothing here is measured"] if record.simulated else []
    return ", ".join(words)


def _speed(record: RunRecord) -> tuple[Figure, ...]:
    guess = estimated_fields(record)
    tpot_ms = None if record.tpot_s is None else record.tpot_s * 1000
    return (
        Figure("client", numbers.tok_s(record.client_tok_s, estimated="client_tok_s" in guess), "tok/s", "client_tok_s"),
        Figure("client, net", numbers.tok_s(record.client_tok_s_net, estimated="client_tok_s_net" in guess), "tok/s", "client_tok_s_net"),
        Figure("server", numbers.tok_s(record.server_tok_s), "tok/s", "server_tok_s"),
        Figure("TPOT", numbers.fixed(tpot_ms, 1, estimated="tpot_s" in guess), "ms", "tpot_s"),
        Figure("TTFT", numbers.seconds_number(record.ttft_s), "s", "ttft_s"),
        Figure("first answer text", numbers.seconds_number(record.ttft_content_s), "s", "ttft_content_s"),
        Figure("prefill", numbers.seconds_number(record.prefill_s), "s", "prefill_s"),
        Figure("prefill rate", numbers.tok_s(record.prefill_tok_s, estimated=record.prefill_estimated), "tok/s", "prefill_tok_s"),
        Figure("queue", numbers.seconds_number(record.queue_s), "s", "queue_s"),
        Figure("decode", numbers.seconds_number(record.decode_s), "s", "decode_s"),
        Figure("server decode", numbers.seconds_number(record.server_decode_s), "s", "server_decode_s"),
        Figure("total", numbers.seconds_number(record.total_s), "s", "total_s"),
        Figure("connect", numbers.gap_number(None if record.connect_s is None else record.connect_s * 1000), "ms", "connect_s"),
    )


def _chunks(record: RunRecord) -> tuple[Figure, ...]:
    guess = estimated_fields(record)
    gaps = record.gap_ms or GapMs(math.nan, math.nan, math.nan, math.nan)
    first = record.first_chunk_tokens
    halves = (numbers.fixed(record.tokens_per_chunk_p50, 0), numbers.fixed(record.tokens_per_chunk_p90, 0))
    spread = ABSENT if ABSENT in halves else mark(" / ".join(halves), "tokens_per_chunk_p50" in guess)
    return (
        Figure("prompt", numbers.count(record.prompt_tokens), "tok", "prompt_tokens"),
        Figure("of it cached", numbers.count(record.cached_tokens), "tok", "cached_tokens"),
        Figure("tokens", numbers.count(record.completion_tokens, estimated="completion_tokens" in guess), "tok", "completion_tokens"),
        Figure("of it reasoning", numbers.count(record.reasoning_tokens), "tok", "reasoning_tokens"),
        Figure("chunks", chunk_count(record), "", "chunks"),
        Figure("per chunk", numbers.per_chunk(record.tokens_per_chunk, estimated="tokens_per_chunk" in guess), "tok", "tokens_per_chunk"),
        Figure("per chunk p50 / p90", spread, "tok", "tokens_per_chunk_p50"),
        Figure("first chunk", numbers.count(first, estimated="first_chunk_tokens" in guess), "tok", "first_chunk_tokens"),
        Figure("gap p50", numbers.gap_number(gaps.p50), "ms", "gap_ms"),
        Figure("gap p90", numbers.gap_number(gaps.p90), "ms", "gap_ms"),
        Figure("gap p99", numbers.gap_number(gaps.p99), "ms", "gap_ms"),
        Figure("gap longest", numbers.gap_number(gaps.max), "ms", "gap_ms"),
        Figure("bursts", numbers.count(record.bursts), "", "bursts"),
        Figure("burstiness", numbers.burstiness(record.burstiness), numbers.burst_word(record.burstiness), "burstiness"),
    )


def _draft(record: RunRecord) -> tuple[Figure, ...]:
    guess = estimated_fields(record)
    source = f"from {record.acceptance_source}".replace("_", " ") if record.acceptance_source else ""
    return (
        Figure("accepted", numbers.drafts(record.draft_accepted, record.draft_proposed), source, "draft_accepted"),
        Figure("acceptance", numbers.percent_number(record.acceptance_rate), "%", "acceptance_rate"),
        Figure("verify steps", numbers.count(record.verify_steps), "", "verify_steps"),
        Figure("per step", numbers.per_step(record.tokens_per_step, estimated="tokens_per_step" in guess), "tok", "tokens_per_step"),
        Figure("drafted per step", numbers.per_step(record.drafted_per_step), "tok", "drafted_per_step"),
        Figure("steps per chunk", numbers.per_step(record.steps_per_chunk), "", "steps_per_chunk"),
        Figure("step", numbers.fixed(record.step_ms, 1, estimated="step_ms" in guess), "ms", "step_ms"),
        Figure("step cost", numbers.fixed(record.step_cost, 2, estimated="step_cost" in guess), "× a single-token pass", "step_cost"),
        Figure("speed-up", numbers.fixed(record.speedup, 2, estimated="speedup" in guess), _against(record), "speedup"),
    )


def _against(record: RunRecord) -> str:
    if record.speedup is None:
        return "× no draft"
    rate = {"server_tok_s": "server rate", "client_tok_s_net": "net client rate"}.get(record.speedup_rate or "", "")
    return "× " + ", ".join(filter(None, (rate, record.baseline_id and f"baseline {record.baseline_id}")))


def _memory(record: RunRecord) -> tuple[Figure, ...]:
    memory = record.memory
    if memory is None:
        return ()
    return (
        Figure("used before", numbers.gigabytes_number(memory.used_before), "GB", "memory"),
        Figure("used, peak", numbers.gigabytes_number(memory.used_peak), "GB", "memory"),
        Figure("available, least", numbers.gigabytes_number(memory.available_min), "GB", "memory"),
        Figure("total", numbers.gigabytes_number(memory.total), "GB", "memory"),
        Figure("server process, peak", numbers.gigabytes_number(memory.rss_peak), "GB", "memory"),
        *_gpus(memory.gpus or ()),
    )


def _gpus(cards: Sequence[GpuMemory]) -> tuple[Figure, ...]:
    """Graphics cards with memory of their own, one by one, and together where they are several."""
    rows = [
        Figure(f"GPU {number}, peak", numbers.gigabytes_number(card.used), f"GB of {numbers.gigabytes_number(card.total)}", "memory")
        for number, card in enumerate(cards)
    ]
    if len(cards) > 1:
        used, total = sum(card.used for card in cards), sum(card.total for card in cards)
        rows.append(Figure("GPUs together", numbers.gigabytes_number(used), f"GB of {numbers.gigabytes_number(total)}", "memory"))
    return tuple(rows)


def _needle(record: RunRecord) -> tuple[Figure, ...]:
    needle = record.needle or {}
    depths = needle.get("depths") or [needle.get("depth")]
    codes = needle.get("codes") or [needle.get("code")]
    several = len(depths) > 1
    rows = [
        Figure("result", found_words(needle) or ABSENT, "", "needle"),
        Figure("asked length", numbers.count(needle.get("length")), "tok", "needle"),
        Figure("built length", numbers.count(needle.get("length_tokens"), estimated=bool(needle.get("length_estimated"))), "tok", "needle"),
    ]
    each = needle.get("found_each") or [None] * len(depths)
    for number, (depth, code, found) in enumerate(zip(depths, codes, each, strict=False), start=1):
        word = "" if found is None else "found" if found else "not found"
        rows.append(Figure(f"depth {number}" if several else "depth", ABSENT if depth is None else f"{depth:g}", word, "needle"))
        rows.append(Figure(f"code {number}" if several else "code", ABSENT if code is None else cell_text(str(code)), "", "needle"))
    return tuple(rows)
