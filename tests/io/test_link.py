"""A worker's pipes: noise before the first event, ids, the reason it went down."""

import itertools
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from sparktui.core.commands import CancelRun, HelloCommand
from sparktui.core.events import AnyEvent, Bye, Hello, Reply
from sparktui.io.link import WorkerLink, spawn

HELLO = '{"type":"hello","v":1,"protocol":%d,"version":"9.9","pid":1,"host":"h","session":"s","clock_ns":1,"wall":"w"}'

ECHO = f"""
import sys, json
print("Welcome to this machine")
print("{{not json")
print('{HELLO % 1}', flush=True)
for line in sys.stdin:
    command = json.loads(line)
    if command["type"] == "shutdown":
        break
    print(json.dumps({{"type": "reply", "v": 1, "id": command["id"], "ok": True, "data": command["type"]}}), flush=True)
print(json.dumps({{"type": "bye", "v": 1, "reason": "asked"}}))
"""

Linked = Callable[[str], WorkerLink]


@pytest.fixture
def linked() -> Iterator[Linked]:
    links: list[WorkerLink] = []

    def make(program: str) -> WorkerLink:
        links.append(WorkerLink(spawn([sys.executable, "-c", program])))
        return links[-1]

    yield make
    for link in links:
        link.close(0.5)


def collect(link: WorkerLink, enough: Callable[[list[AnyEvent]], bool]) -> list[AnyEvent]:
    events: list[AnyEvent] = []
    deadline = time.monotonic() + 10
    while not enough(events) and time.monotonic() < deadline:
        events += link.events()
        time.sleep(0.01)
    return events


def test_noise_before_hello_is_skipped_and_replies_carry_ids(linked: Linked) -> None:
    link = linked(ECHO)
    first, second = link.send(HelloCommand(client_version="1")), link.send(CancelRun(everything=True))
    events = collect(link, lambda got: len(got) >= 3)
    assert isinstance(events[0], Hello)
    assert [event.id for event in events if isinstance(event, Reply)] == [first, second]
    assert link.state == "up"
    assert link.close() == 0
    assert any(isinstance(event, Bye) for event in collect(link, bool))


def test_why_it_went_down_is_its_own_last_word_without_control_characters(linked: Linked) -> None:
    link = linked("import sys; sys.stderr.write('all well\\n\\x1b[31mno room left\\x07\\n'); sys.exit(7)")
    collect(link, lambda _: link.state == "down")
    assert link.state == "down"
    assert link.reason.startswith("exit code 7: ")
    assert "no room left" in link.reason and "\x1b" not in link.reason and "\x07" not in link.reason
    assert link.send(CancelRun()) == 0


def test_a_killed_worker_says_the_signal(linked: Linked) -> None:
    link = linked(ECHO)
    collect(link, bool)
    link._process.kill()
    collect(link, lambda _: link.state == "down")
    assert link.reason.startswith("killed by signal 9")


def test_one_that_does_not_listen_is_ended_all_the_same(linked: Linked) -> None:
    link = linked("import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('x', flush=True); time.sleep(60)")
    time.sleep(0.2)
    began = time.monotonic()
    assert link.close(0.2) == -9
    assert time.monotonic() - began < 5


def test_another_protocol_is_told_apart(linked: Linked) -> None:
    link = linked(f"import time; print('{HELLO % 2}', flush=True); time.sleep(5)")
    collect(link, bool)
    assert link.state == "mismatch"


def test_links_that_share_a_counter_never_reuse_an_id() -> None:
    ids = itertools.count(1)
    first = WorkerLink(spawn([sys.executable, "-c", ECHO]), ids)
    used = first.send(HelloCommand(client_version="1"))
    first.close()
    second = WorkerLink(spawn([sys.executable, "-c", ECHO]), ids)
    assert second.send(HelloCommand(client_version="1")) > used
    second.close()


SWEEPS = f"""
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: print("told to stop in the middle of a load", file=sys.stderr))
print('{HELLO % 1}')
print('{{"type":"plan","v":1,"plan_id":"p","kind":"KIND","cells":[],"total":2}}', flush=True)
sys.stdin.read()
time.sleep(0.5)
print('{{"type":"plan_progress","v":1,"plan_id":"p","done":1,"total":2,"finished":true}}', flush=True)
"""


def test_one_that_puts_its_server_back_is_waited_for(linked: Linked) -> None:
    link = linked(SWEEPS.replace("KIND", "sweep"))
    collect(link, lambda events: len(events) == 2)
    assert link.puts_back
    assert link.close(0.1) == 0
    assert not any("told to stop" in line for line in link.said) and not link.puts_back
    bench = linked(SWEEPS.replace("KIND", "bench"))
    collect(bench, lambda events: len(events) == 2)
    assert bench.close(0.1) in (0, -9)
    assert any("told to stop" in line for line in bench.said)
