"""Memory is sampled on the serving machine, and only there."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator

import psutil
import pytest

from sparktui.io import memory
from sparktui.io.memory import MemorySampler, is_this_machine, listening_process


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_a_server_on_this_machine_gives_system_and_process_memory(port: int) -> None:
    sampler = MemorySampler(f"http://127.0.0.1:{port}/v1")
    assert sampler() is not None, "at once"
    assert sampler.local()
    sample = sampler()
    assert sample is not None
    assert sample.used == sample.total - sample.available
    assert 0 < sample.available < sample.total == psutil.virtual_memory().total
    assert sample.rss is not None
    assert sample.rss > 5_000_000


def test_a_server_elsewhere_gives_nothing() -> None:
    sampler = MemorySampler("http://192.0.2.7:5000")
    assert not sampler.local()
    assert sampler() is None


def test_a_port_nobody_listens_on_has_no_process_memory() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        free = listener.getsockname()[1]
    sampler = MemorySampler(f"http://127.0.0.1:{free}")
    assert sampler.local()
    sample = sampler()
    assert sample is not None
    assert sample.rss is None


class _Named:
    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        return self._name


def test_a_tunnel_leads_to_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "listening_process", lambda port: _Named("ssh"))
    sampler = MemorySampler("http://localhost:5000")
    assert not sampler.local()
    assert sampler() is None


def test_a_forwarder_is_not_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "listening_process", lambda port: _Named("docker-proxy"))
    sampler = MemorySampler("http://localhost:5000")
    assert sampler.local()
    sample = sampler()
    assert sample is not None
    assert sample.rss is None


@pytest.mark.parametrize(
    ("host", "own"),
    [("localhost", True), ("127.0.0.1", True), ("127.3.2.1", True), ("::1", True), ("[::1]", True), ("192.0.2.7", False), ("", False)],
)
def test_own_addresses(host: str, own: bool) -> None:
    assert is_this_machine(host) is own


def test_the_listening_process_is_found(port: int) -> None:
    found = listening_process(port)
    assert found is not None
    assert found.pid == os.getpid()
