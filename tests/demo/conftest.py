"""Demo servers: a fast one that a test file shares, and ones started with options of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sparktui.demo.process import DemoProcess
from tests.demo.client import FAST


@pytest.fixture(scope="module")
def demo() -> Iterator[DemoProcess]:
    """A fast server that a test file shares."""
    with DemoProcess.start(speed=FAST) as process:
        yield process


@pytest.fixture
def start() -> Iterator[Callable[..., DemoProcess]]:
    """Starts servers with options of their own."""
    running: list[DemoProcess] = []

    def one(speed: float = FAST, **options: Any) -> DemoProcess:
        running.append(DemoProcess.start(speed, **options))
        return running[-1]

    yield one
    for process in running:
        process.stop()
