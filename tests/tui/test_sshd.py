"""The same line by a real ssh and a real sshd."""

import time
from collections.abc import Iterator

import pytest

from sparktui.core.commands import Configure, HelloCommand
from sparktui.core.events import AnyEvent, Chunk, ErrorEvent, Hello, RunDone, Server
from sparktui.io.link import WorkerLink, spawn
from sparktui.tui.workers.remote import RemoteLink
from tests.loopback_sshd import NoSshdError, Sshd
from tests.tui.test_remote import STORY, gone


@pytest.fixture(scope="module")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    try:
        server = Sshd(tmp_path_factory.mktemp("sshd"))
    except NoSshdError as error:
        pytest.skip(str(error))
    yield server
    server.stop()


def collect(link: RemoteLink, kind: type[AnyEvent], events: list[AnyEvent], count: int = 1) -> None:
    deadline = time.monotonic() + 30
    while sum(isinstance(event, kind) for event in events) < count and time.monotonic() < deadline:
        events += link.events()
        time.sleep(0.01)
    assert sum(isinstance(event, kind) for event in events) >= count, [type(event).__name__ for event in events]


def test_a_run_over_ssh_survives_the_end_of_its_connection(sshd: Sshd) -> None:
    lines: list[WorkerLink] = []

    def connect() -> WorkerLink:
        lines.append(WorkerLink(spawn(sshd.argv("user", "--demo-speed=6"))))
        return lines[-1]

    link = RemoteLink(connect, "spark", (HelloCommand(client_version="1"), Configure(demo=True)), linger_s=30)
    events: list[AnyEvent] = []
    while not any(isinstance(event, Server) and event.state == "ready" for event in events):
        collect(link, Server, events, 1 + sum(isinstance(event, Server) for event in events))
    link.send(STORY)
    collect(link, Chunk, events, 8)
    lines[0].abandon()
    collect(link, RunDone, events)
    done = next(event for event in events if isinstance(event, RunDone))
    assert [event.n for event in events if isinstance(event, Chunk)] == list(range(1, done.record.chunks + 1))
    hellos = [event for event in events if isinstance(event, Hello)]
    assert len(lines) == 2 and [hello.session for hello in hellos] == [hellos[0].session] * 2
    assert link.close() == 0
    gone(hellos[0].pid)


def test_a_key_that_is_not_known_is_explained(sshd: Sshd) -> None:
    link = RemoteLink(lambda: WorkerLink(spawn(sshd.argv("stranger"))), "spark", (), linger_s=30)
    events: list[AnyEvent] = []
    collect(link, ErrorEvent, events)
    assert next(event for event in events if isinstance(event, ErrorEvent)).title.startswith("spark does not let you in without a question")


def test_a_host_that_is_not_known_is_explained(sshd: Sshd) -> None:
    argv = [word.replace("ssh_config_user", "ssh_config_new") for word in sshd.argv()]
    config = (sshd.folder / "ssh_config_user").read_text().replace(str(sshd.folder / "known"), "/dev/null")
    (sshd.folder / "ssh_config_new").write_text(config)
    link = RemoteLink(lambda: WorkerLink(spawn(argv)), "spark", (), linger_s=30)
    events: list[AnyEvent] = []
    collect(link, ErrorEvent, events)
    assert next(event for event in events if isinstance(event, ErrorEvent)).title == "The host key of spark is not known here yet."
