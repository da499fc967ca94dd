"""A watcher: late but complete, live, and told how the writer ended."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from sparktui.core.events import AnyEvent, Bye, Chunk, Hello, RunDone, RunStarted, encode_event
from sparktui.io.store.journal import JournalWriter
from sparktui.tui.options import Options
from sparktui.tui.showing.watch import WatchApp
from sparktui.tui.workers.journal_link import JournalLink
from tests.tui.stage import Clock
from tests.tui.timelines import T0_NS, opening, run

ROOT = Path(__file__).parents[2]


class Hand:
    """A clock that only the test moves."""

    ns = 1_000_000_000

    def __call__(self) -> int:
        return self.ns

    def wait(self, seconds: float) -> None:
        self.ns += round(seconds * 1e9)


def events_of(kind: str = "code", until_s: float = 1e9) -> list[AnyEvent]:
    return [event for _, event in (*opening(), *run(kind, until_s=until_s))]


def writer(path: Path, events: list[AnyEvent]) -> JournalWriter:
    journal = JournalWriter(path)
    for event in events:
        journal(event)
    assert journal.flush()
    return journal


def test_a_late_watcher_has_everything_at_once_and_then_each_new_event_once(tmp_path: Path) -> None:
    events = events_of()
    journal = writer(tmp_path / "s.jsonl", events[:20])
    link = JournalLink(journal.path, Hand())
    assert link.events() == events[:20]
    assert link.events() == []
    journal(events[20])
    journal.flush()
    assert link.events() == [events[20]]
    assert link.state == "up"
    journal.close()


def test_the_end_is_told_with_its_reason_although_the_lock_is_still_held(tmp_path: Path) -> None:
    journal = writer(tmp_path / "s.jsonl", [*events_of(), Bye(reason="done")])
    link = JournalLink(journal.path, Hand())
    assert isinstance(link.events()[-1], Bye)
    assert (link.state, link.end, link.reason) == ("down", "ended", "done")
    journal.close()


def test_a_writer_that_went_without_a_goodbye_was_killed_and_its_run_is_cut_off(tmp_path: Path) -> None:
    clock = Hand()
    events = events_of(until_s=4.0)
    journal = writer(tmp_path / "s.jsonl", events)
    link = JournalLink(journal.path, clock)
    arrived = link.events()
    clock.wait(1)
    assert link.events() == [] and link.end == ""
    journal.close()
    clock.wait(1)
    last = link.events()
    assert link.end == "killed"
    assert [type(event) for event in last] == [RunDone]
    done = last[0]
    assert isinstance(done, RunDone)
    said = "".join(event.text for event in arrived if isinstance(event, Chunk))
    assert (done.status, done.record.text) == ("cut_off", said)
    assert done.t_ns == max(event.t_ns for event in events)


def test_what_was_written_just_before_the_end_is_not_lost(tmp_path: Path) -> None:
    clock = Hand()
    events = events_of()
    journal = writer(tmp_path / "s.jsonl", events[:10])
    link = JournalLink(journal.path, clock)
    link.events()
    for event in (*events[10:], Bye(reason="done")):
        journal(event)
    journal.close()
    clock.wait(1)
    assert link.events()[:-1] == events[10:]
    assert link.end == "ended"


def test_a_large_journal_is_taken_in_part_by_part_and_is_not_over_before_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparktui.tui.workers.journal_link._MOST_BYTES", 2_000)
    events = [*events_of(), Bye(reason="done")]
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(encode_event(event) + b"\n" for event in events))
    link = JournalLink(path, Hand())
    taken: list[AnyEvent] = []
    for _ in range(200):
        taken += link.events()
        if link.end:
            break
    assert taken == events
    assert link.end == "ended"


def test_a_journal_that_vanishes_ends_the_watch_with_a_reason(tmp_path: Path) -> None:
    link = JournalLink(tmp_path / "none.jsonl", Hand())
    assert link.events()[0].title.startswith("The journal")  # type: ignore[union-attr]
    assert link.end == "killed"


def test_a_process_that_is_killed_is_told_from_one_that_lives(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    code = f"""
        import sys, time
        from pathlib import Path
        from sparktui.core.events import Hello
        from sparktui.io.store.journal import JournalWriter
        journal = JournalWriter(Path({str(path)!r}))
        journal(Hello(protocol=1, version="0", pid=1, host="box", session="s", clock_ns=1, wall=""))
        journal.flush()
        print("ready", flush=True)
        time.sleep(60)
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        clock = Hand()
        links = [JournalLink(path, clock), JournalLink(path, clock)]
        for link in links:
            assert isinstance(link.events()[0], Hello)
            clock.wait(1)
            assert link.events() == [] and link.state == "up"
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        clock.wait(1)
        for link in links:
            assert link.events() == [] and link.end == "killed"


def app_on(path: Path, clock: Clock) -> WatchApp:
    app = WatchApp(JournalLink(path, clock), Options(), report=lambda error: None)
    app.clock_ns = clock
    app._settle = lambda: None  # type: ignore[method-assign]
    return app


def screen_text(app: WatchApp) -> str:
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


async def test_the_screen_shows_the_run_and_says_that_it_watches(tmp_path: Path) -> None:
    clock = Clock()
    journal = writer(tmp_path / "s.jsonl", events_of(until_s=4.0))
    clock.ns = T0_NS + 4_000_000_000
    async with app_on(journal.path, clock).run_test(size=(120, 36)) as pilot:
        app = pilot.app
        assert isinstance(app, WatchApp)
        app.tick()
        await pilot.pause()
        shown = screen_text(app)
        assert "◉ watching" in shown and "code · T 0 · run 1/3" in shown and "self._" in shown
        assert "watching only" in shown
        before = app.session.current
        await pilot.press("s", "b", "x")
        assert app.session.current is before and len(app.screen_stack) == 1
        journal.close()
        clock.ns += 1_000_000_000
        app.tick()
        await pilot.pause()
        assert "✕ it was killed" in screen_text(app)
        assert "■ cut off" in screen_text(app)


async def test_the_screen_says_that_the_bench_has_ended(tmp_path: Path) -> None:
    clock = Clock()
    journal = writer(tmp_path / "s.jsonl", [*events_of(), Bye(reason="done", t_ns=T0_NS)])
    async with app_on(journal.path, clock).run_test(size=(80, 24)) as pilot:
        app = pilot.app
        assert isinstance(app, WatchApp)
        app.tick()
        await pilot.pause()
        assert "✓ it has ended" in screen_text(app)
        assert app.now_ns == app.journal.last_ns
    journal.close()


def test_seconds_are_counted_by_this_machines_clock_where_both_run_here(tmp_path: Path) -> None:
    clock = Clock()
    here = Hello(protocol=1, version="0", pid=1, host=socket.gethostname(), session="s", clock_ns=1, wall="", t_ns=1)
    started = next(event for event in events_of() if isinstance(event, RunStarted))
    journal = writer(tmp_path / "s.jsonl", [here, started])
    app = app_on(journal.path, clock)
    clock.ns = T0_NS + 60_000_000_000
    app.link = app.journal
    app.take_in()
    assert app.now_ns == clock.ns
    journal.close()


def test_a_watcher_takes_in_what_was_written_within_a_tenth_of_a_second(tmp_path: Path) -> None:
    journal = writer(tmp_path / "s.jsonl", events_of()[:5])
    link = JournalLink(journal.path)
    link.events()
    sent_s = time.monotonic()
    journal(events_of()[5])
    while not link.events() and time.monotonic() - sent_s < 2:
        time.sleep(0.005)
    assert time.monotonic() - sent_s < 0.1
    journal.close()
