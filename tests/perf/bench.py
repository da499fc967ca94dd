"""The harness: the ground-truth server as a process, runs against it, and the rows of the table."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparktui.core.events import AnyEvent
from sparktui.core.plans import PromptSpec, RunSpec
from sparktui.core.records import RunParams, RunRecord, ServerInfo
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter, Sink
from sparktui.engine.running.run import run_once
from sparktui.engine.server.target import Target
from sparktui.io.http.client import Client
from sparktui.servers.base import Get, Recognition
from sparktui.servers.registry import adapter_for
from sparktui.servers.url import BaseUrl
from tests.perf.plan import Plan

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Row:
    """One line of the table. `ok` None = told for information, without a target."""

    figure: str
    measured: str
    target: str
    ok: bool | None


@dataclass(frozen=True)
class Truth:
    """What really left the server: stamps in ns of the monotonic clock."""

    received_ns: int
    sends: list[tuple[str, int, int]]

    @property
    def texts(self) -> list[tuple[str, int, int]]:
        """The sends that carried text."""
        return [send for send in self.sends if send[0] in ("content", "reasoning")]

    @property
    def ttft_s(self) -> float:
        """First text after the request had been received."""
        return (self.texts[0][2] - self.received_ns) / 1e9

    @property
    def window_s(self) -> float:
        return (self.texts[-1][2] - self.texts[0][2]) / 1e9

    @property
    def tok_s(self) -> float:
        """All tokens over the window, as client_tok_s is defined."""
        return sum(tokens for _, tokens, _ in self.texts) / self.window_s

    @property
    def tok_s_net(self) -> float:
        """The same without the tokens of the first text."""
        return sum(tokens for _, tokens, _ in self.texts[1:]) / self.window_s


class TruthServer:
    """The ground-truth server and a target for it."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.port = port
        base = BaseUrl.parse(self.url)
        info = ServerInfo(kind="openai", base_url=base.shown, model="truth")
        self.target = Target(Client(base, environ={}), adapter_for("openai"), info, seen=Recognition(kind="openai"))

    def run(self, plan: Plan, *sinks: Sink) -> tuple[RunRecord, Truth]:
        """One run of ours, and what really happened."""
        prompt = PromptSpec(name="truth", text="hello")
        spec = RunSpec(prompt=prompt, params=RunParams(temperature=0, max_tokens=100_000, extra=plan.params()))
        record = run_once(self.target, spec, Emitter(list(sinks) or [_dropped]), Cancel())
        if record.status != "ok":
            raise RuntimeError(f"the run failed: {record.error}")
        return record, self.truth()

    def truth(self) -> Truth:
        """The newest stream's stamps."""
        told = self.told()
        return Truth(told["received_ns"], [tuple(send) for send in told["sends"]])

    def told(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.target.client.get(Get(path="/truth", timeout_s=10)).body)
        return found


def _dropped(_: AnyEvent) -> None:
    """A sink that keeps nothing."""


@contextlib.contextmanager
def truth_server() -> Iterator[TruthServer]:
    """A ground-truth server that ends with the block."""
    command = [sys.executable, "-m", "tests.perf.truth"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        server = TruthServer(json.loads(process.stdout.readline())["port"])
        try:
            yield server
        finally:
            server.target.close()
            process.stdin.close()
            process.wait(5)
