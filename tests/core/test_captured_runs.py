"""Captured streams from bytes to record: parser, dialect, state and metrics together, at the real times of the reads."""

from __future__ import annotations

import random
from typing import Any

import pytest

from sparktui.core.delta import ServerFigures
from sparktui.core.events import Chunk, Usage
from sparktui.core.figures.metrics import apply_figures
from sparktui.core.figures.state import RunState
from sparktui.core.records import RunRecord, ServerInfo
from sparktui.core.sse import SseEvent, SseParser
from sparktui.servers.registry import adapter_for
from tests.core.builders import SEND_NS, folded, started
from tests.core.streams import FIXTURES, body_reads

TABBY, TABBY_NEW, LLAMA = "tabbyapi-e632af4", "tabbyapi-pr452", "llamacpp-b11434"
KINDS = {TABBY: "tabbyapi", TABBY_NEW: "tabbyapi", LLAMA: "llamacpp"}


def run_of(name: str, reads: list[tuple[float, bytes]] | None = None) -> RunRecord:
    """The record of a captured stream ("server/stream"), its bytes cut as given or as they were read."""
    kind = KINDS[name.partition("/")[0]]
    adapter = adapter_for(kind)
    state, parser, chunks, t_ns = RunState(), SseParser(), 0, SEND_NS
    state.fold(started())

    def take(event: SseEvent) -> None:
        nonlocal chunks
        delta = adapter.decode(event)
        state.note_first_event(t_ns)
        chunks += bool(delta.parts)
        for part in delta.parts:
            told = {"kind": part.kind, "text": part.text, "label": part.label, "tokens_total": delta.tokens_total}
            state.fold(Chunk(run_id="r1", t_ns=t_ns, n=chunks, **told))
        if delta.figures is not None:
            state.fold(Usage(run_id="r1", figures=delta.figures))
        state.finish_reason = delta.finish_reason or state.finish_reason

    for t_s, data in reads or body_reads(name):
        t_ns = SEND_NS + round(t_s * 1e9)
        for event in parser.feed(data):
            take(event)
    for event in parser.close():
        take(event)
    state.note_done(t_ns)
    server = ServerInfo(kind=kind, base_url="http://127.0.0.1:5000", model="demo")
    return folded(state, server=server, steps_checked=adapter.steps_checked)


FILES = [path for server in KINDS for path in sorted((FIXTURES / server / "streams").glob("*.jsonl"))]
NAMES = [f"{path.parts[-3]}/{path.stem}" for path in FILES if "nonstream" not in path.stem]


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_tells_the_same_whole_byte_by_byte_and_cut_at_random(name: str) -> None:
    body = b"".join(data for _, data in body_reads(name))
    chance = random.Random(name)
    places = sorted(chance.randrange(len(body)) for _ in range(20))
    random_cuts = [(1.0, body[a:b]) for a, b in zip([0, *places], [*places, len(body)], strict=True)]
    whole = run_of(name, [(1.0, body)])
    assert run_of(name, [(1.0, body[i : i + 1]) for i in range(len(body))]) == whole
    assert run_of(name, random_cuts) == whole
    assert whole.text or whole.reasoning or whole.tool_calls


# not an answer of some length that ran to its end, one event a token
OTHER = ("cancelled", "held", "emoji", "ping", "per-token", "short")
LLAMA_FULL = [name for name in NAMES if name.startswith(LLAMA) and not any(word in name for word in OTHER)]


@pytest.mark.parametrize("name", LLAMA_FULL)
def test_llamacpp_rates_of_client_and_server_agree(name: str) -> None:
    run = run_of(name)
    n = run.completion_tokens or 0
    assert (n - 1) / (run.decode_s or 1) == pytest.approx(run.server_tok_s, rel=0.006)
    assert run.client_tok_s_net == pytest.approx(run.server_tok_s, rel=0.02)
    assert run.prefill_tok_s == pytest.approx((run.new_tokens or 0) / (run.prefill_s or 1))
    assert (run.tokens_estimated, run.queue_s, run.prefill_estimated) == (False, None, False)


@pytest.mark.parametrize(
    ("name", "accepted", "proposed", "steps"),
    [
        ("draft-self8-code-t0", 265, 265, 35),
        ("draft-q2k-n4-story-t0", 236, 249, 64),
        ("draft-q2k-n4-code-t1", 177, 486, 123),
        ("synth-len3-n4-story-t0", 104, 176, 46),
        ("none-story-t0", None, None, None),
    ],
)
def test_llamacpp_acceptance_and_steps(name: str, accepted: int | None, proposed: int | None, steps: int | None) -> None:
    run = run_of(f"{LLAMA}/{name}")
    assert (run.draft_accepted, run.draft_proposed, run.verify_steps) == (accepted, proposed, steps)
    if steps is not None:
        assert run.bursts == steps
        assert (run.acceptance_source, run.acceptance_scope) == ("timings", "request")
        assert run.step_ms == pytest.approx(1000 * (run.server_decode_s or 0) / steps)


def test_running_timings_give_exact_counts_of_every_chunk() -> None:
    run = run_of(f"{LLAMA}/timings-per-token-draft-self8")
    assert (run.first_chunk_tokens, run.net_estimated, run.completion_tokens) == (1, False, 24)


def test_a_cached_prompt_is_flagged_and_only_new_tokens_make_the_prefill_rate() -> None:
    run = run_of(f"{LLAMA}/draft-q2k-n4-code-t1")
    assert run.flags == ("cached_prompt",)
    assert (run.cached_tokens, run.prompt_tokens) == (31, 36)
    assert (run.new_tokens or 0) < 36


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("story-draft-usage", (794, 160, 29.6, 0.53)),
        ("code-draft-usage", (794, 48, 89.01, 0.66)),
        ("code-nodraft-usage", (799, 265, 16.48, 0.53)),
        ("reasoning", (153, 36, 33.26, None)),
        ("utf8-multibyte", (151, 28, 41.08, None)),
    ],
)
def test_tabbyapi_figures(name: str, figures: tuple[int, int, float, float | None]) -> None:
    tokens, chunks, server, ttft_s = figures
    run = run_of(f"{TABBY}/{name}")
    assert (run.completion_tokens, run.chunks) == (tokens, chunks)
    assert run.server_tok_s == pytest.approx(server, rel=0.001)
    assert (run.queue_s, run.flags, run.finish_reason is not None) == (pytest.approx(0, abs=0.02), (), True)
    if ttft_s is not None:
        assert run.ttft_s == pytest.approx(ttft_s, rel=0.2)
        assert run.client_tok_s_net == pytest.approx(server, rel=0.02)
        assert (run.client_tok_s or 0) > (run.client_tok_s_net or 0)


def test_tabbyapi_counters_in_usage() -> None:
    run = run_of(f"{TABBY_NEW}/code-draft-usage")
    assert (run.draft_accepted, run.draft_proposed, run.acceptance_source) == (648, 714, "usage")
    assert (run.verify_steps, run.steps_per_chunk) == (146, pytest.approx(3.04, abs=0.15))
    assert run.first_chunk_tokens == pytest.approx(38, abs=8)


def test_a_queued_request_is_not_idle() -> None:
    run = run_of(f"{TABBY}/queued-second")
    assert run.queue_s == pytest.approx(4.07, abs=0.02)
    assert run.flags == ("not_idle",)
    assert run_of(f"{TABBY}/queued-first").flags == ()


def test_an_indeterminate_rate_is_absent() -> None:
    run = run_of(f"{TABBY}/fast-indeterminate")
    assert (run.prefill_tok_s, run.prefill_s, run.prefill_estimated) == (None, None, False)
    assert run.server_tok_s is not None


@pytest.mark.parametrize("name", ["chat-short-no-usage-option", "cancelled-by-client", "error-midstream"])
def test_without_usage_tokens_are_estimated_and_never_the_chunks(name: str) -> None:
    run = run_of(f"{TABBY}/{name}")
    assert run.tokens_estimated
    assert (run.completion_tokens or 0) > 2 * run.chunks
    if name == "chat-short-no-usage-option":
        assert run.completion_tokens == pytest.approx(121, rel=0.10)


def test_a_requeued_generation_is_known_by_its_log() -> None:
    run = run_of(f"{TABBY}/requeue-partial-acceptance")
    assert run.flags == ("token_mismatch",)
    log: dict[str, Any] = {"prompt_tokens": 33, "cached_tokens": 512, "new_tokens": 252, "draft_accepted": 30, "draft_proposed": 59}
    joined = apply_figures(run, ServerFigures(acceptance_source="log", acceptance_scope="request", **log), steps_checked=True)
    assert "partial_acceptance" in joined.flags
    assert joined.verify_steps is None


def test_tool_calls_and_multibyte_text_arrive_whole() -> None:
    assert run_of(f"{TABBY}/tool-call").tool_calls
    assert "\ufffd" not in (run_of(f"{TABBY}/utf8-multibyte").text or "\ufffd")
    emoji = run_of(f"{LLAMA}/emoji-several-tokens-per-event")
    assert (emoji.text, emoji.completion_tokens, emoji.chunks) == ("🦙" * 10, 40, 10)
