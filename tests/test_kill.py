"""SIGKILL at any moment: what had arrived is in the history, no process of ours is left. `python -m tests.perf.kill_test` does fifty."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparktui.demo.process import DemoProcess
from tests.perf.kill_test import KINDS, killed

RNG = random.Random(7)
# a screen takes its time to start, and types its first key a second later
MOMENTS = [(kind, RNG.uniform(0.9, 2.2) + 2 * (kind == "screen")) for kind in KINDS]


@pytest.fixture(scope="module")
def demo() -> Iterator[DemoProcess]:
    with DemoProcess.start(speed=8) as process:
        yield process


@pytest.mark.parametrize(("kind", "after_s"), MOMENTS)
def test_a_kill_loses_nothing_that_had_arrived(kind: str, after_s: float, demo: DemoProcess, tmp_path: Path) -> None:
    outcome = killed(kind, after_s, tmp_path, demo)
    assert outcome.faults == []
    assert sum(outcome.runs.values()) > 0
