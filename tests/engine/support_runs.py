"""One run against a scripted server, with everything it emitted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sparktui.core.events import AnyEvent, Chunk
from sparktui.core.plans import PromptSpec, RunSpec
from sparktui.core.records import RunParams, RunRecord, ServerInfo
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.running.run import run_once
from sparktui.engine.server.target import Target
from sparktui.errors import SparkError
from sparktui.io.http.client import Client
from sparktui.servers.base import Recognition
from sparktui.servers.registry import adapter_for
from sparktui.servers.url import BaseUrl
from tests.support_cases import CaseServer

SPEC = RunSpec(prompt=PromptSpec(name="hello", text="Say hello."), params=RunParams(temperature=0, max_tokens=800))


@dataclass
class Ran:
    """A run's record and events, and the error behind it."""

    record: RunRecord
    events: list[AnyEvent]
    errors: list[SparkError] = field(default_factory=list)

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def streamed(self) -> str:
        """The text as a viewer saw it arrive."""
        return "".join(event.text for event in self.of(Chunk) if event.kind == "content")


@contextmanager
def target_of(url: str, kind: str = "openai", model: str = "fake-model", **options: Any) -> Iterator[Target]:
    """A target for a server, as recognition would give it."""
    base = BaseUrl.parse(url)
    client = Client(base, **{"environ": {}, **options})
    target = Target(client, adapter_for(kind), ServerInfo(kind=kind, base_url=base.shown, model=model), seen=Recognition(kind=kind))
    with target:
        yield target


def measure(target: Target, spec: RunSpec = SPEC, cancel: Cancel | None = None, **options: Any) -> Ran:
    """Run once and collect."""
    events: list[AnyEvent] = []
    errors: list[SparkError] = []
    record = run_once(target, spec, Emitter([events.append]), cancel or Cancel(), on_error=errors.append, **options)
    return Ran(record, events, errors)


def play(case_id: str, *, slow: float = 1.0, **options: Any) -> Ran:
    """A field case, run as it was seen."""
    with CaseServer(case_id, slow=slow) as server, target_of(server.url) as target:
        return measure(target, **options)
