"""A journal without its texts: nothing that was said is in the file, every figure is, and every line is where it was."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktui.core.events import AnyEvent, Bye, Chunk, Hello, Joined, LogLine, PlanProgress, RunDone, RunStarted, Warning, encode_event
from sparktui.core.log.logrecord import Generation, LogRecord
from sparktui.core.records import RunParams
from sparktui.core.session import SessionState
from sparktui.core.slim import without_text
from sparktui.errors import StorageError
from sparktui.io.store.journal import JournalTail, JournalWriter, read_journal
from sparktui.io.store.recovery import recover
from sparktui.io.store.sessions import session_at
from sparktui.io.store.slimming import slim_journal
from tests.runs import CODE, SERVER, prompt_info, run

SAID = "A lighthouse – café ✓"
RECORD = msgspec.structs.replace(run(1), text=SAID, reasoning="Well.", tool_calls="look()")
FIGURES = Generation(grammar="tabbyapi", completion_tokens=794)
EVENTS: list[AnyEvent] = [
    Hello(protocol=1, version="0.1.0", pid=7, host="spark", session="s1", clock_ns=5, wall="2026-11-30T12:00:00Z"),
    RunStarted(
        run_id=RECORD.id, prompt=prompt_info("code", CODE), params=RunParams(temperature=0), t_send_ns=1000, server=SERVER,
        started_at="2026-11-30T12:00:00Z",
    ),
    Chunk(run_id=RECORD.id, n=1, kind="content", text=SAID, t_ns=2000),
    LogLine(record=LogRecord(n=1, text=f"prompt: {CODE}"), more=(LogRecord(n=2, text="Metrics 794 tok", generation=FIGURES),)),
    LogLine(record=LogRecord(n=3, text=f"answer: {SAID}")),
    Warning(run_id=RECORD.id, code="x", text="A note of ours."),
    RunDone(run_id=RECORD.id, status="ok", record=RECORD),
    Joined(run_id=RECORD.id, source="log", record=RECORD, n=2),
    PlanProgress(plan_id="p", done=1, total=1, finished=True),
    Bye(reason="done"),
]  # fmt: skip


def written(path: Path, events: list[AnyEvent], torn: bytes = b"") -> Path:
    path.write_bytes(b"".join(encode_event(event) + b"\n" for event in events) + torn)
    return path


def test_nothing_that_was_said_is_left_and_every_figure_is(tmp_path: Path) -> None:
    path = written(tmp_path / "s1.jsonl", EVENTS, torn=b'{"type":"chunk","text":"lighth')
    os.utime(path, ns=(5_000_000_000, 7_000_000_000))
    size = path.stat().st_size
    assert slim_journal(path)
    left = path.read_bytes()
    for word in ("lighth", "café", "Well.", "look()", CODE, "LRU"):
        assert word.encode() not in left
    assert (len(left), path.stat().st_mtime_ns) == (size, 7_000_000_000)
    bare = msgspec.structs.replace(
        RECORD, text=None, reasoning=None, tool_calls=None, prompt=msgspec.structs.replace(RECORD.prompt, text=None)
    )
    assert recover(path) == [bare]
    assert RECORD.timeline is not None and bare.timeline == RECORD.timeline
    kept = list(read_journal(path))
    assert [type(event).__name__ for event in kept] == [
        "Hello", "RunStarted", "LogLine", "Warning", "RunDone", "Joined", "PlanProgress", "Bye"
    ]  # fmt: skip
    assert [record.n for event in kept if isinstance(event, LogLine) for record in event.records] == [2]
    # twice is once
    assert slim_journal(path) and path.read_bytes() == left


def test_a_screen_still_shows_the_session(tmp_path: Path) -> None:
    path = written(tmp_path / "s1.jsonl", EVENTS)
    slim_journal(path)
    session = SessionState()
    for event in read_journal(path):
        session.fold(event)
    assert session.record(RECORD.id) is not None
    assert session.current is not None and session.current.record is not None and session.current.record.client_tok_s == 57.1
    assert session.log[0].generation == FIGURES and session.log_links == {2: RECORD.id}
    assert session_at(path).state == "ended"


def test_a_reader_in_the_middle_of_it_goes_on(tmp_path: Path) -> None:
    path = written(tmp_path / "s1.jsonl", EVENTS)
    tail = JournalTail(path)
    first = tail.read_new(len(encode_event(EVENTS[0])) + 40)
    slim_journal(path)
    rest = tail.read_new()
    assert [type(event).__name__ for event in (*first, *rest)][-3:] == ["Joined", "PlanProgress", "Bye"]
    # the line it held the beginning of no longer fits its end, which is the only thing lost
    assert tail.skipped <= 1


def test_one_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    writer = JournalWriter(tmp_path / "s1.jsonl")
    for event in EVENTS:
        writer(event)
    assert writer.flush()
    assert not slim_journal(writer.path)
    assert SAID in writer.path.read_text(encoding="utf-8")
    writer.close()
    assert slim_journal(writer.path)
    assert SAID not in writer.path.read_text(encoding="utf-8")


def test_one_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="texts stay in the journal"):
        slim_journal(tmp_path)


@given(text=st.text(max_size=3), prompt=st.one_of(st.none(), st.text(max_size=2)), reasoning=st.one_of(st.none(), st.text(max_size=1)))
def test_a_line_never_grows_however_short_its_text(text: str, prompt: str | None, reasoning: str | None) -> None:
    from sparktui.io.store.slimming import _slim

    info = msgspec.structs.replace(RECORD.prompt, text=prompt)
    record = msgspec.structs.replace(RECORD, text=text, reasoning=reasoning, tool_calls=None, prompt=info)
    for event in (RunDone(run_id="r", status="ok", record=record), msgspec.structs.replace(EVENTS[1], prompt=info)):
        line = encode_event(event) + b"\n"
        assert len(_slim(line)) == len(line)


def test_events_without_text_are_the_same_ones() -> None:
    for event in (EVENTS[0], EVENTS[5], EVENTS[8], EVENTS[9], RunDone(run_id="r", status="ok", record=without_text(EVENTS[6]).record)):  # type: ignore[union-attr]
        assert without_text(event) is event
