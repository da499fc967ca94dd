"""The run state: what each event changes, and what a retry keeps."""

from __future__ import annotations

from sparktui.core.delta import PromptProgress, ServerFigures
from sparktui.core.events import Chunk, Headers, Idle, Joined, Retry, RunDone, Usage, Waiting, Warning
from sparktui.core.figures.state import RunState
from tests.core.builders import MS, SEND_NS, folded, record, started, state_of


def chunk(n: int, t_ms: float, text: str, kind: str = "content", **changes: object) -> Chunk:
    return Chunk(**{"run_id": "r1", "n": n, "t_ns": SEND_NS + round(t_ms * MS), "kind": kind, "text": text, **changes})  # type: ignore[arg-type]


def begun(*events: object) -> RunState:
    state = RunState()
    for event in (started(), *events):
        state.fold(event)  # type: ignore[arg-type]
    return state


def test_first_text_is_reasoning_content_or_tool_whichever_comes_first() -> None:
    for kind in ("reasoning", "content", "tool"):
        assert begun(chunk(1, 50, "x", kind), chunk(2, 70, "y")).first_ns == SEND_NS + 50 * MS
    state = begun(chunk(1, 50, "x", "reasoning"), chunk(2, 70, "y"))
    assert state.first_content_ns == SEND_NS + 70 * MS
    assert state.last_ns == SEND_NS + 70 * MS


def test_parts_of_one_event_are_one_chunk() -> None:
    both = (chunk(1, 50, "think", "reasoning", tokens_total=3), chunk(1, 50, "say", tokens_total=3))
    state = begun(*both, chunk(2, 80, "more", tokens_total=5))
    assert state.chunks == 2
    assert list(state.chunk_characters) == [8, 4]
    assert state.chunk_totals == [3, 5]
    assert (state.reasoning, state.text) == ("think", "saymore")


def test_empty_and_invented_text_is_never_first_nor_counted() -> None:
    state = begun(chunk(1, 10, ""), chunk(2, 20, "loading", "reasoning", invented=True), chunk(3, 500, "Hi"))
    assert state.first_ns == SEND_NS + 500 * MS
    assert (state.chunks, state.reasoning, state.invented_text) == (1, "", "loading")


def test_a11_a_space_is_text() -> None:
    state = begun(chunk(1, 80, " "), chunk(2, 90, "x"))
    assert state.first_ns == SEND_NS + 80 * MS
    assert state.text == " x"


def test_a28_tool_calls_alone_are_text_and_calls_stand_apart() -> None:
    state = begun(chunk(1, 60, '{"a":', "tool", label="find"), chunk(2, 90, "1}", "tool"), chunk(3, 99, "{}", "tool", label="read"))
    assert state.first_ns == SEND_NS + 60 * MS
    assert state.tool_calls == '{"a":1}\n{}'
    assert folded(state).ttft_s == 0.06


def test_a14_the_last_usage_wins() -> None:
    counts = [0, 1, 3, 6, 6]
    state = begun(*(Usage(run_id="r1", figures=ServerFigures(prompt_tokens=9, completion_tokens=n)) for n in counts))
    assert state.figures == ServerFigures(prompt_tokens=9, completion_tokens=6)


def test_a_retry_restarts_stamps_and_figures_and_is_kept() -> None:
    state = begun(
        Headers(run_id="r1", status=503, t_ns=SEND_NS + MS),
        Usage(run_id="r1", figures=ServerFigures(prompt_tokens=3)),
        chunk(1, 5, "lost"),
        Retry(run_id="r1", reason="the server is loading its model", wait_s=2),
        Warning(run_id="r1", code="model_loaded", text="The model was loaded first."),
        started(attempt=2, t_send_ns=SEND_NS + 3000 * MS),
        chunk(1, 3040, "kept"),
    )
    assert state.text == "kept"
    assert state.t_send_ns == SEND_NS + 3000 * MS
    assert (state.headers_ns, state.figures) == (None, ServerFigures())
    assert state.retries == ["the server is loading its model (waited 2 s)"]
    found = folded(state)
    assert found.ttft_s == 0.04
    assert found.flags == ("model_loaded",)
    assert found.warnings == ("The model was loaded first.",)
    assert found.retries == ("the server is loading its model (waited 2 s)",)


def test_waiting_tells_pings_and_prefill_progress() -> None:
    state = begun(
        Waiting(run_id="r1", elapsed_s=1, pings=1, prompt_progress=PromptProgress(987, 1503)),
        Waiting(run_id="r1", elapsed_s=2, pings=3),
    )
    assert (state.pings, state.prompt_progress) == (3, PromptProgress(987, 1503))
    assert state.first_ns is None


def test_stamps_the_engine_notes() -> None:
    state = begun(Headers(run_id="r1", status=200, t_ns=SEND_NS + 2 * MS))
    state.note_first_event(SEND_NS + 3 * MS)
    state.note_first_event(SEND_NS + 9 * MS)
    state.note_done(SEND_NS + 90 * MS)
    found = folded(state, finish_reason="length", request_id="abc")
    assert (found.headers_s, found.first_event_s, found.total_s) == (0.002, 0.003, 0.09)
    assert (found.finish_reason, found.request_id, state.status_code) == ("length", "abc", 200)


def test_a13_the_finish_reason_noted_with_the_end_is_recorded() -> None:
    assert folded(state_of([(10, "a")], done_ms=20)).finish_reason == "stop"


def test_events_of_other_runs_and_of_the_session_change_nothing() -> None:
    state = begun()
    state.fold(Idle(busy=False))
    state.fold(started(run_id="other", t_send_ns=1))
    state.fold(Chunk(run_id="other", n=1, t_ns=9, kind="content", text="no"))
    assert (state.run_id, state.chunks, state.t_send_ns) == ("r1", 0, SEND_NS)
    early = RunState()
    early.fold(chunk(1, 5, "before its start"))
    assert early.chunks == 0


def test_the_finished_and_the_joined_record_are_kept() -> None:
    state = begun(RunDone(run_id="r1", status="ok", record=record()))
    assert state.record == record()
    joined = record(draft_accepted=3)
    state.fold(Joined(run_id="r1", source="log", record=joined))
    assert state.record is joined


def test_unknown_warning_codes_are_no_flags_and_a_warning_is_kept_once() -> None:
    warning = Warning(run_id="r1", code="max_tokens", text="Long answers have wrong counters.")
    found = folded(begun(warning, warning))
    assert (found.flags, found.warnings) == ((), ("Long answers have wrong counters.",))
