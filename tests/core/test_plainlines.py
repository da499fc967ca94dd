"""Lines of a burst: the same records whether all are read or the newest only, and a ring that reads what is looked at."""

from __future__ import annotations

import msgspec
import pytest

from sparktui.core.events import Hello, Joined, LogLine, decode_event, encode_event
from sparktui.core.log.logrecord import LogRecord
from sparktui.core.log.logring import LogRing
from sparktui.core.log.plainlines import PlainLines
from sparktui.core.session import SessionState
from sparktui.core.slim import without_text
from tests.runs import run

STAMP = "2026-11-30 18:06:15.412"


def burst(first: int, count: int) -> LogLine:
    lines = "\n".join(f"{STAMP} | WARNING  | line {n} " for n in range(first, first + count))
    record, plain = PlainLines(first=first, count=count, lines=lines).parted()
    return LogLine(record=record, plain=plain)


def record(n: int) -> LogRecord:
    return LogRecord(n=n, text=f"line {n}", time=STAMP, level="warning")


def test_every_line_is_a_record() -> None:
    event = burst(5, 4)
    assert event.records == tuple(record(n) for n in range(5, 9))
    assert event.count == 4


@pytest.mark.parametrize("most", [1, 2, 3, 4, 9])
def test_the_newest_are_the_last_of_all(most: int) -> None:
    event = burst(5, 4)
    assert event.newest(most) == event.records[-most:]


def test_a_burst_survives_the_wire_and_loses_its_text_where_none_is_kept() -> None:
    event = burst(1, 3)
    assert decode_event(encode_event(event)) == event
    assert without_text(event) is None


def test_a_ring_keeps_the_newest_and_counts_all() -> None:
    ring = LogRing(10)
    for start in range(1, 100, 3):
        ring.add(burst(start, 3))
        if start % 4 == 0:
            assert [one.n for one in ring.records] == list(range(max(1, start - 7), start + 3))
    assert [one.n for one in ring.records] == list(range(90, 100))
    assert (ring.count, len(ring)) == (99, 10)


def test_a_ring_holds_little_of_what_nobody_looks_at() -> None:
    ring = LogRing(10)
    for start in range(1, 10_000, 4):
        ring.add(burst(start, 4))
    assert sum(event.count for event in ring._unread) < 10 + 4
    assert len(ring) == 10
    assert [one.n for one in ring.records] == list(range(ring.count - 9, ring.count + 1))


def test_an_event_longer_than_the_ring() -> None:
    ring = LogRing(10)
    ring.add(LogLine(record=record(1)))
    ring.add(burst(2, 50))
    assert [one.n for one in ring.records] == list(range(42, 52))


def test_a_session_forgets_links_of_records_that_are_gone() -> None:
    session = SessionState(log_records=5)
    known = run(1)
    session.fold(LogLine(record=record(1)))
    session.fold(Joined(run_id=known.id, source="log", record=known, n=1))
    assert session.log_of_run(known.id) == 1
    session.fold(burst(2, 20))
    assert session.log_count == 21
    assert session.log_of_run(known.id) is None


def test_another_worker_numbers_its_log_anew() -> None:
    hello = Hello(protocol=1, version="0", pid=1, host="spark", session="a", clock_ns=0, wall="2026-11-30T12:00:00Z")
    session = SessionState()
    session.fold(hello)
    session.fold(burst(1, 20))
    session.fold(Joined(run_id="r", source="log", record=run(1), n=3))
    session.fold(msgspec.structs.replace(hello, session="b"))
    session.fold(LogLine(record=record(3)))
    assert session.run_of_log(3) == ""
    assert [one.n for one in session.log] == [3] and session.log_count == 21
