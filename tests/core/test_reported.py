"""Server figures judged: token sums, prompt cache, prefill, queue, acceptance, and the flags that follow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.delta import ServerFigures
from sparktui.core.figures.reported import Reported, in_order, reported
from tests.core.builders import folded, state_of

CASES = Path(__file__).parents[1] / "fixtures" / "cases"


def told(**figures: Any) -> Reported:
    return reported(ServerFigures(**figures), ttft_s=0.6, characters=100)


@pytest.mark.parametrize("number", [0, 1])
def test_b10_reasoning_inside_and_outside_completion_tokens(number: int) -> None:
    case = json.loads((CASES / "B10" / "inputs.json").read_text(encoding="utf-8"))[number]
    usage = case["usage"]
    found = told(
        prompt_tokens=usage["prompt_tokens"],
        completion_tokens=usage["completion_tokens"],
        total_tokens=usage["total_tokens"],
        reasoning_tokens=usage["completion_tokens_details"]["reasoning_tokens"],
    )
    assert found.values["completion_tokens"] == case["generated"]
    assert found.flags == frozenset()
    assert bool(found.notes) == (usage["completion_tokens"] != case["generated"])


def test_b10_a_total_that_fits_neither_keeps_the_count_and_says_so() -> None:
    found = told(prompt_tokens=100, completion_tokens=20, total_tokens=160, reasoning_tokens=30)
    assert found.values["completion_tokens"] == 20
    assert found.flags == {"token_mismatch"}
    assert "160" in found.notes[0]


def test_a_count_of_zero_for_an_answer_with_text_is_not_used() -> None:
    run = folded(state_of([(100, "some words here"), (200, " and more")], figures=ServerFigures(completion_tokens=0)))
    assert run.flags == ("token_mismatch",)
    assert run.tokens_estimated
    assert run.completion_tokens
    assert told(completion_tokens=0).values["completion_tokens"] is None
    assert reported(ServerFigures(completion_tokens=0), ttft_s=None, characters=0).values["completion_tokens"] == 0


def test_a_count_far_too_low_for_the_text_is_flagged() -> None:
    assert reported(ServerFigures(completion_tokens=316), ttft_s=None, characters=3708).flags == {"token_mismatch"}
    assert reported(ServerFigures(completion_tokens=794), ttft_s=None, characters=3722).flags == frozenset()


def test_b11_prefill_counts_new_tokens_only_and_the_cache_is_flagged() -> None:
    found = told(prompt_tokens=3856, cached_tokens=3840, prefill_s=0.4)
    assert found.values["new_tokens"] == 16
    assert found.values["prefill_tok_s"] == pytest.approx(40.0)
    assert found.flags == {"cached_prompt"}
    assert told(prompt_tokens=3856, cached_tokens=0, prefill_s=0.4).flags == frozenset()


def test_the_servers_own_prefill_rate_comes_first() -> None:
    found = told(prompt_tokens=36, cached_tokens=0, prefill_s=0.07, prefill_tok_s=514.29)
    assert (found.values["prefill_tok_s"], found.values["prefill_estimated"], found.values["prefill_s"]) == (514.29, False, 0.07)


@pytest.mark.parametrize("prefill_s", [0.0, 0.01, 0.04])
def test_b31_a_rounded_prefill_time_below_a_twentieth_of_a_second_is_no_figure(prefill_s: float) -> None:
    found = told(prompt_tokens=30, cached_tokens=0, prefill_s=prefill_s)
    assert (found.values["prefill_s"], found.values["prefill_tok_s"], found.values["prefill_estimated"]) == (None, None, False)


def test_b31_so_is_one_worked_out_from_the_rate_of_a_rounded_time() -> None:
    found = told(prompt_tokens=38, cached_tokens=0, prefill_s=38 / 1266.67, prefill_tok_s=1266.67)
    assert (found.values["prefill_s"], found.values["prefill_tok_s"]) == (None, 1266.67)


def test_b31_an_exact_short_prefill_time_is_one() -> None:
    found = told(prompt_tokens=18, new_tokens=18, cached_tokens=0, prefill_s=0.03177)
    assert found.values["prefill_tok_s"] == pytest.approx(18 / 0.03177)


def test_without_a_server_figure_the_prefill_rate_is_estimated_from_the_first_text() -> None:
    found = told(prompt_tokens=1200)
    assert (found.values["prefill_tok_s"], found.values["prefill_estimated"], found.values["prefill_s"]) == (2000, True, None)
    assert told(prompt_tokens=1200, cached_tokens=600).values["prefill_tok_s"] == 1000
    assert told(prompt_tokens=1200, cached_tokens=1200).values["prefill_tok_s"] is None
    assert told().values["prefill_tok_s"] is None
    assert reported(ServerFigures(prompt_tokens=9), ttft_s=None, characters=0).values["prefill_estimated"] is False


def test_b15_queue_from_the_servers_figure_or_the_difference_of_its_times() -> None:
    assert told(queue_s=9.5).values["queue_s"] == 9.5
    assert told(queue_s=9.5).flags == {"not_idle"}
    found = told(total_s=5.67, prefill_s=0.04, decode_s=1.56)
    assert found.values["queue_s"] == pytest.approx(4.07)
    assert found.flags == {"not_idle"}


@pytest.mark.parametrize(
    ("total_s", "queue_s", "flagged"),
    [(2.11, 0.0, False), (2.12, 0.0, False), (2.10, 0.0, False), (2.14, 0.03, False), (2.17, 0.06, True), (2.0, None, False)],
)
def test_the_rounding_of_three_times_is_no_queue(total_s: float, queue_s: float | None, flagged: bool) -> None:
    found = told(total_s=total_s, prefill_s=0.04, decode_s=2.07)
    assert found.values["queue_s"] == (None if queue_s is None else pytest.approx(queue_s))
    assert ("not_idle" in found.flags) == flagged


def test_loading_the_model_is_no_queue() -> None:
    found = told(total_s=5.0, load_s=3.5, prefill_s=0.5, decode_s=1.0)
    assert (found.values["queue_s"], found.flags) == (0.0, {"model_loaded"})
    assert told(load_s=0.05).flags == frozenset()


def test_times_that_are_missing_leave_the_queue_unknown() -> None:
    assert told(total_s=5.0, decode_s=1.0).values["queue_s"] is None


@pytest.mark.parametrize("counts", [(None, None), (0, 0), (5, None), (9, 7)])
def test_b24_acceptance_is_absent_when_nothing_was_proposed_or_counts_contradict(counts: tuple[int | None, int | None]) -> None:
    figures = ServerFigures(completion_tokens=20, acceptance_scope="request", draft_accepted=counts[0], draft_proposed=counts[1])
    run = folded(state_of([(100, "a"), (300, "b")], figures=figures))
    for name in ("draft_accepted", "draft_proposed", "acceptance_rate", "verify_steps", "tokens_per_step", "drafted_per_step", "step_ms"):
        assert getattr(run, name) is None, name


def test_b26_nothing_accepted_of_what_was_proposed_is_a_known_zero() -> None:
    run = folded(state_of([(100, "a"), (300, "b")], figures=ServerFigures(completion_tokens=20, draft_accepted=0, draft_proposed=4)))
    assert (run.draft_accepted, run.draft_proposed, run.acceptance_rate, run.verify_steps) == (0, 4, 0, 20)


@pytest.mark.parametrize("scope", ["interval", "lifetime"])
def test_acceptance_of_more_than_this_request_is_not_stored(scope: Any) -> None:
    found = told(draft_accepted=5, draft_proposed=9, acceptance_scope=scope, acceptance_source="metrics_endpoint", completion_tokens=20)
    assert found.values.get("draft_accepted") is None
    assert found.values["acceptance_scope"] is None


def test_prompt_counts_that_do_not_add_up_show_a_restart_of_the_counters() -> None:
    found = told(prompt_tokens=33, cached_tokens=512, new_tokens=252)
    assert {"partial_acceptance", "cached_prompt"} >= found.flags >= {"partial_acceptance"}
    assert found.values["cached_tokens"] is None
    assert told(prompt_tokens=900, cached_tokens=512, new_tokens=252).flags == {"partial_acceptance", "cached_prompt"}
    assert told(prompt_tokens=100, cached_tokens=20, new_tokens=-80).values["new_tokens"] == 80


def test_flags_come_in_the_order_of_the_closed_list() -> None:
    assert in_order({"token_mismatch", "not_idle", "nonsense"}) == ("not_idle", "token_mismatch")


COUNT = st.one_of(st.none(), st.integers(0, 5000))
TIME = st.one_of(st.none(), st.floats(0, 1000))


ANY_FIGURES = {
    name: TIME if name.endswith("_s") else COUNT
    for name in ServerFigures.__struct_fields__
    if not name.startswith("acceptance")
}  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(st.fixed_dictionaries(ANY_FIGURES))
def test_no_combination_of_figures_gives_a_negative_one_or_breaks_the_record(figures: dict[str, Any]) -> None:
    run = folded(state_of([(100, "words and "), (300, "more")], figures=ServerFigures(**figures)))
    for name in run.__struct_fields__:
        value = getattr(run, name)
        if name != "burstiness" and isinstance(value, int | float) and not isinstance(value, bool):
            assert value >= 0, name
    assert run.acceptance_rate is None or 0 <= run.acceptance_rate <= 1
