"""The record of one run: what history stores and every export prints. Field names are schema 1 and do not change."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

from sparktui.core.delta import Scope, Source

SCHEMA = "sparktui/1"

Status = Literal["ok", "cancelled", "failed", "cut_off"]
Flag = Literal[
    "not_idle", "cached_prompt", "partial_acceptance", "client_bound", "buffered", "not_streamed",
    "compressed", "token_mismatch", "model_loaded", "garbled_events", "other_traffic",
]  # fmt: skip


class ServerInfo(Struct, frozen=True, kw_only=True):
    """The server of a run. `base_url` has no user, password or query. `kind` is "demo" for the simulated server.

    `ctx`: context length in tokens. `draft`: how it drafts ("MTP", "draft-simple" …), None = not known. `cache` as the server names it.
    """

    kind: str
    base_url: str
    model: str = ""
    version: str = ""
    ctx: int | None = None
    draft: str | None = None
    cache_mode: str | None = None
    cache_tokens: int | None = None
    slots: int | None = None
    tls_verified: bool = True


class PromptInfo(Struct, frozen=True, kw_only=True):
    name: str
    sha256: str
    text: str | None = None


class RunParams(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Sampling parameters as sent. `temperature` None = none was sent (the server's default); the number keeps the form it was given in."""

    temperature: int | float | None = None
    max_tokens: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)


class GapMs(Struct, frozen=True):
    """Times between successive chunks, milliseconds."""

    p50: float
    p90: float
    p99: float
    max: float


class GpuMemory(Struct, frozen=True):
    """Memory of one graphics card of its own, bytes, as its driver says."""

    used: int
    total: int


class Memory(Struct, frozen=True, kw_only=True):
    """System memory of the serving machine during the run, bytes (used = total − available); `rss_peak`: the server process's own.

    `gpus`: for each graphics card with memory of its own the most it had in use; None where there is none (unified memory).
    """

    total: int
    used_before: int | None = None
    used_peak: int
    available_min: int
    rss_peak: int | None = None
    gpus: tuple[GpuMemory, ...] | None = None


class ChunkMark(Struct, frozen=True, array_like=True):
    """One chunk of a run's timeline: seconds since `t_send`, kind, characters, tokens (exact or rescaled estimate)."""

    t_s: float
    kind: str
    characters: int
    tokens: float


class RunRecord(Struct, frozen=True, kw_only=True):
    """One run. A figure that is not known is None; formulas are in docs/metrics.md. Times in seconds, rates in tokens/s."""

    id: str
    started_at: str
    label: str
    status: Status
    server: ServerInfo
    prompt: PromptInfo
    params: RunParams
    bench_id: str | None = None
    run_no: int | None = None
    warmup: bool = False
    simulated: bool = False
    error: str | None = None
    flags: tuple[Flag, ...] = ()
    warnings: tuple[str, ...] = ()
    retries: tuple[str, ...] = ()
    idle_checked: bool = False

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    new_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    tokens_estimated: bool = False

    connect_s: float | None = None
    headers_s: float | None = None
    first_event_s: float | None = None
    ttft_s: float | None = None
    ttft_content_s: float | None = None
    decode_s: float | None = None
    total_s: float | None = None

    client_tok_s: float | None = None
    client_tok_s_net: float | None = None
    net_estimated: bool = False
    tpot_s: float | None = None
    server_tok_s: float | None = None
    server_decode_s: float | None = None
    prefill_s: float | None = None
    prefill_tok_s: float | None = None
    prefill_estimated: bool = False
    queue_s: float | None = None

    chunks: int = 0
    tokens_per_chunk: float | None = None
    tokens_per_chunk_p50: float | None = None
    tokens_per_chunk_p90: float | None = None
    first_chunk_tokens: float | None = None
    gap_ms: GapMs | None = None
    bursts: int | None = None
    burstiness: float | None = None

    draft_accepted: int | None = None
    draft_proposed: int | None = None
    acceptance_rate: float | None = None
    acceptance_source: Source | None = None
    acceptance_scope: Scope | None = None
    verify_steps: int | None = None
    tokens_per_step: float | None = None
    drafted_per_step: float | None = None
    steps_per_chunk: float | None = None
    step_ms: float | None = None
    step_cost: float | None = None
    speedup: float | None = None
    speedup_rate: str | None = None
    baseline_id: str | None = None

    finish_reason: str | None = None
    request_id: str | None = None
    memory: Memory | None = None
    needle: dict[str, Any] | None = None
    text: str | None = None
    reasoning: str | None = None
    tool_calls: str | None = None
    timeline: tuple[ChunkMark, ...] | None = None
