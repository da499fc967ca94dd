"""A stored run as events again: its text whole, its stamps and tokens those of the record."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.events import Chunk, RunDone, RunStarted
from sparktui.core.figures.state import RunState
from sparktui.core.records import ChunkMark, RunRecord
from sparktui.core.replay import ORIGIN_NS, NotReplayableError, as_streamed, recording_of
from sparktui.core.session import SessionState
from tests.runs import run

MARKS = (ChunkMark(1.08, "content", 4, 1.5), ChunkMark(1.37, "content", 6, 2.25), ChunkMark(1.37, "content", 3, 1.25))


def played(record: RunRecord) -> SessionState:
    session = SessionState()
    for _, event in recording_of([record]).cues:
        session.fold(event)
    return session


def chunks(record: RunRecord) -> list[Chunk]:
    return [event for _, event in recording_of([record]).cues if isinstance(event, Chunk)]


def test_every_chunk_is_due_when_it_once_arrived_with_the_text_it_brought() -> None:
    record = run(text="def put(self):", timeline=MARKS, total_s=1.5)
    found = [(cue.at_ns, cue.event.text) for cue in recording_of([record]).cues if isinstance(cue.event, Chunk)]
    assert found == [(1_080_000_000, "def "), (1_370_000_000, "put(se"), (1_370_000_000, "lf):")]
    assert [chunk.t_ns - ORIGIN_NS for chunk in chunks(record)] == [1_080_000_000, 1_370_000_000, 1_370_000_000]
    assert recording_of([record]).length_ns == 1_500_000_000
    assert recording_of([record]).steps_ns == (1_080_000_000, 1_370_000_000)


def test_the_tokens_are_the_records_estimated_or_exact() -> None:
    record = run(text="x" * 13, timeline=MARKS, completion_tokens=5, net_estimated=True)
    session = played(record)
    assert session.current is not None
    assert list(session.current.burst_tokens) == [1.5, 3.5]
    assert [chunk.tokens_total for chunk in chunks(record)] == [None] * 3
    whole = tuple(msgspec.structs.replace(mark, tokens=float(n)) for n, mark in enumerate(MARKS, 1))
    exact = run(text="x" * 13, timeline=whole, completion_tokens=6, net_estimated=False)
    assert [chunk.tokens_total for chunk in chunks(exact)] == [1, 3, 6]


def test_reasoning_comes_before_content_and_a_chunk_with_both_is_split() -> None:
    marks = (ChunkMark(0.5, "reasoning", 3, 1.0), ChunkMark(0.7, "reasoning", 5, 2.0), ChunkMark(0.9, "content", 4, 1.0))
    record = run(reasoning="hmm..", text="So then", timeline=marks)
    parts = [(chunk.n, chunk.kind, chunk.text) for chunk in chunks(record)]
    assert parts == [(1, "reasoning", "hmm"), (2, "reasoning", ".."), (2, "content", "So "), (3, "content", "then")]


def test_a_run_whose_text_was_not_kept_still_shows_its_shape() -> None:
    record = run(text=None, timeline=MARKS)
    assert [len(chunk.text) for chunk in chunks(record)] == [4, 6, 3]
    assert set("".join(chunk.text for chunk in chunks(record))) <= {"·", " "}


def test_a_run_without_a_timeline_cannot_be_played() -> None:
    with pytest.raises(NotReplayableError, match="timeline"):
        recording_of([run(timeline=None)])


def test_a_run_that_failed_ends_as_it_did() -> None:
    record = run(status="cut_off", error="the line broke", text="x" * 13, timeline=MARKS, total_s=None)
    last = recording_of([record]).cues[-1].event
    assert isinstance(last, RunDone)
    assert (last.status, last.error, last.t_ns - ORIGIN_NS) == ("cut_off", "the line broke", 1_370_000_000)


def test_several_runs_come_one_after_the_other_with_a_rest_between() -> None:
    both = [run(n, text="x" * 13, timeline=MARKS, total_s=1.5) for n in (1, 2)]
    starts = [(cue.at_ns, cue.event.t_send_ns) for cue in recording_of(both).cues if isinstance(cue.event, RunStarted)]
    assert starts == [(0, ORIGIN_NS), (3_500_000_000, ORIGIN_NS + 3_500_000_000)]
    assert recording_of(both).length_ns == 5_000_000_000


def test_a_record_that_came_without_its_stream_gets_the_one_that_was_seen() -> None:
    record = run(text="def put(self):", timeline=MARKS, total_s=1.5, completion_tokens=5, net_estimated=True)
    state = RunState()
    for _, event in recording_of([record]).cues:
        if not isinstance(event, RunDone):
            state.fold(event)
    bare = msgspec.structs.replace(record, text=None, timeline=None)
    again = as_streamed(bare, state)
    assert again.text == record.text
    assert [(mark.t_s, mark.kind, mark.characters) for mark in again.timeline or ()] == [
        (1.08, "content", 4), (1.37, "content", 6), (1.37, "content", 4)
    ]  # fmt: skip
    assert sum(mark.tokens for mark in again.timeline or ()) == pytest.approx(5, abs=0.001)
    assert as_streamed(record, state) is record


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
STAMPS = st.lists(
    st.tuples(st.floats(), st.sampled_from(["content", "reasoning", "tool", "odd"]), st.integers(-3, 20), st.floats()),
    min_size=1, max_size=12,
)  # fmt: skip


@given(TEXTS, TEXTS, TEXTS, STAMPS)
@settings(max_examples=80, deadline=None)
def test_whatever_a_file_claims_the_text_comes_whole_and_time_never_runs_back(
    text: str, reasoning: str, tools: str, stamps: list[tuple[float, str, int, float]]
) -> None:
    marks = tuple(ChunkMark(*stamp) for stamp in stamps)
    record = run(text=text, reasoning=reasoning, tool_calls=tools, timeline=marks)
    cues = recording_of([record]).cues
    assert [cue.at_ns for cue in cues] == sorted(cue.at_ns for cue in cues)
    if text or reasoning or tools:
        for kind, whole in (("content", text), ("reasoning", reasoning), ("tool", tools)):
            assert "".join(chunk.text for chunk in chunks(record) if chunk.kind == kind) == whole
