"""Every sentence of the published documents' "What the numbers mean" and "Things that do not move the needle", held against the published
runs: reproduced, contradicted with the arithmetic, or not to be told from them. docs/explain.md lists the outcome."""

from __future__ import annotations

import json
from importlib import resources

import msgspec
import pytest

from sparktui.core.explain import explain_run
from sparktui.core.explaincells import explain_cells, prefill_and_length, prefill_and_memory, what_sets_the_rate
from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import cell_of
from sparktui.core.stats.statistics import BAND_TOK_S, compare, median


@pytest.fixture(scope="module")
def runs() -> dict[str, RunRecord]:
    lines = resources.files("sparktui").joinpath("docs", "reference-runs.jsonl").read_text(encoding="utf-8").splitlines()
    plain = [{name: value for name, value in json.loads(line).items() if name != "schema"} for line in lines]
    return {record.id: record for record in (msgspec.convert(one, RunRecord) for one in plain)}


def cell(runs: dict[str, RunRecord], name: str) -> list[RunRecord]:
    return [record for record in runs.values() if record.id.startswith(f"ref-010-{name}")]


def span(records: list[RunRecord], name: str) -> tuple[float, float]:
    values = [getattr(record, name) for record in records if getattr(record, name) is not None]
    return round(min(values), 2), round(max(values), 2)


def test_the_rate_is_set_by_the_text_not_the_temperature(runs: dict[str, RunRecord]) -> None:
    (first, *_) = what_sets_the_rate(list(runs.values()))
    says = "The decode rate is set by the text, not the temperature: "
    assert first.text == says + "another text changes it by up to 80 %, another temperature by 8 % at most."


def test_contradicted_six_proposed_per_step(runs: dict[str, RunRecord]) -> None:
    assert span(cell(runs, "code"), "drafted_per_step") == (4.55, 4.89)
    assert span(cell(runs, "story"), "drafted_per_step") == (0.93, 1.10)


def test_contradicted_a_verify_pass_costs_2_6_single_ones(runs: dict[str, RunRecord]) -> None:
    assert span(cell(runs, "code"), "step_cost") == (2.79, 2.90)
    assert span(cell(runs, "story"), "step_cost") == (1.54, 1.65)
    by_client = [1000 * (run.decode_s or 0) / (run.verify_steps or 1) / (1000 / 29) for run in cell(runs, "code")]
    assert (round(min(by_client), 2), round(max(by_client), 2)) == (2.63, 2.74)


def test_code_accepts_90_percent_at_temperature_0_and_85_at_1(runs: dict[str, RunRecord]) -> None:
    zero, one = cell_of(cell(runs, "code-t0")), cell_of(cell(runs, "code-t1"))
    assert (round(100 * (zero.acceptance_rate or 0), 1), zero.medians["client_tok_s"]) == (90.3, 57.3)
    assert (round(100 * (one.acceptance_rate or 0), 1), one.medians["client_tok_s"]) == (85.1, 53.3)


def test_a_story_accepts_58_to_73_percent_and_runs_at_30_to_32(runs: dict[str, RunRecord]) -> None:
    assert span(cell(runs, "story"), "acceptance_rate") == (0.58, 0.73)
    assert [cell_of(cell(runs, name)).medians["client_tok_s"] for name in ("story-t1", "story-t0")] == [30.2, 31.8]


def test_temperature_0_buys_5_percent_on_prose(runs: dict[str, RunRecord]) -> None:
    seen = compare([r.client_tok_s for r in cell(runs, "story-t1")], [r.client_tok_s for r in cell(runs, "story-t0")])
    assert seen.ratio is not None
    assert (round(seen.ratio, 3), seen.verdict) == (1.053, "faster")


def test_not_to_be_told_that_everything_runs_at_29_without_the_draft(runs: dict[str, RunRecord]) -> None:
    without = [run for run in runs.values() if run.server.draft == "none"]
    assert [(run.prompt.name, run.client_tok_s) for run in without] == [("structured output, 8.8k context", 29.0)]


def test_contradicted_chunk_count_is_the_step_count(runs: dict[str, RunRecord]) -> None:
    assert span([*cell(runs, "code"), *cell(runs, "story")], "steps_per_chunk") == (2.88, 3.10)
    text = " ".join(sentence.text for sentence in explain_run(runs["ref-010-code-t0-2"]))
    assert "A chunk carries 3.04 verify steps: 16.2 tokens a chunk are 5.33 a step." in text


def test_contradicted_16_and_5_tokens_per_step_are_per_chunk(runs: dict[str, RunRecord]) -> None:
    assert span(cell(runs, "code-t0"), "tokens_per_chunk") == (16.2, 16.54)
    assert span(cell(runs, "code-t0"), "tokens_per_step") == (5.33, 5.44)
    assert span(cell(runs, "story-t1"), "tokens_per_chunk") == (4.96, 5.09)
    assert span(cell(runs, "story-t1"), "tokens_per_step") == (1.64, 1.72)


def test_code_is_bursty_because_its_chunks_are_larger_and_rarer(runs: dict[str, RunRecord]) -> None:
    gaps_ms = {name: 1000 * (median((r.decode_s or 0) / r.chunks for r in cell(runs, name)) or 0) for name in ("code-t0", "story-t1")}
    assert (round(gaps_ms["code-t0"]), round(gaps_ms["story-t1"])) == (284, 164)


def test_first_text_after_0_6_s(runs: dict[str, RunRecord]) -> None:
    assert cell_of(cell(runs, "story-t1")).medians["ttft_s"] == 0.60
    told = [s.text for s in explain_run(runs["ref-010-story-t1-1"]) if s.topic == "first text" and not s.known]
    assert told == ["Not known: queue, prefill, steps before the first text (what they took is in the 0.60 s that are left)."]


@pytest.mark.parametrize(("run_id", "prefill_s", "left_s", "steps"), [("story-t1-1", 0.15, 0.45, 8.0), ("code-t0-2", 0.317, 0.76, 7.7)])
def test_contradicted_the_rest_is_the_first_step(
    runs: dict[str, RunRecord], run_id: str, prefill_s: float, left_s: float, steps: float
) -> None:
    """18 and 38 tokens at the 120 tok/s that the server reports for short prompts; what is left is eight steps, not a longer first one."""
    known = msgspec.structs.replace(runs[f"ref-010-{run_id}"], prefill_s=prefill_s)
    text = " ".join(sentence.text for sentence in explain_run(known))
    assert f"The {left_s:.2f} s between prefill and the first text are as long as {steps:.1f} verify steps." in text


def test_one_code_run_is_an_outlier_before_decoding(runs: dict[str, RunRecord]) -> None:
    found = [s.text for s in explain_run(runs["ref-010-code-t0-1"], cell(runs, "code-t0")) if s.topic == "outlier"]
    assert found == ["Run 1: first text after 1.47 s against 1.08 s; 0.39 s more, before decoding."]


def test_prefill_is_flat_to_300k(runs: dict[str, RunRecord]) -> None:
    (found,) = prefill_and_length(list(runs.values()))
    assert found.text == "The prefill rate is the same within 10 % from 100,000 to 300,000 tokens; not at 600,000 (20 % slower)."


def test_not_to_be_told_that_little_memory_makes_it_slower(runs: dict[str, RunRecord]) -> None:
    (found,) = prefill_and_memory(list(runs.values()))
    assert "(640 tok/s, 8 GB free at the least) coincides with the least free memory; the fastest had 15 GB." in found.text
    assert "another length too (600,000 tokens against 300,000): either may be the cause" in found.text


def test_the_needle_was_found_at_every_length(runs: dict[str, RunRecord]) -> None:
    assert [run.needle["found"] for run in runs.values() if run.needle] == [True, True, True]


def test_not_to_be_told_that_decode_does_not_fall_with_context(runs: dict[str, RunRecord]) -> None:
    told = [sentence for sentence in explain_cells(list(runs.values())) if sentence.topic == "context"]
    assert [sentence.known for sentence in told] == [False]


def test_contradicted_every_variant_is_within_2_of_shipped() -> None:
    """The published band of the sweep, 45 to 53 tok/s, is no run of its own; its half-width alone is twice the rule."""
    low, high = 45, 53
    assert (high - low) / 2 > BAND_TOK_S


def test_contradicted_in_part_the_gpu_only_reads_weights(runs: dict[str, RunRecord]) -> None:
    """Were it so, a pass over six tokens would cost one pass. The draft is a lever on code all the same, and next to none on prose."""
    assert median(run.step_cost for run in cell(runs, "code")) == pytest.approx(2.87, abs=0.02)
    assert span(cell(runs, "code"), "speedup") == (1.70, 1.87)
    assert span(cell(runs, "story"), "speedup") == (1.01, 1.09)
