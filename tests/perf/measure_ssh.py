"""The worker at the other end of ssh: its figures against the true sends, and what the line carries."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from sparktui.core.commands import AnyCommand, Configure, HelloCommand, Run
from sparktui.core.events import AnyEvent, Reply, RunDone, Server
from sparktui.core.plans import PromptSpec
from sparktui.core.records import RunParams, RunRecord
from sparktui.io.link import WorkerLink, spawn
from sparktui.tui.workers.remote import RemoteLink
from tests.loopback_sshd import NoSshdError, Sshd
from tests.perf.bench import Row, TruthServer, truth_server
from tests.perf.plan import Plan, story

_RUNS = 5


class Far:
    """A screen at this end of ssh, a worker at the other, both on this machine."""

    def __init__(self, sshd: Sshd, url: str) -> None:
        argv = sshd.argv("user", f"--base-url={url}", "--kind=openai", "--model=truth")
        greeting = (HelloCommand(client_version=""), Configure())
        self.link = RemoteLink(lambda: WorkerLink(spawn(argv)), "spark", greeting, linger_s=0)
        self.wait(lambda event: isinstance(event, Server) and event.state == "ready")

    def wait(self, wanted: Callable[[AnyEvent], bool]) -> AnyEvent:
        """The first event that fits; those before it are dropped, as are those that came with it."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for event in self.link.events():
                if isinstance(event, Reply) and not event.ok:
                    raise RuntimeError(str(event.error))
                if wanted(event):
                    return event
            time.sleep(0.01)
        raise RuntimeError("nothing came over the line")

    def run(self, plan: Plan) -> RunRecord:
        prompt = PromptSpec(name="truth", text="hello")
        command: AnyCommand = Run(prompt=prompt, params=RunParams(temperature=0, max_tokens=100_000, extra=plan.params()))
        self.link.send(command)
        done = self.wait(lambda event: isinstance(event, RunDone))
        assert isinstance(done, RunDone)
        if done.status != "ok":
            raise RuntimeError(f"the run failed: {done.error}")
        return done.record


def ssh() -> Iterator[Row]:
    """client_tok_s over ssh on loopback, and bytes a second on a story as fast as it is told."""
    with tempfile.TemporaryDirectory(prefix="sparktui-") as folder, truth_server() as server:
        try:
            sshd = Sshd(Path(folder))
        except NoSshdError as error:
            yield Row("worker over ssh", f"not measured: {error}", "", None)
            return
        far = Far(sshd, server.url)
        try:
            yield from _rows(far, server)
        finally:
            far.link.close()
            sshd.stop()


def _rows(far: Far, server: TruthServer) -> Iterator[Row]:
    far.run(story(100))
    errors = []
    for _ in range(_RUNS):
        record = far.run(story())
        errors.append(abs((record.client_tok_s or 0.0) / server.truth().tok_s - 1))
    error = median(errors)
    yield Row("client_tok_s, worker over ssh, story ×5, off by", f"{error:.4%}", "≤ 0.05 %", error <= 0.0005)
    before, began = far.link.bytes_in, time.monotonic()
    far.run(story(1))
    rate = (far.link.bytes_in - before) / (time.monotonic() - began) / 1000
    yield Row("events over the line, story ×1", f"{rate:.2f} kB/s", "≤ 3 kB/s", rate <= 3)
