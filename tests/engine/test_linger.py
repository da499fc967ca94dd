"""Screens that come and go: the sockets they come back by, and what the next one is told."""

import contextlib
import os
import socket
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from sparktui.core.commands import Attach, CancelRun, encode_command
from sparktui.core.config import HistoryConfig
from sparktui.core.events import AnyEvent, Chunk, Hello, Reply, decode_event
from sparktui.engine.hosting.linger import Screens
from sparktui.engine.hosting.outbox import Outbox
from sparktui.engine.hosting.session import Session
from sparktui.io.linesocket import Door, knock, lines_of, waiting


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(folder))
    return folder


def chunk(number: int) -> Chunk:
    return Chunk(run_id="r", n=number, kind="content", text=f"{number} ")


def until(wanted: object) -> None:
    deadline = time.monotonic() + 5
    while not wanted() and time.monotonic() < deadline:  # type: ignore[operator]
        time.sleep(0.005)
    assert wanted()  # type: ignore[operator]


@pytest.fixture
def closing() -> Iterator[contextlib.ExitStack]:
    with contextlib.ExitStack() as stack:
        yield stack


def attached(session: str, from_seq: int, closing: contextlib.ExitStack) -> tuple[socket.socket, Iterator[AnyEvent]]:
    line = knock(session)
    assert line is not None
    closing.enter_context(line)
    line.sendall(encode_command(Attach(id=9, session=session, from_seq=from_seq)) + b"\n")
    return line, (decode_event(text) for text in lines_of(line.fileno()))


def test_the_next_screen_gets_what_the_last_one_missed_while_events_go_on(closing: contextlib.ExitStack) -> None:
    read, write = os.pipe()
    screens = Screens(write)
    session = Session("worker", HistoryConfig(), sinks=(screens,))
    screens.open_door(session.hello, session.since)
    commands: list[bytes] = []
    serving = threading.Thread(target=lambda: commands.extend(screens.lines(iter([b"first"]), 5)))
    serving.start()
    stop = threading.Event()

    def emit() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            session.emitter.emit(chunk(number))
            time.sleep(0.0005)

    emitting = threading.Thread(target=emit)
    emitting.start()
    until(lambda: waiting() == [session.id])
    line, events = attached(session.id, 10, closing)
    first, second = next(events), next(events)
    assert isinstance(first, Hello) and isinstance(second, Reply) and second.id == 9 and second.ok
    assert [next(events).seq for _ in range(300)] == list(range(11, 311))
    until(lambda: waiting() == [])
    # the one before may hang in a line that is dead without knowing: the next takes its place
    other, events = attached(session.id, 200, closing)
    next(events), next(events)
    assert [next(events).seq for _ in range(200)] == list(range(201, 401))
    assert list(lines_of(line.fileno()))[-1:] != [b""]
    other.sendall(encode_command(CancelRun()) + b"\n")
    until(lambda: len([text for text in commands if text]) == 2)
    stop.set()
    emitting.join()
    screens.close()
    session.close("done")
    closing.close()
    serving.join(6)
    os.close(read)
    os.close(write)
    assert not serving.is_alive() and list((session_folder()).iterdir()) == []


def session_folder() -> Path:
    return Path(os.environ["SPARKTUI_DATA_DIR"]) / "lines"


def test_a_door_is_private_and_found_by_name_however_long_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / ("long-" * 30)
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(folder))
    door = Door("0abc-def")
    door.mark(True)
    path = folder / "lines" / "0abc-def.sock"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    line = knock("0abc-def")
    assert line is not None
    line.close()
    assert waiting() == ["0abc-def"]
    door.close()
    assert knock("0abc-def") is None and list(path.parent.iterdir()) == []


def test_what_a_killed_worker_left_is_not_offered_and_cleared_away(data: Path) -> None:
    folder = data / "lines"
    folder.mkdir(parents=True)
    for name in ("gone.away", "gone.sock"):
        (folder / name).touch()
    assert waiting() == [] and list(folder.iterdir()) == []


@pytest.mark.parametrize("name", ["", "../history", "nobody"])
def test_a_session_that_is_not_there_is_nobody(name: str) -> None:
    assert knock(name) is None


def test_a_stranger_at_the_door_is_sent_away() -> None:
    read, write = os.pipe()
    screens = Screens(write)
    hello = Hello(protocol=1, version="1", pid=1, host="h", session="s", clock_ns=1, wall="w")
    screens.open_door(hello, lambda seq: ())
    for said in (b"GET / HTTP/1.1\r\n\r\n", encode_command(CancelRun()) + b"\n", b"x" * 5000):
        line = knock("s")
        assert line is not None
        line.sendall(said)
        assert list(lines_of(line.fileno())) == []
        line.close()
    screens(chunk(1))
    assert decode_event(next(lines_of(read))) == chunk(1)
    screens.close()
    os.close(read)
    os.close(write)


def test_an_outbox_writes_what_comes_before_and_repeats_none_of_it() -> None:
    read, write = os.pipe()
    numbered = [msgspec.structs.replace(chunk(number), seq=number) for number in range(1, 9)]
    outbox = Outbox(write, batch_s=0.001, before=lambda: numbered[:5])
    for event in (*numbered[3:], Reply(id=1, ok=True)):
        outbox(event)
    assert outbox.close()
    os.close(write)
    assert [decode_event(text).seq for text in lines_of(read)] == [1, 2, 3, 4, 5, 6, 7, 8, 0]
    os.close(read)
