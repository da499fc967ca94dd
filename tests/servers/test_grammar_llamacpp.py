"""llama.cpp's log: blocks of one task in new and old order, live lines, cancelled tasks."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.log.logrecord import Generation
from sparktui.servers.grammar import LogReader
from tests.servers.logs import LLAMA_LOGS, case_file, generations, in_pieces, records, records_in

# file: (completion tokens, accepted, proposed) of each task, in order of their ends
EXPECTED = {
    "none": [(300, None, None), (249, None, None), (300, None, None), (300, None, None)],
    "draft-self8": [(300, 265, 265), (193, 108, 672), (300, 265, 265), (300, 202, 768)],
    "draft-q2k-n4": [(300, 236, 249), (258, 134, 492), (300, 232, 267), (300, 177, 486)],
    "ngram-n3m8": [(300, 261, 261), (300, 165, 314), (300, 255, 268), (300, 91, 221)],
    "synth-len3-n4": [(150, 104, 176)],
    "parallel2": [(150, None, None), (150, None, None)],
    "verbose-lv4-draft": [(24, 18, 18), (60, 34, 92)],
}

OLD_BLOCK = b"""\
slot launch_slot_: id  0 | task 5 | processing task
slot      release: id  0 | task 5 | stop processing: n_past = 317, truncated = 0
slot print_timing: id  0 | task 5 |
prompt eval time =     246.52 ms /    18 tokens (   13.70 ms per token,    73.02 tokens per second)
       eval time =   17074.43 ms /   300 tokens (   57.11 ms per token,    17.51 tokens per second)
      total time =   17320.94 ms /   318 tokens
"""
OLD_DRAFT = b"draft acceptance rate = 0.60000 (  120 accepted /   200 generated)\n"


def counts(generation: Generation) -> tuple[int | None, int | None, int | None]:
    return generation.completion_tokens, generation.draft_accepted, generation.draft_proposed


@pytest.mark.parametrize("name", EXPECTED)
def test_every_task_of_the_captures(name: str) -> None:
    found = [counts(generation) for generation in generations(records_in(LLAMA_LOGS / f"{name}.log"))]
    assert found == EXPECTED[name]


def test_one_block_with_all_its_figures() -> None:
    found = records_in(LLAMA_LOGS / "draft-self8.log")
    record = next(record for record in found if record.generation and record.generation.draft_accepted == 108)
    assert record.text.startswith("slot print_timing: id  0 | task 37 | draft acceptance")
    one = record.generation
    assert one is not None
    assert (one.task, one.completion_tokens, one.new_tokens, one.prompt_tokens, one.cached_tokens) == ("37", 193, 5, None, None)
    assert (one.prefill_tok_s, one.server_tok_s, one.mean_acceptance_length) == (36.9, 5.91, 2.29)
    assert (one.total_s, one.prefill_s, one.decode_s) == pytest.approx((32.63387, 0.13549, 32.49838))
    assert one.acceptance_rate == pytest.approx(108 / 672)


def test_live_lines_tell_that_the_task_still_runs() -> None:
    live = [
        record.generation for record in records_in(LLAMA_LOGS / "parallel2.log") if record.generation and record.generation.note == "live"
    ]
    assert [(one.task, one.completion_tokens, one.server_tok_s) for one in live] == [("0", 100, 26.61), ("28", 100, 22.19)]


def test_tasks_are_opened_and_closed() -> None:
    found = records_in(LLAMA_LOGS / "parallel2.log")
    assert [record.started or f"end {record.ended}" for record in found if record.started or record.ended] == ["0", "28", "end 0", "end 28"]


def test_a_cancelled_task_has_no_generation() -> None:
    found = records_in(LLAMA_LOGS / "errors-and-options.log")
    cancelled = [record for record in found if record.cancelled]
    assert [record.ended for record in cancelled] == ["10", "13", "90"]
    assert "90" not in [generation.task for generation in generations(found)]


def test_a_time_too_short_to_measure_is_no_rate() -> None:
    found = generations(records_in(LLAMA_LOGS / "errors-and-options.log"))
    single = next(one for one in found if one.completion_tokens == 1)
    assert single.server_tok_s is None


def test_levels_and_clock() -> None:
    found = records_in(LLAMA_LOGS / "api-key-refused.log")
    refused = [record for record in found if "unauthorized" in record.text]
    assert {record.level for record in refused} == {"warning"}
    assert refused[0].time == "0.01.509.006"


def test_an_old_block_without_draft_ends_with_total_time() -> None:
    found = records(OLD_BLOCK + b"srv  update_slots: all slots are idle\n")
    (record,) = [record for record in found if record.generation]
    assert record.text.startswith("      total time")
    assert record.generation is not None
    assert (record.generation.task, record.generation.completion_tokens, record.generation.new_tokens) == ("5", 300, 18)


def test_an_old_block_with_draft_is_one_generation() -> None:
    (generation,) = generations(records(OLD_BLOCK + OLD_DRAFT))
    assert counts(generation) == (300, 120, 200)
    assert generation.mean_acceptance_length is None
    assert generation.task == "5"


def test_an_old_block_waits_for_its_acceptance_line_only_a_moment() -> None:
    reader = LogReader()
    assert generations(reader.feed(OLD_BLOCK)) == []
    assert reader.waiting
    assert [counts(one) for one in generations(reader.quiet())] == [(300, None, None)]
    assert not reader.waiting


def test_a_block_line_without_a_block_is_text() -> None:
    stray = b"0.01.000.000 I slot x: y\n      total time =   17320.94 ms /   318 tokens\n" + OLD_DRAFT
    assert generations(records(stray)) == []


def test_b20_both_wordings_alone() -> None:
    lines = {one["engine"]: one for one in json.loads(case_file("B20", "lines.json"))}
    for engine in ("llamacpp-new", "llamacpp-old"):
        want = lines[engine]
        (generation,) = generations(records(want["line"].encode() + b"\n"))
        assert (generation.draft_accepted, generation.draft_proposed) == (want["accepted"], want["proposed"])
        assert generation.acceptance_rate == pytest.approx(want["rate"])
        assert generation.mean_acceptance_length == want["mean_len"]


@pytest.mark.parametrize("name", ["draft-q2k-n4", "errors-and-options"])
@settings(max_examples=10, deadline=None)
@given(cuts=st.lists(st.integers(0, 20_000), max_size=20))
def test_random_pieces_give_the_same_records(name: str, cuts: list[int]) -> None:
    data = (LLAMA_LOGS / f"{name}.log").read_bytes()
    assert in_pieces(data, cuts) == records(data)


def test_forward_passes_follow_from_the_counts() -> None:
    """The printed mean length is 1 + accepted ÷ steps, where steps = tokens − accepted of every capture (the prompt's pass is one more)."""
    for name in ("draft-self8", "draft-q2k-n4", "synth-len3-n4"):
        for one in generations(records_in(LLAMA_LOGS / f"{name}.log")):
            assert one.completion_tokens is not None and one.draft_accepted is not None and one.mean_acceptance_length is not None
            steps = one.draft_accepted / (one.mean_acceptance_length - 1)
            assert steps == pytest.approx(one.completion_tokens - one.draft_accepted, rel=0.05, abs=2.5)
