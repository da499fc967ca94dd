"""The fold of a session's events: what a screen knows, in O(1) an event."""

from __future__ import annotations

import msgspec
import pytest

from sparktui.core.delta import PromptProgress, ServerFigures
from sparktui.core.events import (
    Chunk,
    ErrorEvent,
    Joined,
    LogLine,
    MemoryNow,
    PlanProgress,
    Retry,
    RunStarted,
    Server,
    Usage,
    Waiting,
    encode_event,
)
from sparktui.core.expect import prefill_of
from sparktui.core.figures.gaps import Gaps
from sparktui.core.figures.phase import phase_of
from sparktui.core.log.logrecord import LogRecord
from sparktui.core.records import PromptInfo, RunParams
from sparktui.core.session import SessionState
from tests.tui.timelines import T0_NS, TABBY, Script, finished, opening, run

SECOND_NS = 1_000_000_000


def folded(script: Script, until_s: float = 1e9) -> SessionState:
    session = SessionState()
    for t_s, event in script:
        if t_s <= until_s:
            session.fold(event)
    return session


def started(run_id: str = "a", *, at_s: float = 0.0, attempt: int = 1, needle: dict[str, object] | None = None) -> RunStarted:
    return RunStarted(
        run_id=run_id, prompt=PromptInfo(name="needle", sha256="f00"), params=RunParams(max_tokens=64), attempt=attempt,
        t_send_ns=T0_NS + round(at_s * SECOND_NS), started_at="2026-09-02T12:04:00+00:00", needle=needle, server=TABBY,
    )  # fmt: skip


def chunk(n: int, t_s: float, text: str = "word ", run_id: str = "a", **more: object) -> Chunk:
    return Chunk(run_id=run_id, n=n, kind="content", text=text, t_ns=T0_NS + round(t_s * SECOND_NS), **more)  # type: ignore[arg-type]


def test_a_run_goes_from_prefill_over_generating_to_done_and_idle_after_a_minute() -> None:
    script = opening() + run("story", seed=1)
    session = SessionState()
    assert phase_of(session, T0_NS).name == "connecting"
    for t_s, event in script:
        session.fold(event)
        if t_s == 0:
            now = phase_of(session, T0_NS + 300_000_000)
    assert now.name == "prefill" and now.seconds == pytest.approx(0.3)
    end_ns = session.current.t_done_ns  # type: ignore[union-attr]
    assert end_ns is not None
    assert phase_of(session, end_ns + 59 * SECOND_NS).name == "done"
    assert phase_of(session, end_ns + 61 * SECOND_NS).name == "idle"
    halfway = folded(script, until_s=5.0)
    assert phase_of(halfway, T0_NS + 5 * SECOND_NS).name == "generating"


def test_live_figures_of_a_code_run_are_near_those_of_its_record() -> None:
    script = run("code", seed=3)
    run_at = folded(script, until_s=9.0).current
    assert run_at is not None and not run_at.done
    record = folded(script).records[0]
    assert run_at.ttft_s == pytest.approx(record.ttft_s)
    assert run_at.gaps.median_ms == pytest.approx(290, abs=5)
    assert run_at.gaps.burstiness == pytest.approx(0.60, abs=0.03)
    assert run_at.tokens_per_chunk == pytest.approx(16.5, abs=1.5)
    assert run_at.tok_s_net == pytest.approx(record.client_tok_s_net, rel=0.12)


def test_a_stall_is_told_after_two_seconds_or_five_gaps_whichever_is_longer() -> None:
    session = folded([(0, started()), *((0, chunk(n, n)) for n in range(1, 8))])
    assert phase_of(session, T0_NS + 11 * SECOND_NS).name == "generating"
    stalled = phase_of(session, T0_NS + round(12.5 * SECOND_NS))
    assert stalled.name == "stalled" and stalled.seconds == pytest.approx(5.5)
    quick = folded([(0, started()), *((0, chunk(n, n / 10)) for n in range(1, 8))])
    assert phase_of(quick, T0_NS + round(2.6 * SECOND_NS)).name == "generating"
    assert phase_of(quick, T0_NS + round(2.8 * SECOND_NS)).name == "stalled"


def test_usage_rescales_the_estimated_counts_to_the_true_total() -> None:
    script = run("story", seed=1)
    before = folded(script, until_s=24.0).current
    assert before is not None and not before.tokens_exact
    after = folded(script).current
    assert after is not None and after.tokens_exact
    assert after.tokens == 794
    assert sum(after.columns.tokens) == pytest.approx(794)
    assert sum(after.burst_tokens) == pytest.approx(794)


def test_exact_running_counts_are_taken_as_they_are() -> None:
    session = folded([(0, started()), (0, chunk(1, 0.5, tokens_total=3)), (0, chunk(2, 0.6, tokens_total=8))])
    assert session.current is not None
    assert session.current.tokens == 8 and session.current.tokens_exact
    assert list(session.current.burst_tokens) == [3, 5]


def test_chunks_under_ten_milliseconds_apart_are_one_burst_and_parts_of_one_event_one_chunk() -> None:
    events = [chunk(1, 0.5), chunk(2, 0.505), chunk(3, 0.514), chunk(4, 0.530), chunk(4, 0.530)]
    session = folded([(0, started()), *((0, event) for event in events)])
    current = session.current
    assert current is not None
    assert current.chunks == 4
    assert len(current.burst_tokens) == 2
    assert [piece.burst for piece in current.take_pieces()] == [0, 0, 0, 1, 1]
    assert current.take_pieces() == []


def test_text_that_is_not_the_models_is_shown_but_never_timed_or_counted() -> None:
    session = folded([(0, started()), (0, chunk(1, 0.5, "loading the model…", invented=True))])
    current = session.current
    assert current is not None
    assert (current.chunks, current.tokens, current.t_first_ns) == (0, 0.0, None)
    assert [(piece.text, piece.burst) for piece in current.take_pieces()] == [("loading the model…", None)]
    assert phase_of(session, T0_NS + SECOND_NS).name == "prefill"


def test_a_retry_restarts_the_stamps_and_keeps_the_retries() -> None:
    script: Script = [(0, started()), (0, chunk(1, 0.5)), (0, Retry(run_id="a", reason="503", wait_s=1)), (0, started(at_s=3, attempt=2))]
    session = folded(script)
    current = session.current
    assert current is not None
    assert current.t_send_ns == T0_NS + 3 * SECOND_NS
    assert (current.chunks, [retry.reason for retry in current.retries]) == (0, ["503"])


def test_the_run_on_screen_stays_while_others_start_beside_it() -> None:
    session = folded([(0, started("a")), (0, started("b")), (0, chunk(1, 0.5, run_id="b"))])
    assert session.current is not None and session.current.run_id == "a"
    assert set(session.active) == {"a", "b"}
    assert session.active["b"].chunks == 1


def test_records_are_kept_without_their_texts_newest_first_and_joins_replace_them() -> None:
    session = folded(run("code", seed=3, joined=False))
    record = session.records[0]
    session.put_records([finished("story", minutes_ago=5), finished("story", minutes_ago=9, seed=2)])
    assert [item.prompt.name for item in session.records] == ["code", "story", "story"]
    better = msgspec.structs.replace(record, acceptance_rate=0.5, text="long")
    session.fold(Joined(run_id=record.id, source="log", record=better, n=7))
    assert session.record_count == 3
    kept = session.record(record.id)
    assert kept is not None and kept.acceptance_rate == 0.5 and kept.text is None
    assert session.log_links == {7: record.id}
    assert session.current is not None and session.current.record is kept
    session.forget([record.id])
    assert session.record_count == 2 and session.record(record.id) is None


def test_draft_figures_until_the_run_ends_come_from_the_newest_run_of_its_cell() -> None:
    session = folded(run("code", seed=3, run_no=2), until_s=3.0)
    older, newer, other = finished("code", minutes_ago=9, seed=1), finished("code", minutes_ago=5), finished("story", minutes_ago=1)
    warmer = finished("code", minutes_ago=2, temperature=1.0)
    elsewhere = finished("code", minutes_ago=3, info=msgspec.structs.replace(TABBY, base_url="http://other:5000"))
    session.put_records([older, newer, other, warmer, elsewhere])
    assert session.current is not None
    earlier = session.earlier_of_cell(session.current)
    assert earlier is not None and earlier.id == newer.id


def test_a_measured_ratio_replaces_the_start_value_for_the_next_run() -> None:
    session = folded(run("story", seed=1))
    ratio = session.chars_per_token
    assert ratio is not None
    for t_s, event in run("story", seed=2, at_s=60.0):
        if t_s < 84.0:
            session.fold(event)
    assert session.current is not None
    true = sum(1 for t_s, event in run("story", seed=2, at_s=60.0) if t_s < 84.0 and isinstance(event, Chunk))
    assert session.current.chunks == true
    assert session.current.tokens == pytest.approx(session.current.chunks * 5.1, rel=0.08)


def test_log_records_are_kept_up_to_a_limit_with_their_links() -> None:
    session = SessionState(log_records=3)
    for n in range(1, 6):
        session.log_links[n] = f"run{n}"
        session.fold(LogLine(record=LogRecord(n=n, text="x")))
    assert [record.n for record in session.log] == [3, 4, 5]
    assert set(session.log_links) == {3, 4, 5}
    assert session.log_count == 5


def test_records_that_were_read_together_come_in_order() -> None:
    session = SessionState()
    session.fold(LogLine(record=LogRecord(n=1, text="a"), more=(LogRecord(n=2, text="b"), LogRecord(n=3, text="c"))))
    assert [record.text for record in session.log] == ["a", "b", "c"]


def test_memory_keeps_its_peak_of_the_run_on_screen() -> None:
    def memory(used: int) -> MemoryNow:
        return MemoryNow(total=100, used=used, available=100 - used)

    session = folded([(0, memory(90)), (0, memory(50)), (0, started()), (0, memory(70)), (0, memory(60))])
    assert (session.memory_peak_used, session.memory_least_free) == (70, 30)


def test_revisions_tell_which_part_changed() -> None:
    session = SessionState()
    before = session.rev.sum()
    session.fold(PlanProgress(plan_id="p", done=1, total=4))
    session.fold(ErrorEvent(title="no"))
    assert (session.rev.plan, session.rev.trouble, session.rev.run) == (1, 1, 0)
    assert session.rev.sum() == before + 2


def test_events_of_unknown_runs_change_nothing() -> None:
    session = folded([(0, chunk(1, 0.5)), (0, Usage(run_id="a", figures=ServerFigures(completion_tokens=3)))])
    assert session.current is None and session.rev.sum() == 0


def test_the_fold_of_a_journal_read_back_is_the_same() -> None:
    from sparktui.core.events import decode_event

    script = opening() + run("code", seed=3)
    live, read = SessionState(), SessionState()
    for _, event in script:
        live.fold(event)
        read.fold(decode_event(encode_event(event)))
    assert live.records == read.records
    assert live.current is not None and read.current is not None
    assert live.current.columns.tokens == read.current.columns.tokens


class TestPrefill:
    def test_progress_that_the_server_reports_is_exact(self) -> None:
        waiting = Waiting(run_id="a", elapsed_s=3, prompt_progress=PromptProgress(processed=25, total=100))
        session = folded([(0, started()), (0, waiting)])
        assert session.current is not None
        prefill = prefill_of(session, session.current, T0_NS + 3 * SECOND_NS)
        assert (prefill.share, prefill.exact, prefill.prompt_tokens) == (0.25, True, 100)

    def test_an_earlier_rate_of_this_server_gives_an_expectation_past_which_the_line_stays_full(self) -> None:
        session = folded([(0, started(needle={"length": 100_000, "depth": 0.5}))])
        session.put_records([finished("story", id="n", new_tokens=100_000, prefill_tok_s=800.0)])
        assert session.current is not None
        prefill = prefill_of(session, session.current, T0_NS + 25 * SECOND_NS)
        assert (prefill.expected_s, prefill.rate, prefill.same_size) == (125, 800, True)
        assert prefill.share == pytest.approx(0.2)
        assert prefill_of(session, session.current, T0_NS + 200 * SECOND_NS).share == 1.0

    def test_a_rate_measured_on_a_prompt_of_another_size_says_nothing(self) -> None:
        session = folded([(0, started(needle={"length": 100_000, "depth": 0.5}))])
        session.put_records([finished("story", id="n", new_tokens=38, prefill_tok_s=120.0)])
        assert session.current is not None
        prefill = prefill_of(session, session.current, T0_NS + 25 * SECOND_NS)
        assert (prefill.expected_s, prefill.share, prefill.prompt_tokens) == (None, None, 100_000)

    def test_a_prompt_nobody_counted_is_not_known(self) -> None:
        session = folded([(0, started())])
        assert session.current is not None
        assert prefill_of(session, session.current, T0_NS).prompt_tokens is None


class TestGaps:
    def test_the_median_is_exact_to_a_tenth_of_a_millisecond(self) -> None:
        gaps = Gaps()
        for ms in (93.31, 93.26, 93.4, 12.0, 4000.0):
            gaps.add(round(ms * 1e6), 1)
        assert gaps.median_ms == pytest.approx(93.3)
        assert gaps.longest_ns == 4_000_000_000

    def test_nothing_is_known_of_too_few_gaps(self) -> None:
        gaps = Gaps()
        assert (gaps.median_ms, gaps.burstiness) == (None, None)
        gaps.add(1_000_000, 4)
        assert gaps.burstiness is None

    def test_a_metronome_of_single_tokens_is_minus_one_and_bursts_are_above_zero(self) -> None:
        steady, bursty = Gaps(), Gaps()
        for _ in range(100):
            steady.add(50_000_000, 1)
            bursty.add(290_000_000, 16)
        assert steady.burstiness == pytest.approx(-1)
        assert bursty.burstiness == pytest.approx(0.59, abs=0.02)


PHASES = (("ready", "idle"), ("loading", "loading"), ("unreachable", "unreachable"), ("probing", "connecting"))


@pytest.mark.parametrize(("state", "name"), PHASES)
def test_the_phase_without_a_run_is_the_servers(state: str, name: str) -> None:
    assert phase_of(folded([(0, Server(state=state))]), T0_NS).name == name  # type: ignore[arg-type]
