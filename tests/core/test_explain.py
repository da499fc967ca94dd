"""Explanations of one run and of cells: every part with its formula, and "not known" where figures are missing."""

from __future__ import annotations

import msgspec
import pytest

from sparktui.core.explain import Sentence, explain_run, needed_acceptance, steps_before_text, steps_before_text_s
from sparktui.core.explaincells import (
    context_and_decode,
    explain_cells,
    median_run,
    prefill_and_memory,
    what_sets_the_rate,
    what_the_draft_does,
)
from sparktui.core.records import Memory, RunRecord
from tests.runs import run

FULL: dict[str, object] = {
    "completion_tokens": 794, "draft_accepted": 648, "draft_proposed": 714, "acceptance_rate": 648 / 714, "verify_steps": 146,
    "tokens_per_step": 794 / 146, "drafted_per_step": 714 / 146, "chunks": 48, "steps_per_chunk": 146 / 48, "tokens_per_chunk": 794 / 48,
    "server_tok_s": 54.3, "server_decode_s": 14.62, "step_ms": 100.1, "step_cost": 2.9, "speedup": 1.87, "speedup_rate": "server_tok_s",
    "first_chunk_tokens": 38.0, "ttft_s": 1.47, "decode_s": 13.8, "total_s": 15.3, "prefill_s": 0.32, "queue_s": 0.0, "client_tok_s": 57.5,
}  # fmt: skip


def full(**fields: object) -> RunRecord:
    return run(1, **{**FULL, **fields})


def about(record: RunRecord, topic: str) -> list[Sentence]:
    return [sentence for sentence in explain_run(record) if sentence.topic == topic]


def test_first_text_is_split_into_queue_prefill_steps_and_rest() -> None:
    record = full()
    assert steps_before_text(record) == pytest.approx(38 / (794 / 146) + 1)
    steps_s = steps_before_text_s(record)
    assert steps_s == pytest.approx(0.80, abs=0.005)
    (found,) = about(record, "first text")
    assert found.text == "TTFT 1.47 s: queue 0.00 s, prefill 0.32 s, steps before the first text 0.80 s, rest 0.35 s."
    assert found.formula == "steps before the first text = 38 tokens ÷ 5.44 per step + 1 held back = 8.0; × 100.1 ms"


def test_only_tabbyapi_holds_a_step_back() -> None:
    server = msgspec.structs.replace(full().server, kind="llamacpp")
    assert steps_before_text(full(server=server)) == pytest.approx(38 / (794 / 146))


def test_a_first_token_that_came_with_the_prefill_leaves_no_time_below_zero() -> None:
    """llama.cpp sends an event a token: its first one is a part of a step, whose time was more than the TTFT had left."""
    server = msgspec.structs.replace(full().server, kind="llamacpp")
    record = full(server=server, first_chunk_tokens=1.0, ttft_s=0.13, prefill_s=0.134, queue_s=None)
    assert steps_before_text(record) is None
    found = [sentence.text for sentence in about(record, "first text")]
    assert found[0] == "TTFT 0.13 s: prefill 0.13 s, rest 0.00 s."
    assert found[1:] == ["Not known: queue, steps before the first text (what they took is in the 0.00 s that are left)."]
    (both,) = about(record, "client and server")
    assert "The first chunk's 1 token, which had arrived when its clock started, accounts for 0.1 %." in both.text
    assert steps_before_text(full(server=server, first_chunk_tokens=1.0, tokens_per_step=1.0)) == 1.0


def test_rate_draft_and_speed_up_with_their_formulas() -> None:
    assert about(full(), "rate")[0].text == "Each verify step takes 100.1 ms and yields 5.44 tokens: 54.3 tok/s."
    assert about(full(), "draft")[0].formula == "648 ÷ 714; 146 steps = 794 tokens − 648 accepted"
    found = about(full(), "speed-up")[0]
    assert "costs 2.90 single-token passes" in found.text
    assert "1.88 × as fast as 29.0 tok/s" in found.text
    slow = about(full(step_cost=6.0), "speed-up")[0]
    assert "It slows the answer down: it would have to yield more than 6.00 tokens a step." in slow.text


def test_what_acceptance_would_have_to_be() -> None:
    prose = full(tokens_per_step=1.64, drafted_per_step=1.10, acceptance_rate=0.58)
    assert needed_acceptance(prose) == pytest.approx((1.1 * 1.64 - 1) / 1.10)
    assert about(prose, "what if")[0].text == "For +10 % the acceptance would have to be 73.1 % in place of 58.0 %."
    assert about(full(), "what if")[0].text.startswith("No acceptance brings +10 %: all drafts accepted would give +8.3 %.")
    assert needed_acceptance(full(drafted_per_step=None)) is None


def test_without_a_draft() -> None:
    record = full(
        draft_accepted=None, draft_proposed=None, acceptance_rate=None, verify_steps=None, tokens_per_step=None, drafted_per_step=None,
        steps_per_chunk=None, step_ms=None, step_cost=None, server=msgspec.structs.replace(full().server, draft="none"), server_tok_s=29.0,
    )  # fmt: skip
    assert about(record, "draft")[0].text == "It ran without a draft."
    assert about(record, "rate")[0].text == "Without draft figures a token takes 34.5 ms: 29.0 tok/s."
    assert about(record, "speed-up") == []


def test_what_is_missing_is_not_known() -> None:
    bare = run(
        1, ttft_s=1.0, decode_s=10.0, total_s=None, queue_s=None, prefill_s=None, server_tok_s=None, server_decode_s=None, step_ms=None,
        draft_accepted=None, draft_proposed=None, acceptance_rate=None, verify_steps=None, tokens_per_step=None, step_cost=None,
        server=msgspec.structs.replace(full().server, draft=None), client_tok_s_net=None, client_tok_s=None, acceptance_source=None,
    )  # fmt: skip
    unknown = [sentence.text for sentence in explain_run(bare) if not sentence.known]
    assert unknown[0].startswith("Not known: queue, prefill, steps before the first text")
    assert any("tokens per step" in text for text in unknown)
    assert any("acceptance" in text for text in unknown)
    empty = full(ttft_s=None, decode_s=None)
    assert explain_run(empty)[0].text.startswith("Not known: first text and last text")


def test_circumstances_and_outliers() -> None:
    record = full(queue_s=0.6, cached_tokens=20, memory=Memory(total=121 * 10**9, used_peak=106 * 10**9, available_min=15 * 10**9))
    texts = " ".join(sentence.text for sentence in explain_run(record))
    assert "waited 0.60 s for another request" in texts
    assert "20 of 38 prompt tokens came from the cache" in texts
    assert "15.0 GB of memory were free" in texts
    peers = [full(), *(run(n, **{**FULL, "ttft_s": 1.08}) for n in (2, 3, 4))]
    assert "first text after 1.47 s against 1.08 s" in explain_run(peers[0], peers)[-1].text


def test_text_against_temperature() -> None:
    def cell(start: int, prompt: str, temperature: float, rate: float) -> list[RunRecord]:
        return [run(start + n, prompt=prompt, temperature=temperature, client_tok_s=rate + 0.1 * n) for n in range(3)]

    heat = [*cell(1, "a", 0, 50), *cell(5, "a", 1, 30), *cell(9, "b", 0, 51), *cell(13, "b", 1, 31)]
    assert what_sets_the_rate(heat)[0].text.startswith("The decode rate is set by the temperature, not the text")
    both = [*cell(1, "a", 0, 50), *cell(5, "a", 1, 30), *cell(9, "b", 0, 30), *cell(13, "b", 1, 18)]
    assert what_sets_the_rate(both)[0].text.startswith("Text and temperature both set the decode rate")
    assert not what_sets_the_rate(cell(1, "a", 0, 50))[-1].known


def test_the_draft_against_none() -> None:
    with_draft = [run(n, label="shipped", client_tok_s=50.0 + n / 10, tokens_per_step=3.6) for n in range(3)]
    bare = msgspec.structs.replace(with_draft[0].server, draft="none")
    fields = {"draft_proposed": None, "draft_accepted": None, "acceptance_rate": None, "tokens_per_step": None, "server": bare}
    without = [run(10 + n, label="no draft", client_tok_s=29.0 + n / 10, **fields) for n in range(3)]
    (found,) = what_the_draft_does([*with_draft, *without])
    assert found.text == "shipped against no draft (code): 1.72 ×, faster. A verify step costs 2.09 single-token passes."
    assert found.formula.endswith("3.60 tokens a step ÷ 1.72 = 2.09")
    assert what_the_draft_does(with_draft) == []


def test_decode_along_the_context() -> None:
    short = [run(n, prompt_tokens=1000, client_tok_s=50.0 + n / 10) for n in range(3)]
    long = [run(10 + n, prompt_tokens=9000, client_tok_s=40.0 + n / 10) for n in range(3)]
    (found,) = context_and_decode([*short, *long])
    assert (found.known, "slower" in found.text) == (True, True)
    (few,) = context_and_decode([*short, long[0]])
    assert (few.known, "too few runs to tell (n = 1" in few.text) == (False, True)
    assert not context_and_decode(short)[0].known


def test_prefill_and_memory_apart() -> None:
    def held(number: int, rate: float, free_gb: int) -> RunRecord:
        memory = Memory(total=121 * 10**9, used_peak=(121 - free_gb) * 10**9, available_min=free_gb * 10**9)
        return run(number, prefill_tok_s=rate, memory=memory, prompt_tokens=100_000)

    assert "coincides with the least free memory" in prefill_and_memory([held(1, 800, 15), held(2, 600, 8)])[0].text
    assert "is not the one with the least free memory (8 GB)" in prefill_and_memory([held(1, 800, 8), held(2, 600, 15)])[0].text
    assert prefill_and_memory([held(1, 800, 8), held(2, 790, 15)])[0].text.startswith("No prefill is slower")
    assert "all had about the same free memory (15 GB" in prefill_and_memory([held(1, 800, 15), held(2, 600, 15)])[0].text
    assert not prefill_and_memory([held(1, 800, 8)])[0].known
    assert not prefill_and_memory([msgspec.structs.replace(held(n, 800 - n, 8 + n), prompt_tokens=38) for n in range(3)])[0].known


def test_runs_that_do_not_count_say_nothing() -> None:
    spoiled = [run(n, client_tok_s=1.0, warmup=True) for n in range(3)]
    assert all(not sentence.known for sentence in explain_cells(spoiled))
    assert median_run([run(1, client_tok_s=10.0), run(2, client_tok_s=30.0), run(3, client_tok_s=11.0)]).client_tok_s == 11.0
    assert median_run(spoiled) is spoiled[-1]
