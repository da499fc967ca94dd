"""Which memory is sampled for a target: the simulated machine's for the simulated server, never this machine's."""

from __future__ import annotations

import time

import pytest

from sparktui.core.events import MemoryNow
from sparktui.core.records import GpuMemory
from sparktui.engine.running.sampling import SimulatedMemory, interval_s, sampler_for
from sparktui.engine.running.ticker import EVERY_S, Ticker
from sparktui.io.memory import MemorySampler
from tests.engine.support_runs import target_of
from tests.support_server import Peer, Received, serving


def machine(request: Received, peer: Peer) -> None:
    bodies = {
        "/demo/memory": b'{"simulated":true,"total":120800000000,"used":103400000000,"available":17400000000}',
        "/demo/state": b'{"simulated":true,"speed":200.0,"running":0}',
    }
    peer.answer(200 if request.path in bodies else 404, bodies.get(request.path, b"{}"))


def test_the_simulated_server_tells_its_own_memory_and_is_looked_at_as_often_as_it_lives_fast() -> None:
    with serving(machine) as server, target_of(server.url, "demo") as target:
        sampler = sampler_for(target)
        assert sampler() == MemoryNow(total=120_800_000_000, used=103_400_000_000, available=17_400_000_000)
        assert interval_s(sampler) == 0.1
        assert interval_s(sampler) == 0.1
    assert [request.path for request in server.requests] == ["/demo/memory", "/demo/state"]


@pytest.mark.parametrize("body", [b"", b"[]", b'{"total": "much"}'])
def test_what_it_does_not_tell_is_absent(body: bytes) -> None:
    with serving(lambda request, peer: peer.answer(200, body)) as server, target_of(server.url, "demo") as target:
        sampler = SimulatedMemory(target.client)
        assert sampler() is None
        assert sampler.every_s == EVERY_S


def test_every_other_server_is_sampled_here_or_not_at_all() -> None:
    with target_of("http://127.0.0.1:9", "tabbyapi") as target:
        assert isinstance(sampler_for(target), MemorySampler)
        assert interval_s(sampler_for(target)) == EVERY_S
    assert interval_s(None) == EVERY_S


def test_memory_is_sampled_at_the_first_text() -> None:
    taken: list[MemoryNow] = []

    def sampler() -> MemoryNow:
        taken.append(MemoryNow(total=100, used=10 * (len(taken) + 1), available=50))
        return taken[-1]

    with Ticker("r", lambda _: None, sampler, interval_s=60) as ticker:
        assert len(taken) == 1
        ticker.first_text()
        end = time.monotonic() + 2
        while len(taken) < 2 and time.monotonic() < end:
            time.sleep(0.002)
        assert len(taken) == 2
    assert ticker.memory is not None
    assert (ticker.memory.used_before, ticker.memory.used_peak) == (10, 30)


def test_each_card_is_kept_at_its_fullest() -> None:
    readings = [(), (GpuMemory(5, 80), GpuMemory(9, 80)), (GpuMemory(7, 80), GpuMemory(1, 80)), (GpuMemory(6, 80),)]
    left = iter(readings)

    def sampler() -> MemoryNow:
        return MemoryNow(total=100, used=1, available=99, gpus=next(left))

    ticker = Ticker("r", lambda _: None, sampler, interval_s=60)
    for _ in readings:
        ticker._sample()
    assert ticker.memory is not None
    assert ticker.memory.gpus == (GpuMemory(7, 80), GpuMemory(9, 80))
