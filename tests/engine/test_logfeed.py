"""A source's items as events: records, states, joined runs, and who waits for what."""

from __future__ import annotations

import queue
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from sparktui.core.events import AnyEvent, Joined, LogLine, LogState, RunDone, RunStarted, decode_event, encode_event
from sparktui.core.figures.metrics import apply_figures
from sparktui.core.records import PromptInfo, RunParams, RunRecord, ServerInfo
from sparktui.engine.hosting.logfeed import LogFeed
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.io.log.logpath import PathSource
from sparktui.io.log.logsource import Begin, Data, Item, LogSource, Put, Status

FIXTURES = Path(__file__).parents[1] / "fixtures"
ID = "0123456789abcdef0123456789abcdef"
PROMPT = PromptInfo(name="story", sha256="00")
LATE_LINE = (FIXTURES / "cases/C24/after_700ms.txt").read_bytes()


class FakeSource:
    """Puts what a test hands it."""

    shown = "fake.log"

    def __init__(self) -> None:
        self.items: queue.SimpleQueue[Item] = queue.SimpleQueue()

    def run(self, put: Put, stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                put(self.items.get(timeout=0.02))
            except queue.Empty:
                continue


class Watched:
    """A feed on a source, and the events it has led to."""

    def __init__(self, source: LogSource) -> None:
        self.events: list[AnyEvent] = []
        self.emitter = Emitter([self.events.append])
        self.feed = LogFeed(source, self.emitter, apply=partial(apply_figures, steps_checked=True), secrets=("hunter2hunter2",))
        self.emitter.add(self.feed)
        self.feed.start()

    def texts(self) -> list[str]:
        return [record.text for event in list(self.events) if isinstance(event, LogLine) for record in event.records]

    def joined(self) -> list[Joined]:
        return [event for event in list(self.events) if isinstance(event, Joined)]

    def run(self, run_id: str = "r1", *, request: str | None = f"chatcmpl-{ID}") -> RunRecord:
        self.start(run_id)
        return self.end(run_id, request=request)

    def start(self, run_id: str) -> None:
        self.emitter.emit(RunStarted(run_id=run_id, prompt=PROMPT, params=RunParams(), t_send_ns=0, started_at=""))

    def end(self, run_id: str, *, request: str | None = f"chatcmpl-{ID}") -> RunRecord:
        record = RunRecord(
            id=run_id, started_at="", label="default", status="ok", server=ServerInfo(kind="tabbyapi", base_url="http://x"), prompt=PROMPT,
            params=RunParams(), completion_tokens=794, request_id=request,
        )  # fmt: skip
        self.emitter.emit(RunDone(run_id=run_id, status="ok", record=record))
        return record


@pytest.fixture
def source() -> FakeSource:
    return FakeSource()


@pytest.fixture
def watched(source: FakeSource) -> Watched:
    made = Watched(source)
    yield made  # type: ignore[misc]
    made.feed.stop()


def until(condition: object, seconds: float = 5.0) -> bool:
    assert callable(condition)
    limit = time.monotonic() + seconds
    while not condition() and time.monotonic() < limit:
        time.sleep(0.005)
    return bool(condition())


def test_records_become_events_with_secrets_masked(source: FakeSource, watched: Watched) -> None:
    source.items.put(Data(b"2030-01-01 00:00:00.000 | INFO     | the key hunter2hunter2 is out\n"))
    assert until(watched.texts)
    (event,) = [event for event in watched.events if isinstance(event, LogLine)]
    assert "hunter2" not in event.record.text
    assert (event.record.n, event.record.level, event.record.time) == (1, "info", "2030-01-01 00:00:00.000")
    assert event.t_ns > 0


def test_states_name_the_source(source: FakeSource, watched: Watched) -> None:
    source.items.put(Status("waiting", "fake.log is not there yet", "fake.log"))
    source.items.put(Status("following", "", "2030.log"))
    assert until(lambda: len(watched.events) == 2)
    states = [(event.state, event.source, event.reason) for event in watched.events if isinstance(event, LogState)]
    assert states == [("waiting", "fake.log", "fake.log is not there yet"), ("following", "fake.log (2030.log)", "")]


def test_the_last_wrapped_record_comes_out_after_a_short_quiet(source: FakeSource, watched: Watched) -> None:
    source.items.put(Data(b"2030-01-01 00:00:00.000 INFO:     Finished chat completion streaming request \n"))
    source.items.put(Data(ID.encode() + b"\n"))
    began = time.monotonic()
    assert until(watched.texts)
    assert watched.texts() == [f"Finished chat completion streaming request {ID}"]
    assert 0.05 < time.monotonic() - began < 2.0


def test_a_begun_line_holds_the_record_before_it_back_longer(source: FakeSource, watched: Watched) -> None:
    source.items.put(Data(b"2030-01-01 00:00:00.000 INFO:     Finished chat completion streaming request \n0123456789"))
    time.sleep(0.25)
    assert watched.texts() == []
    source.items.put(Data(b"abcdef0123456789abcdef\n"))
    assert until(lambda: watched.texts() == [f"Finished chat completion streaming request {ID}"])


def test_c24_a_late_line_is_joined_while_somebody_waits_for_it(source: FakeSource, watched: Watched) -> None:
    source.items.put(Status("following"))
    assert until(lambda: watched.events)
    watched.run()
    timer = threading.Timer(0.15, source.items.put, [Data(LATE_LINE)])
    timer.start()
    began = time.monotonic()
    watched.feed.wait_joined("r1", Cancel())
    assert 0.1 < time.monotonic() - began < 2.5
    timer.join()
    (joined,) = watched.joined()
    assert (joined.accepted, joined.proposed, joined.n) == (512, 846, 1)
    assert joined.record.draft_accepted == 512
    assert joined.record.verify_steps == 794 - 512


def test_nobody_waits_when_no_log_is_followed(source: FakeSource, watched: Watched) -> None:
    source.items.put(Status("waiting", "not there"))
    assert until(lambda: watched.events)
    watched.run()
    began = time.monotonic()
    watched.feed.wait_joined("r1", Cancel())
    assert time.monotonic() - began < 1.0
    watched.feed.wait_joined("never heard of", Cancel())


def test_a_cancel_ends_the_wait(source: FakeSource, watched: Watched) -> None:
    source.items.put(Status("following"))
    assert until(lambda: watched.events)
    watched.run()
    cancel = Cancel()
    threading.Timer(0.05, cancel.set).start()
    began = time.monotonic()
    watched.feed.wait_joined("r1", cancel)
    assert time.monotonic() - began < 1.0


def test_c17_lines_whose_clock_is_another_zones_are_joined_all_the_same(source: FakeSource, watched: Watched) -> None:
    source.items.put(Status("following"))
    watched.run()
    source.items.put(Data(LATE_LINE.replace(b"2030-01-01", b"1999-12-31")))
    assert until(watched.joined)


def test_c15_lines_from_before_a_run_are_never_its_acceptance(source: FakeSource, watched: Watched) -> None:
    nameless = LATE_LINE.replace(f" (ID: {ID})".encode(), b"")
    source.items.put(Begin(mid_file=True))
    source.items.put(Data(nameless, live=False))
    source.items.put(Status("following"))
    assert until(watched.texts)
    watched.run(request=None)
    time.sleep(0.1)
    assert watched.joined() == []


def test_a_truncated_file_loses_its_begun_line(source: FakeSource, watched: Watched) -> None:
    source.items.put(Data(b"half a li"))
    source.items.put(Status("truncated"))
    source.items.put(Begin(keep_partial=False))
    source.items.put(Data(b"new\n"))
    assert until(lambda: watched.texts() == ["new"])


def test_the_rest_is_told_when_the_input_ends(source: FakeSource, watched: Watched) -> None:
    source.items.put(Data(b"no end of line"))
    source.items.put(Status("ended", "end of input"))
    assert until(lambda: watched.texts() == ["no end of line"])


def test_lines_read_together_are_one_event(source: FakeSource, watched: Watched) -> None:
    source.items.put(Data(b"one\ntwo\nthree\n"))
    assert until(lambda: watched.events)
    (event,) = watched.events
    assert isinstance(event, LogLine)
    assert [record.n for record in event.records] == [1, 2, 3]
    assert decode_event(encode_event(event)) == event


def burst_of(count: int) -> bytes:
    return b"".join(b"2030-01-01 00:00:00.000 | INFO     | line %d\n" % number for number in range(1, count + 1))


def test_a_burst_goes_on_unread_and_loses_nothing(source: FakeSource, watched: Watched) -> None:
    source.items.put(Data(burst_of(1000)))
    source.items.put(Data(LATE_LINE))
    assert until(lambda: len(watched.texts()) == 1001)
    lines = [event for event in watched.events if isinstance(event, LogLine)]
    assert sum(event.plain.count for event in lines if event.plain is not None) > 600
    assert [record.n for event in lines for record in event.records] == list(range(1, 1002))
    assert watched.texts()[:1000] == [f"line {number}" for number in range(1, 1001)]
    assert lines[-1].records[-1].generation is not None


def test_it_lets_others_in_while_a_run_streams_and_only_then(source: FakeSource, monkeypatch: pytest.MonkeyPatch) -> None:
    breaths: list[float] = []
    real = time.sleep

    def sleep(seconds: float) -> None:
        if threading.current_thread().name == "log-feed":
            breaths.append(seconds)
        real(seconds)

    monkeypatch.setattr("time.sleep", sleep)
    watched = Watched(source)
    source.items.put(Data(burst_of(1000)))
    assert until(lambda: len(watched.texts()) == 1000)
    assert breaths == []
    watched.start("r1")
    source.items.put(Data(burst_of(1000)))
    assert until(lambda: len(watched.texts()) == 2000)
    assert len(breaths) == len(burst_of(1000)) // (16 * 1024)
    watched.end("r1")
    source.items.put(Data(burst_of(1000)))
    assert until(lambda: len(watched.texts()) == 3000)
    assert len(breaths) == len(burst_of(1000)) // (16 * 1024)
    watched.feed.stop()


def test_a_slow_reader_holds_the_source_back_and_loses_nothing(source: FakeSource) -> None:
    seen: list[int] = []
    emitter = Emitter([lambda event: seen.extend(record.n for record in event.records) if isinstance(event, LogLine) else None])
    feed = LogFeed(source, emitter, apply=partial(apply_figures, steps_checked=True))
    feed.start()
    for _ in range(300):
        source.items.put(Data(b"line\n" * 20))
    assert until(lambda: len(seen) == 6000)
    assert seen == list(range(1, 6001))
    feed.stop()


def test_stopping_is_prompt_and_tells_what_was_waiting(source: FakeSource) -> None:
    watched = Watched(source)
    source.items.put(Data(b"2030-01-01 00:00:00.000 INFO:     waiting for more"))
    time.sleep(0.05)
    began = time.monotonic()
    watched.feed.stop()
    assert time.monotonic() - began < 2.0
    assert watched.texts() == ["waiting for more"]


def test_a_real_file_from_write_to_event(tmp_path: Path) -> None:
    log = tmp_path / "tabby.log"
    log.write_bytes((FIXTURES / "tabbyapi-e632af4/logs/file-nodraft.log").read_bytes())
    watched = Watched(PathSource(str(log)))
    assert until(lambda: len(watched.texts()) == 43)
    with log.open("ab") as file:
        file.write(LATE_LINE)
    assert until(lambda: len(watched.texts()) == 44)
    lines = [record for event in watched.events if isinstance(event, LogLine) for record in event.records]
    generations = [record.generation for record in lines if record.generation]
    assert [one.draft_accepted for one in generations] == [None, None, None, 512]
    watched.feed.stop()


class BrokenSource:
    shown = "broken.log"

    def run(self, put: Put, stop: threading.Event) -> None:
        raise OSError(5, "Input/output error")


def test_a_source_that_breaks_is_a_state() -> None:
    watched = Watched(BrokenSource())
    assert until(lambda: watched.events)
    (event,) = watched.events
    assert isinstance(event, LogState)
    assert (event.state, event.reason) == ("ended", "the log cannot be read any more: Input/output error")
    watched.feed.stop()
