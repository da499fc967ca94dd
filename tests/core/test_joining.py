"""Later figures joined into a record: gaps filled, what the answer said kept, contradictions flagged."""

from __future__ import annotations

import pytest

from sparktui.core.delta import ServerFigures
from sparktui.core.figures.metrics import apply_figures
from sparktui.core.records import RunRecord
from sparktui.core.stats.baseline import Baseline
from tests.core.builders import folded, state_of

CHUNKS = [(600 + 100 * i, "four words in here ") for i in range(11)]
LOG = ServerFigures(
    prompt_tokens=18, cached_tokens=0, new_tokens=18, completion_tokens=60, queue_s=0.0, prefill_s=0.15, prefill_tok_s=120.0, decode_s=1.5,
    server_tok_s=40.0, draft_accepted=40, draft_proposed=50, acceptance_source="log", acceptance_scope="request",
)  # fmt: skip


def answered(**figures: int | float) -> RunRecord:
    return folded(state_of(CHUNKS, figures=ServerFigures(**figures) if figures else None, done_ms=1700))


def test_the_log_fills_what_the_answer_did_not_say() -> None:
    before = answered(prompt_tokens=18, completion_tokens=60)
    found = apply_figures(before, LOG, steps_checked=True, baseline=Baseline(id="n", server_tok_s=20))
    assert (found.draft_accepted, found.draft_proposed, found.acceptance_source, found.acceptance_scope) == (40, 50, "log", "request")
    assert (found.verify_steps, found.tokens_per_step, found.acceptance_rate) == (20, 3, 0.8)
    assert (found.server_tok_s, found.prefill_tok_s, found.prefill_estimated, found.queue_s) == (40, 120, False, 0)
    assert (found.step_ms, found.step_cost, found.speedup) == (75, 1.5, 2)
    assert (found.flags, found.warnings, found.client_tok_s) == ((), (), pytest.approx(60))


def test_what_the_answer_said_wins() -> None:
    before = answered(prompt_tokens=18, completion_tokens=60, server_tok_s=39.5, prefill_tok_s=118.0, prefill_s=0.16)
    found = apply_figures(before, LOG, steps_checked=True)
    assert (found.server_tok_s, found.prefill_tok_s, found.prefill_s) == (39.5, 118, 0.16)


def test_an_estimated_count_is_replaced_and_everything_that_hangs_on_it_follows() -> None:
    before = answered()
    assert before.tokens_estimated
    found = apply_figures(before, LOG, steps_checked=True)
    assert (found.completion_tokens, found.tokens_estimated) == (60, False)
    assert (found.client_tok_s, found.tokens_per_chunk) == (pytest.approx(60), pytest.approx(60 / 11))
    assert found.client_tok_s_net == pytest.approx(60 * 10 / 11)
    assert found.timeline is not None
    assert sum(mark.tokens for mark in found.timeline) == pytest.approx(60, abs=0.01)
    assert found.verify_steps == 20


def test_an_estimated_count_is_replaced_without_a_timeline_too() -> None:
    before = folded(state_of(CHUNKS), keep_timeline=False)
    found = apply_figures(before, LOG, steps_checked=True)
    assert found.client_tok_s_net == pytest.approx(60 * 10 / 11)
    assert found.tokens_per_chunk_p50 == pytest.approx(60 / 11)


def test_a_buffered_answer_gets_its_count_but_no_rates() -> None:
    held = folded(state_of([(900, "words "), (900.01, "all "), (900.02, "at once")]))
    found = apply_figures(held, LOG, steps_checked=True)
    assert (found.completion_tokens, found.client_tok_s, found.flags) == (60, None, ("buffered",))


def test_counts_that_differ_are_flagged_and_the_answers_is_kept() -> None:
    found = apply_figures(answered(completion_tokens=58), LOG, steps_checked=True)
    assert (found.completion_tokens, found.flags) == (58, ("token_mismatch",))
    assert "58" in found.warnings[0]
    assert "60" in found.warnings[0]


def test_a_requeued_generation_is_flagged_partial_and_has_no_steps() -> None:
    before = answered(prompt_tokens=764, completion_tokens=316)
    log = ServerFigures(
        prompt_tokens=33, cached_tokens=512, new_tokens=252, completion_tokens=316, server_tok_s=34.79, draft_accepted=30,
        draft_proposed=59, acceptance_source="log", acceptance_scope="request",
    )  # fmt: skip
    found = apply_figures(before, log, steps_checked=True)
    assert "partial_acceptance" in found.flags
    assert (found.draft_accepted, found.draft_proposed) == (30, 59)
    assert (found.verify_steps, found.tokens_per_step, found.step_ms) == (None, None, None)
    assert "part" in found.warnings[0]


def test_a_requeue_found_later_takes_back_the_steps() -> None:
    before = answered(prompt_tokens=764, completion_tokens=316, draft_accepted=30, draft_proposed=59)
    assert before.verify_steps == 286
    found = apply_figures(before, ServerFigures(prompt_tokens=33, cached_tokens=512, new_tokens=252), steps_checked=True)
    assert (found.verify_steps, found.draft_accepted) == (None, 30)


def test_a_queue_only_the_log_knows_flags_the_run() -> None:
    found = apply_figures(answered(completion_tokens=60), ServerFigures(queue_s=4.07), steps_checked=True)
    assert (found.queue_s, found.flags) == (4.07, ("not_idle",))
    known = answered(completion_tokens=60, queue_s=0.0)
    assert apply_figures(known, ServerFigures(queue_s=4.07), steps_checked=True).flags == ()


def test_cached_tokens_only_the_log_knows_flag_the_run() -> None:
    log = ServerFigures(prompt_tokens=5900, cached_tokens=5888, new_tokens=12)
    found = apply_figures(answered(prompt_tokens=5900), log, steps_checked=True)
    assert (found.cached_tokens, found.new_tokens, found.flags) == (5888, 12, ("cached_prompt",))


def test_figures_of_a_whole_interval_are_not_taken() -> None:
    before = answered(completion_tokens=60)
    wide = ServerFigures(draft_accepted=5, draft_proposed=9, server_tok_s=99, acceptance_scope="interval")
    assert apply_figures(before, wide, steps_checked=True) is before


def test_joining_twice_changes_nothing_more() -> None:
    once = apply_figures(answered(completion_tokens=58), LOG, steps_checked=True)
    assert apply_figures(once, LOG, steps_checked=True) == once


def test_steps_the_server_counted_survive_a_join() -> None:
    before = answered(completion_tokens=71, draft_accepted=48, draft_proposed=88, verify_steps=22)
    assert apply_figures(before, ServerFigures(queue_s=0.0), steps_checked=True).verify_steps == 22
