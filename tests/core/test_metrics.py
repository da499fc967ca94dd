"""Every figure of a record from known chunks and server figures, and its absence where it cannot be known."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.delta import ServerFigures
from sparktui.core.events import Chunk
from sparktui.core.figures.metrics import measured_chars_per_token, record_of
from sparktui.core.figures.state import RunState
from sparktui.core.records import GapMs, RunRecord
from tests.core.builders import MS, SEND_NS, SERVER, folded, started, state_of
from tests.core.streams import completion_tokens, pieces

FOUR = [(500.0, "a" * 10), (700.0, "b" * 10), (900.0, "c" * 10), (1000.0, "d" * 10)]
USAGE = ServerFigures(prompt_tokens=18, completion_tokens=40, total_tokens=58)


def test_speed_figures_by_their_formulas() -> None:
    found = folded(state_of(FOUR, figures=USAGE, done_ms=1010))
    assert found.ttft_s == pytest.approx(0.5)
    assert found.ttft_content_s == pytest.approx(0.5)
    assert found.decode_s == pytest.approx(0.5)
    assert found.total_s == pytest.approx(1.01)
    assert found.client_tok_s == pytest.approx(80)
    assert found.client_tok_s_net == pytest.approx(60)
    assert found.tpot_s == pytest.approx(0.5 / 39)
    assert (found.chunks, found.tokens_per_chunk, found.first_chunk_tokens) == (4, 10, 10)
    assert (found.net_estimated, found.tokens_estimated) == (True, False)
    assert found.gap_ms == GapMs(200, 200, 200, 200)


def test_gap_percentiles_and_bursts() -> None:
    state = state_of([(t, "x") for t in (100, 101, 109.9, 200, 210, 219)], figures=ServerFigures(completion_tokens=6))
    found = folded(state)
    assert found.gap_ms is not None
    assert found.gap_ms.max == pytest.approx(90.1)
    assert found.gap_ms.p50 == pytest.approx(9)
    assert found.bursts == 3


def test_the_answer_after_reasoning_has_a_first_text_of_its_own() -> None:
    state = state_of([(50, "thinking")], kind="reasoning")
    state.fold(Chunk(run_id="r1", n=2, t_ns=SEND_NS + 90 * MS, kind="content", text="so"))
    found = folded(state)
    assert (found.ttft_s, found.ttft_content_s, found.reasoning, found.text) == (0.05, 0.09, "thinking", "so")


def test_b07_running_counts_give_the_first_chunk_exactly() -> None:
    found = folded(state_of(FOUR, totals=[24, 30, 36, 40], figures=USAGE))
    assert (found.first_chunk_tokens, found.net_estimated) == (24, False)
    assert found.client_tok_s_net == pytest.approx(32)
    assert found.timeline is not None
    assert [mark.tokens for mark in found.timeline] == [24, 6, 6, 4]
    assert (found.tokens_per_chunk_p50, found.tokens_per_chunk_p90) == (6, pytest.approx(18.6))


@pytest.mark.parametrize("totals", [[24, 20, 36, 40], [24, 30, 36, 44], [0, 0, 0, 0]])
def test_running_counts_that_contradict_themselves_are_not_used(totals: list[int]) -> None:
    found = folded(state_of(FOUR, totals=totals, figures=USAGE))
    assert (found.first_chunk_tokens, found.net_estimated) == (10, True)


def test_a_stop_token_after_the_last_text_keeps_running_counts_usable() -> None:
    found = folded(state_of(FOUR, totals=[9, 19, 29, 39], figures=USAGE))
    assert (found.first_chunk_tokens, found.net_estimated, found.completion_tokens) == (9, False, 40)


def test_the_last_running_count_stands_in_for_usage_of_a_cut_answer() -> None:
    found = folded(state_of(FOUR, totals=[24, 30, 36, 40]), status="cut_off")
    assert (found.completion_tokens, found.tokens_estimated) == (40, False)


def test_a15_without_usage_the_count_is_estimated_from_text_never_from_chunks() -> None:
    words = "the lamp went round and the sea went on "
    found = folded(state_of([(100 + 50 * i, words) for i in range(8)]))
    assert found.tokens_estimated
    assert found.completion_tokens == pytest.approx(8 * 9, rel=0.1)
    assert found.client_tok_s == pytest.approx((found.completion_tokens or 0) / 0.35)


def test_a_measured_ratio_scales_the_estimate() -> None:
    state = state_of([(100 + 50 * i, "some plain words here ") for i in range(20)])
    plain = folded(state).completion_tokens or 0
    assert folded(state, chars_per_token=2.0).completion_tokens == pytest.approx(2 * plain, abs=1)


def test_a_run_gives_the_ratio_for_the_next_one() -> None:
    state = state_of([(100 + 50 * i, "some plain words here ") for i in range(20)], figures=ServerFigures(completion_tokens=160))
    assert measured_chars_per_token(state, folded(state)) == pytest.approx(2.0)
    assert measured_chars_per_token(state, folded(state, status="cut_off")) is None
    bare = state_of([(100 + 50 * i, "some plain words here ") for i in range(20)])
    assert measured_chars_per_token(bare, folded(bare)) is None


def test_one_chunk_has_no_decode_time_and_no_rates() -> None:
    found = folded(state_of([(500, "all of it")], figures=USAGE, done_ms=501))
    assert found.ttft_s == pytest.approx(0.5)
    for name in ("decode_s", "client_tok_s", "client_tok_s_net", "tpot_s", "gap_ms", "burstiness"):
        assert getattr(found, name) is None, name
    assert (found.tokens_per_chunk, found.first_chunk_tokens, found.bursts) == (40, 40, 1)


def test_chunks_at_one_instant_have_no_rates() -> None:
    found = folded(state_of([(500, "a"), (500, "b")], figures=USAGE))
    assert found.decode_s == 0
    assert (found.client_tok_s, found.client_tok_s_net, found.tpot_s, found.burstiness) == (None, None, None, None)


def test_no_text_at_all_leaves_everything_about_text_absent() -> None:
    found = folded(state_of([], done_ms=100), status="failed", error="boom")
    for name in ("completion_tokens", "ttft_s", "decode_s", "client_tok_s", "tokens_per_chunk", "gap_ms", "bursts", "timeline", "text"):
        assert getattr(found, name) is None, name
    assert (found.chunks, found.error, found.tokens_estimated) == (0, "boom", False)


def test_a19_not_streamed_has_text_and_tokens_but_no_first_text_and_no_rates() -> None:
    state = state_of([(900, "whole")], figures=ServerFigures(completion_tokens=2, server_tok_s=33.0), done_ms=900)
    state.note_flag("not_streamed")
    found = folded(state)
    assert (found.text, found.completion_tokens, found.flags) == ("whole", 2, ("not_streamed",))
    assert (found.ttft_s, found.decode_s, found.client_tok_s, found.tpot_s) == (None, None, None, None)
    assert (found.total_s, found.server_tok_s) == (pytest.approx(0.9), 33.0)


def test_a30_a_stream_a_proxy_held_back_has_no_rates() -> None:
    chunks = [(400 + 0.02 * i, f"t{i} ") for i in range(40)]
    found = folded(state_of(chunks, figures=ServerFigures(completion_tokens=40)))
    assert found.flags == ("buffered",)
    assert (found.completion_tokens, found.client_tok_s, found.client_tok_s_net, found.tpot_s) == (40, None, None, None)
    assert found.ttft_s == pytest.approx(0.4)


def test_b02_two_tokens_an_event_are_not_two_events() -> None:
    found = folded(state_of([(100 + 50 * i, "ab cd ") for i in range(20)], figures=ServerFigures(completion_tokens=40)))
    assert found.client_tok_s == pytest.approx(40 / 0.95)


def test_b04_the_role_event_is_not_the_first_text() -> None:
    state = state_of([(500, "Hi"), (520, " you")])
    state.note_first_event(SEND_NS)
    found = folded(state)
    assert (found.first_event_s, found.ttft_s) == (0, pytest.approx(0.5))


def test_b06_usage_after_the_text_does_not_move_the_first_text() -> None:
    assert folded(state_of([(100, "Hi")], figures=USAGE, done_ms=900)).ttft_s == pytest.approx(0.1)


def test_b09_a_wall_clock_that_jumps_back_is_only_a_label() -> None:
    earlier = RunState()
    earlier.fold(started(started_at="1970-01-01T00:00:00+00:00"))
    for n, (t_ms, text) in enumerate(FOUR, 1):
        earlier.fold(Chunk(run_id="r1", n=n, t_ns=SEND_NS + round(t_ms * MS), kind="content", text=text))
    found, same = folded(earlier), folded(state_of(FOUR))
    assert (found.ttft_s, found.decode_s, found.client_tok_s) == (same.ttft_s, same.decode_s, same.client_tok_s)
    assert found.started_at.startswith("1970")


def test_b16_the_rate_uses_what_was_given_not_what_was_asked_for() -> None:
    figures = ServerFigures(prompt_tokens=18, completion_tokens=794)
    found = folded(state_of([(600 + 170 * i, "x" * 24) for i in range(156)], figures=figures, done_ms=27000))
    assert (found.completion_tokens, found.finish_reason, found.params.max_tokens) == (794, "stop", 800)
    assert found.client_tok_s == pytest.approx(794 / (0.17 * 155))


def test_what_the_start_said_is_in_the_record() -> None:
    state = RunState()
    state.fold(started(bench_id="b1", run_no=2, warmup=True, connect_s=0.003, needle={"length": 1000}))
    found = record_of(state, status="cancelled", server=SERVER, needle={"found": True}, idle_checked=True)
    assert (found.bench_id, found.run_no, found.warmup, found.connect_s) == ("b1", 2, True, 0.003)
    assert (found.needle, found.idle_checked, found.simulated) == ({"length": 1000, "found": True}, True, False)


def test_texts_and_timeline_can_be_left_out() -> None:
    found = folded(state_of(FOUR, figures=USAGE), keep_text=False, keep_timeline=False)
    assert (found.text, found.timeline) == (None, None)
    assert found.client_tok_s == pytest.approx(80)


def test_a_run_that_never_started_has_no_record() -> None:
    with pytest.raises(ValueError, match="start"):
        record_of(RunState(), status="ok", server=SERVER)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 400), st.text("ab \n", min_size=1, max_size=9)), max_size=12),
    st.one_of(st.none(), st.integers(0, 3000)),
)
def test_no_figure_is_negative_infinite_or_nan_and_parts_sum_to_the_whole(gaps: list[tuple[int, str]], tokens: int | None) -> None:
    t_ms, chunks = 0.0, []
    for gap, text in gaps:
        t_ms += gap
        chunks.append((t_ms, text))
    found = folded(state_of(chunks, figures=ServerFigures(completion_tokens=tokens), done_ms=t_ms))
    for name in RunRecord.__struct_fields__:
        value = getattr(found, name)
        if isinstance(value, float) and name != "burstiness":
            assert 0 <= value < 1e12, name
    assert found.burstiness is None or -1 <= found.burstiness <= 1
    if found.timeline and found.completion_tokens:
        assert sum(mark.tokens for mark in found.timeline) == pytest.approx(found.completion_tokens, abs=0.01)


@pytest.mark.parametrize(
    ("name", "chunks", "tok_s_net"),
    [("story-draft-usage", 160, 29.6), ("code-draft-usage", 48, 89.0), ("code-nodraft-usage", 265, 16.5)],
)
def test_captured_tabbyapi_streams_agree_with_the_servers_own_rate(name: str, chunks: int, tok_s_net: float) -> None:
    found = pieces(f"tabbyapi-e632af4/{name}")
    figures = ServerFigures(completion_tokens=completion_tokens(f"tabbyapi-e632af4/{name}"))
    run = folded(state_of([(t_s * 1000, text) for t_s, _, text in found], figures=figures))
    assert run.chunks == chunks
    assert run.client_tok_s_net == pytest.approx(tok_s_net, rel=0.01)
    assert (run.client_tok_s or 0) > (run.client_tok_s_net or 0)


def test_bursts_of_a_captured_llamacpp_stream_are_its_verify_steps() -> None:
    for name, accepted in (("draft-self8-code-t0", 265), ("draft-q2k-n4-story-t0", 236), ("ngram-n3m8-story-t0", 261)):
        found = pieces(f"llamacpp-b11434/{name}")
        run = folded(state_of([(t_s * 1000, text) for t_s, _, text in found], figures=ServerFigures(completion_tokens=300)))
        assert run.bursts == 300 - accepted


def test_burstiness_tells_bursts_from_a_metronome() -> None:
    steady = folded(state_of([(100 + 20 * i, "word ") for i in range(50)], figures=ServerFigures(completion_tokens=50)))
    assert steady.burstiness == pytest.approx(-1, abs=1e-6)
    bursty = folded(state_of([(100 + 290 * i, "word " * 16) for i in range(49)], figures=ServerFigures(completion_tokens=794)))
    assert bursty.burstiness == pytest.approx(0.59, abs=0.01)


def test_burstiness_matches_the_definition_token_by_token() -> None:
    state = state_of([(0, "ab"), (100, "abc"), (400, "a")], totals=[2, 5, 6], figures=ServerFigures(completion_tokens=6))
    times = [0, 0.1, 0, 0, 0.3]
    mean = sum(times) / 5
    sigma = (sum((x - mean) ** 2 for x in times) / 5) ** 0.5
    assert folded(state).burstiness == pytest.approx((sigma - mean) / (sigma + mean))


def test_milliseconds_are_not_rounded_away() -> None:
    found = folded(state_of([(0.25, "a"), (0.75, "b")], figures=ServerFigures(completion_tokens=2)))
    assert found.decode_s == pytest.approx(0.0005)
