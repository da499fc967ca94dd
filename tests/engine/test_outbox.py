"""Events to a reader that is slow, stopped or gone."""

import os
import threading
import time

from sparktui.core.events import Bye, Chunk, decode_event
from sparktui.engine.hosting.outbox import Outbox


def chunk(number: int) -> Chunk:
    return Chunk(run_id="r", n=number, kind="content", text="x" * 200, seq=number)


def test_a_stopped_reader_delays_nobody_and_loses_nothing() -> None:
    read, write = os.pipe()
    outbox = Outbox(write, batch_s=0.001)
    began = time.perf_counter()
    for number in range(1, 5001):
        outbox(chunk(number))
    # a pipe holds 64 KB; a million bytes were taken without waiting for it
    assert time.perf_counter() - began < 2.0
    got = bytearray()

    def drain() -> None:
        while data := os.read(read, 65536):
            got.extend(data)

    reader = threading.Thread(target=drain)
    reader.start()
    assert outbox.close(10)
    os.close(write)
    reader.join(10)
    os.close(read)
    assert [decode_event(line).seq for line in bytes(got).splitlines()] == list(range(1, 5001))


def test_a_reader_that_is_gone_ends_the_writing_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    outbox = Outbox(write, batch_s=0.001)
    outbox(Bye(reason="a"))
    deadline = time.monotonic() + 5
    while not outbox.broken and time.monotonic() < deadline:
        time.sleep(0.005)
    assert outbox.broken
    outbox(Bye(reason="b"))
    assert outbox.close(1)
    os.close(write)


def test_a_lone_event_leaves_at_once() -> None:
    read, write = os.pipe()
    outbox = Outbox(write, batch_s=5)
    outbox(Bye(reason="now"))
    assert decode_event(os.read(read, 4096).strip()) == Bye(reason="now")
    outbox.close(1)
    os.close(read)
    os.close(write)
