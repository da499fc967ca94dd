"""A worker at the other end of a line that breaks: nothing is lost, nothing comes twice."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from sparktui import __version__
from sparktui.core.commands import Configure, HelloCommand, RetryServer, Run, RunGet
from sparktui.core.events import AnyEvent, Chunk, ErrorEvent, Hello, Reply, RunDone, Server
from sparktui.core.plans import PromptSpec
from sparktui.core.records import RunParams
from sparktui.io.link import WorkerLink, spawn
from sparktui.io.ssh import ssh_argv
from sparktui.tui.workers.remote import RemoteLink

ROOT = Path(__file__).parents[2]
FAKE = f"{sys.executable} {ROOT / 'tests' / 'fake_ssh.py'}"
STORY = Run(prompt=PromptSpec(name="story", text="Tell a story."), params=RunParams(temperature=1.0, max_tokens=240))


class Screen:
    """A screen without anything to see: what arrives, in order."""

    def __init__(self, host: str, folder: Path, *, linger_s: float = 30, demo_speed: float = 4) -> None:
        self.lines: list[WorkerLink] = []
        self.events: list[AnyEvent] = []
        self.replies: list[Reply] = []
        self._argv = ssh_argv(host, [f"--linger={linger_s:g}", f"--demo-speed={demo_speed:g}"], {"SPARKTUI_SSH": FAKE})
        commands = folder / "bin"
        commands.mkdir(exist_ok=True)
        command = commands / "sparktui"
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -m sparktui "$@"\n')
        command.chmod(0o755)
        self._env = {
            **os.environ, "PATH": f"{commands}:/usr/bin:/bin", "PYTHONPATH": str(ROOT), "SPARKTUI_DATA_DIR": str(folder / "data"),
            "HOME": str(folder),
        }  # fmt: skip
        greeting = (HelloCommand(client_version=__version__), Configure(demo=True))
        self.link = RemoteLink(self._connect, host, greeting, linger_s=linger_s, greeted=self.replies.append)

    def _connect(self) -> WorkerLink:
        self.lines.append(WorkerLink(spawn(self._argv, self._env)))
        return self.lines[-1]

    def wait(self, enough: Callable[["Screen"], object]) -> None:
        deadline = time.monotonic() + 30
        while not enough(self) and time.monotonic() < deadline:
            self.events += self.link.events()
            time.sleep(0.01)
        assert enough(self), [type(event).__name__ for event in self.events][-20:]

    def of(self, kind: type) -> list:  # type: ignore[type-arg]
        return [event for event in self.events if isinstance(event, kind)]

    def ready(self) -> None:
        self.wait(lambda screen: any(server.state == "ready" for server in screen.of(Server)))

    def chunks(self, count: int) -> None:
        self.wait(lambda screen: len(screen.of(Chunk)) >= count)

    @property
    def worker(self) -> psutil.Process:
        return psutil.Process(self.of(Hello)[-1].pid)


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    made = Screen("spark", tmp_path)
    yield made
    made.link.close()
    for hello in made.of(Hello):
        gone(hello.pid)


def gone(pid: int) -> None:
    deadline = time.monotonic() + 10
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_a_broken_line_costs_no_event_and_brings_none_twice(screen: Screen) -> None:
    screen.ready()
    screen.link.send(STORY)
    screen.chunks(5)
    screen.lines[-1].abandon()
    screen.chunks(25)
    screen.lines[-1].abandon()
    screen.wait(lambda screen: screen.of(RunDone))
    assert len({hello.pid for hello in screen.of(Hello)}) == 1
    numbers = [event.seq for event in screen.events if event.seq and not isinstance(event, Hello)]
    assert numbers == list(range(2, 2 + len(numbers)))
    done = screen.of(RunDone)[0]
    assert [chunk.n for chunk in screen.of(Chunk)] == list(range(1, done.record.chunks + 1)) and done.status == "ok"
    number = screen.link.send(RunGet(run_ids=(done.run_id,), text=True))
    screen.wait(lambda screen: any(reply.id == number for reply in screen.of(Reply)))
    stored = next(reply for reply in screen.of(Reply) if reply.id == number).data["runs"][0]
    assert "".join(chunk.text for chunk in screen.of(Chunk)) == stored["text"]
    assert len(screen.lines) == 3
    told = [error.title for error in screen.of(ErrorEvent)]
    assert [title.split(" (")[0] for title in told] == ["The line to spark is lost", "Back at spark."] * 2


def test_the_record_on_the_line_carries_no_text_a_second_time(screen: Screen) -> None:
    screen.ready()
    screen.link.send(STORY)
    screen.wait(lambda screen: screen.of(RunDone))
    record = screen.of(RunDone)[0].record
    assert record.text is None and record.timeline is None and record.completion_tokens


def test_a_worker_that_died_is_replaced_and_what_it_had_is_recovered(screen: Screen) -> None:
    screen.ready()
    screen.link.send(STORY)
    screen.chunks(5)
    os.kill(screen.worker.pid, signal.SIGKILL)
    screen.wait(lambda screen: screen.of(RunDone))
    done = screen.of(RunDone)[0]
    assert done.status == "cut_off" and done.record.chunks >= 5
    assert any("is over; this is a new one" in error.title for error in screen.of(ErrorEvent))
    assert len({hello.session for hello in screen.of(Hello)}) == 2
    screen.ready()


def test_a_session_left_alone_is_offered_and_gone_on_with_from_its_beginning(tmp_path: Path) -> None:
    first = Screen("spark", tmp_path)
    first.ready()
    first.link.send(STORY)
    first.chunks(5)
    first.lines[-1].abandon()
    session = first.of(Hello)[0].session
    marks = tmp_path / "data" / "lines"
    first.wait(lambda _: (marks / f"{session}.away").exists())
    assert (marks / f"{session}.sock").stat().st_mode & 0o777 == 0o600 and marks.stat().st_mode & 0o777 == 0o700
    second = Screen("spark", tmp_path)
    second.wait(lambda screen: any("waiting" in reply.data for reply in screen.replies))
    assert next(reply.data["waiting"] for reply in second.replies if "waiting" in reply.data) == [session]
    second.link.go_on_with(session)
    second.wait(lambda screen: screen.of(RunDone))
    assert [chunk.n for chunk in second.of(Chunk)] == list(range(1, second.of(RunDone)[0].record.chunks + 1))
    pid = second.worker.pid
    second.link.close()
    gone(pid)
    assert list(marks.iterdir()) == []


def test_it_waits_no_longer_than_asked_and_saves_what_arrived(tmp_path: Path) -> None:
    screen = Screen("spark", tmp_path, linger_s=0.3, demo_speed=1)
    screen.ready()
    screen.link.send(STORY)
    screen.chunks(3)
    screen.lines[-1].abandon()
    gone(screen.worker.pid)
    journal = next((tmp_path / "data" / "journals").glob("*.jsonl")).read_text()
    assert '"status":"cancelled"' in journal and '"type":"bye"' in journal


@pytest.mark.parametrize(
    ("host", "title", "hint"),
    [
        ("unknown", "There is no host named unknown.", "spelling"),
        ("locked", "locked does not let you in without a question", "ssh-add"),
        ("changed", "The host key of changed is not the one known here.", "ssh-keygen -R changed"),
        ("bare", "sparktui was not found at bare.", "--worker-command"),
        ("refused", "refused refuses ssh connections.", "sshd"),
    ],
)
def test_what_ssh_says_is_explained(tmp_path: Path, host: str, title: str, hint: str) -> None:
    screen = Screen(host, tmp_path)
    screen.wait(lambda screen: screen.of(ErrorEvent))
    error = screen.of(ErrorEvent)[0]
    assert error.title.startswith(title) and hint in error.hint
    assert screen.of(Server)[-1].state == "unreachable" and screen.link.state == "down" and len(screen.lines) == 1
    screen.link.send(RetryServer())
    assert len(screen.lines) == 2
    screen.link.close()
