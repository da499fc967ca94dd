"""The shared reader of server figures: one server's field at a time, and what must stay absent."""

from __future__ import annotations

import json

import pytest

from sparktui.core.delta import ServerFigures
from sparktui.servers.figures import figures_in
from sparktui.servers.lenient import read_json
from tests.servers.captures import FIXTURES


def known(event: dict) -> dict:
    found = figures_in(event) or ServerFigures()
    return {name: value for name in found.__struct_fields__ if (value := getattr(found, name)) is not None}


USAGE = {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14}


def test_plain_usage() -> None:
    assert known({"usage": USAGE}) == {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14}


@pytest.mark.parametrize("event", [{}, {"usage": None}, {"usage": {}}, {"usage": 3}, {"timings": {}}, {"stats": {}}, {"metrics": None},
                                   {"usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}}])  # fmt: skip
def test_nothing_reported_is_none(event: dict) -> None:
    assert figures_in(event) is None


def test_constant_zeros_and_words_are_absent() -> None:
    usage = {
        **USAGE,
        "prompt_time": 0.0,
        "prompt_tokens_per_sec": "Indeterminate",
        "completion_time": 0.0,
        "completion_tokens_per_sec": "Indeterminate",
        "total_time": 0.0,
        "completion_tokens_details": {"accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0, "reasoning_tokens": 0},
    }
    assert known({"usage": usage}) == {**known({"usage": USAGE}), "prefill_s": 0.0, "queue_s": 0.0}


def test_rejected_alone_still_counts_as_drafting() -> None:
    usage = {**USAGE, "completion_tokens_details": {"accepted_prediction_tokens": 0, "rejected_prediction_tokens": 4}}
    found = known({"usage": usage})
    assert (found["draft_accepted"], found["draft_proposed"], found["acceptance_source"]) == (0, 4, "usage")


def test_b10_total_tokens_tell_reasoning_inside_from_outside() -> None:
    for case in json.loads((FIXTURES / "cases/B10/inputs.json").read_text("utf-8")):
        found = known(case)
        inside = found["total_tokens"] == found["prompt_tokens"] + found["completion_tokens"]
        assert found["completion_tokens"] + (0 if inside else found["reasoning_tokens"]) == case["generated"]


def test_b22_more_accepted_than_generated() -> None:
    timings = json.loads((FIXTURES / "cases/B22/timings.json").read_text("utf-8"))
    found = known({"timings": timings})
    assert (found["draft_accepted"], found["draft_proposed"], found["verify_steps"]) == (6, 7, 1)
    assert found["draft_accepted"] / found["draft_proposed"] == pytest.approx(0.857, abs=0.001)


def test_more_accepted_than_proposed_is_absent() -> None:
    found = known({"timings": {"predicted_n": 9, "predicted_ms": 100, "draft_n": 3, "draft_n_accepted": 5}})
    assert "draft_proposed" not in found
    assert found["server_tok_s"] == 80.0


def test_timings_without_cache_count_leave_prompt_tokens_open() -> None:
    found = known({"timings": {"prompt_n": 5, "prompt_ms": 50.0, "predicted_n": 3, "predicted_ms": 100.0, "predicted_per_second": 30.0}})
    assert found == {
        "new_tokens": 5, "completion_tokens": 3, "prefill_s": 0.05, "prefill_tok_s": 100.0, "decode_s": 0.1, "server_tok_s": 20.0,
    }  # fmt: skip


def test_timings_rate_is_taken_as_sent_only_where_it_cannot_be_computed() -> None:
    assert known({"timings": {"predicted_per_second": 30.0}}) == {"server_tok_s": 30.0}


def test_usage_of_tabbyapi_wins_over_timings_beside_it() -> None:
    usage = {
        **USAGE, "completion_tokens_per_sec": 40.0,
        "completion_tokens_details": {"accepted_prediction_tokens": 2, "rejected_prediction_tokens": 1},
    }  # fmt: skip
    found = known({"usage": usage, "timings": {"predicted_n": 4, "predicted_ms": 100.0, "draft_n": 3, "draft_n_accepted": 2}})
    assert (found["server_tok_s"], found["acceptance_source"]) == (40.0, "usage")


def test_cached_tokens_leave_new_ones() -> None:
    found = known({"usage": {"prompt_tokens": 3856, "completion_tokens": 50, "prompt_tokens_details": {"cached_tokens": 3840}}})
    assert (found["cached_tokens"], found["new_tokens"]) == (3840, 16)
    assert "cached_tokens" not in known({"usage": {**USAGE, "prompt_tokens_details": None}})


def test_lm_studio_stats_of_a_draft_model() -> None:
    found = known(json.loads((FIXTURES / "lmstudio/v0_chat_spec.json").read_text("utf-8")))
    assert (found["draft_accepted"], found["draft_proposed"]) == (13, 20)
    assert (found["server_tok_s"], found["decode_s"], found["completion_tokens"]) == (31.42, 0.764, 24)
    empty = known(json.loads((FIXTURES / "lmstudio/v1_chat_empty_stats.json").read_text("utf-8")))
    assert set(empty) == {"prompt_tokens", "completion_tokens", "total_tokens"}


def test_ollama_durations_of_its_native_last_line() -> None:
    last = (FIXTURES / "ollama/api_chat.jsonl").read_text("utf-8").splitlines()[-1]
    found = known(json.loads(last))
    assert (found["completion_tokens"], found["prompt_tokens"]) == (31, 37)
    assert found["server_tok_s"] == pytest.approx(21.40, abs=0.01)
    assert found["prefill_s"] == pytest.approx(0.11822)
    assert found["load_s"] == pytest.approx(0.048, abs=0.001)
    assert "prefill_tok_s" not in found


def test_sglang_pools_a_list_and_reads_older_names() -> None:
    details = [{"spec_accepted_drafts": 3, "spec_proposed_drafts": 4, "spec_verify_ct": 1}, {"spec_accepted_drafts": 1,
               "spec_proposed_drafts": 4, "spec_verify_ct": 1}]  # fmt: skip
    found = known({"sglext": {"spec_tokens_details": details}})
    assert (found["draft_accepted"], found["draft_proposed"], found["verify_steps"]) == (4, 8, 2)
    assert known({"sglext": {"spec_tokens_details": [details[0], {}]}}) == {}
    assert known({"sglext": {"spec_tokens_details": None}}) == {}


def test_vllm_metrics_without_speculation() -> None:
    found = known({"usage": USAGE, "metrics": {"time_to_first_token_ms": 100.0, "tokens_per_second": 12.5, "speculative_decoding": None}})
    assert (found["prefill_s"], found["server_tok_s"]) == (0.1, 12.5)
    assert "draft_proposed" not in found


@pytest.mark.parametrize("bad", [-1, True, "12", 1.5, None, [3], float("nan"), float("inf")])
def test_counts_that_are_no_counts_are_absent(bad: object) -> None:
    assert known({"usage": {"prompt_tokens": 7, "completion_tokens": bad}}) == {"prompt_tokens": 7}


@pytest.mark.parametrize("absurd", ["9007199254740993", "1e308", "99999999999999999999999999", "1" + 400 * "0"])
def test_counts_beyond_what_can_have_been_counted_are_absent(absurd: str) -> None:
    """A history could not hold them: one such figure once stopped everything that came after it from being stored."""
    event = read_json(f'{{"usage": {{"prompt_tokens": {absurd}, "completion_tokens": {absurd}, "total_tokens": 7}}}}')
    assert known(event) == {"total_tokens": 7}
    assert known(read_json(f'{{"timings": {{"predicted_n": {absurd}, "draft_n": {absurd}, "prompt_n": {absurd}}}}}')) == {}
