"""Draft figures, step time, step cost and speed-up; and the published runs, folded to what they really say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sparktui.core.delta import ServerFigures
from sparktui.core.figures.metrics import derive
from sparktui.core.records import RunRecord
from sparktui.core.stats.baseline import Baseline
from tests.core.builders import folded, record, state_of

REFERENCE = json.loads((Path(__file__).parents[1] / "fixtures" / "reference" / "runs.json").read_text(encoding="utf-8"))
NO_DRAFT = Baseline(id="config", server_tok_s=REFERENCE["baseline_tok_s"])


def reference_run(prompt: str, temperature: float, number: int) -> RunRecord:
    """A published run as a record: what was printed, and nothing that was not."""
    row = next(r for r in REFERENCE["runs"] if (r["prompt"], r["temperature"], r["run"]) == (prompt, temperature, number))
    fields = ("ttft_s", "completion_tokens", "decode_s", "client_tok_s", "server_tok_s", "chunks", "draft_accepted", "draft_proposed")
    return record(acceptance_scope="request" if row["draft_accepted"] else None, **{name: row[name] for name in fields})


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (("story", 1.0, 1), (483, 1.64, 1.10, 3.10, 56, 1.63)),
        (("story", 0, 1), (473, 1.68, 0.95, 3.09, 53, 1.54)),
        (("code", 0, 1), (146, 5.44, 4.89, 3.04, 100, 2.90)),
        (("code", 1.0, 1), (135, 4.88, 4.80, 3.07, 99, 2.88)),
    ],
)
def test_what_the_reference_figures_really_say(cell: tuple[str, float, int], said: tuple[float, ...]) -> None:
    steps, per_step, drafted, per_chunk, ms, cost = said
    found = derive(reference_run(*cell), True, NO_DRAFT)
    assert found.verify_steps == steps
    assert found.tokens_per_step == pytest.approx(per_step, abs=0.005)
    assert found.drafted_per_step == pytest.approx(drafted, abs=0.005)
    assert found.steps_per_chunk == pytest.approx(per_chunk, abs=0.005)
    assert found.step_ms == pytest.approx(ms, abs=0.5)
    assert found.step_cost == pytest.approx(cost, abs=0.005)
    assert found.speedup == pytest.approx((found.tokens_per_step or 0) / (found.step_cost or 1))
    assert (found.speedup_rate, found.baseline_id) == ("server_tok_s", "config")


def test_every_published_run_with_acceptance_has_three_steps_a_chunk() -> None:
    drafted = [row for row in REFERENCE["runs"] if row["draft_proposed"]]
    found = [derive(reference_run(row["prompt"], row["temperature"], row["run"]), True) for row in drafted]
    assert len(found) == 11
    assert all(2.87 < (run.steps_per_chunk or 0) < 3.11 for run in found)


def test_published_rates_follow_from_the_printed_tokens_and_times() -> None:
    for row in REFERENCE["runs"]:
        if row["decode_s"]:
            assert row["completion_tokens"] / row["decode_s"] == pytest.approx(row["client_tok_s"], rel=0.005)


def test_steps_are_the_servers_own_where_it_counts_them() -> None:
    counted = record(completion_tokens=71, draft_accepted=48, draft_proposed=88, acceptance_scope="request", verify_steps=22)
    for checked in (False, True):
        found = derive(counted, checked)
        assert (found.verify_steps, found.tokens_per_step, found.drafted_per_step) == (22, pytest.approx(71 / 22), 4)


DRAFTED: dict[str, Any] = {"completion_tokens": 100, "draft_accepted": 60, "draft_proposed": 80, "acceptance_scope": "request"}


@pytest.mark.parametrize(
    "changes",
    [
        {"acceptance_scope": "interval"},
        {"draft_accepted": 100},
        {"draft_accepted": 120, "draft_proposed": 130},
        {"tokens_estimated": True},
        {"completion_tokens": None},
        {"flags": ("partial_acceptance",)},
    ],
)
def test_steps_are_absent_where_n_minus_a_would_be_wrong(changes: dict[str, Any]) -> None:
    found = derive(record(**{**DRAFTED, **changes}), True)
    assert (found.verify_steps, found.tokens_per_step, found.step_ms) == (None, None, None)


def test_steps_are_absent_for_a_server_where_n_minus_a_was_not_checked() -> None:
    found = derive(record(**DRAFTED), False)
    assert (found.verify_steps, found.acceptance_rate) == (None, 0.75)


def test_b22_more_accepted_than_generated_has_a_rate_and_no_length() -> None:
    found = derive(record(completion_tokens=2, draft_accepted=6, draft_proposed=7, acceptance_scope="request"), True)
    assert found.acceptance_rate == pytest.approx(0.857, abs=0.001)
    assert (found.verify_steps, found.tokens_per_step) == (None, None)


def test_step_time_is_by_the_servers_decode_time() -> None:
    assert derive(record(**DRAFTED, server_decode_s=4.0, server_tok_s=20), True).step_ms == pytest.approx(100)
    assert derive(record(**DRAFTED, server_tok_s=20), True).step_ms == pytest.approx(125)


def test_step_time_by_the_client_leaves_out_the_steps_of_the_first_chunk() -> None:
    clocked = record(**DRAFTED, decode_s=3.3, client_tok_s=30.3, first_chunk_tokens=17.5)
    assert derive(clocked, True).step_ms == pytest.approx(1000 * 3.3 / (40 - 7))
    assert derive(record(**DRAFTED, decode_s=3.3, client_tok_s=30.3), True).step_ms is None
    assert derive(record(**DRAFTED, decode_s=3.3, client_tok_s=30.3, first_chunk_tokens=99), True).step_ms is None
    assert derive(record(**DRAFTED, decode_s=3.3, first_chunk_tokens=17.5, flags=("buffered",)), True).step_ms is None


def test_speedup_compares_the_same_rate_on_both_sides() -> None:
    both = Baseline(id="n1", server_tok_s=29, client_tok_s_net=28)
    found = derive(record(**DRAFTED, server_tok_s=58, client_tok_s_net=70), True, both)
    assert (found.speedup, found.speedup_rate, found.baseline_id) == (2, "server_tok_s", "n1")
    found = derive(record(**DRAFTED, client_tok_s_net=70), True, both)
    assert (found.speedup, found.speedup_rate) == (2.5, "client_tok_s_net")
    found = derive(record(**DRAFTED, client_tok_s_net=70), True, Baseline(id="n1", server_tok_s=29))
    assert (found.speedup, found.speedup_rate, found.baseline_id) == (None, None, None)


def test_without_a_baseline_there_is_no_cost_and_no_speedup() -> None:
    found = derive(record(**DRAFTED, server_tok_s=58), True)
    assert (found.step_cost, found.speedup, found.baseline_id) == (None, None, None)
    assert found.step_ms


def test_a_captured_tabbyapi_run_with_draft_counters() -> None:
    figures = ServerFigures(
        prompt_tokens=36, completion_tokens=794, total_tokens=830, prefill_s=0.07, prefill_tok_s=514.29, decode_s=8.92, server_tok_s=89.01,
        total_s=8.99, draft_accepted=648, draft_proposed=714, acceptance_source="usage", acceptance_scope="request",
    )  # fmt: skip
    run = folded(state_of([(500 + 185 * i, "x" * 40) for i in range(48)], figures=figures), baseline=NO_DRAFT)
    assert run.acceptance_rate == pytest.approx(0.9076, abs=0.0001)
    assert (run.verify_steps, run.queue_s, run.flags) == (146, 0.0, ())
    assert run.step_ms == pytest.approx(61.1, abs=0.05)
    assert run.steps_per_chunk == pytest.approx(3.04, abs=0.005)
