"""Which memory belongs to a target: this machine's where it serves, the scripted one of the simulated server, or none."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Struct

from sparktui.core.events import MemoryNow
from sparktui.engine.running.ticker import EVERY_S, MemorySampler
from sparktui.engine.server.target import Target
from sparktui.io.http.client import Client
from sparktui.io.memory import MemorySampler as MachineMemory
from sparktui.servers.base import Get

_ASK_S = 0.5
_FASTEST_S = 0.1


Told = TypeVar("Told")


class _Told(Struct, frozen=True):
    total: int
    used: int
    available: int


class _State(Struct, frozen=True):
    speed: float


class SimulatedMemory:
    """What the simulated server says of its simulated machine; None where it does not answer. `every_s`: how often is often enough.

    A machine that lives faster has to be looked at more often.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._every_s: float | None = None

    def __call__(self) -> MemoryNow | None:
        told = self._ask("/demo/memory", _Told)
        return MemoryNow(total=told.total, used=told.used, available=told.available) if told is not None else None

    @property
    def every_s(self) -> float:
        if self._every_s is None:
            state = self._ask("/demo/state", _State)
            self._every_s = max(_FASTEST_S, EVERY_S / max(1.0, state.speed)) if state is not None else EVERY_S
        return self._every_s

    def _ask(self, path: str, kind: type[Told]) -> Told | None:
        answer = self._client.get(Get(path=path, timeout_s=_ASK_S))
        try:
            return msgspec.json.decode(answer.body, type=kind) if answer.status == 200 else None
        except msgspec.DecodeError:
            return None


def sampler_for(target: Target) -> MemorySampler:
    """The sampler of a target's memory."""
    return SimulatedMemory(target.client) if target.simulated else MachineMemory(target.client.base.root)


def interval_s(sampler: MemorySampler | None) -> float:
    """Seconds between two samples: one, less on a simulated machine that runs faster than time."""
    return sampler.every_s if isinstance(sampler, SimulatedMemory) else EVERY_S
