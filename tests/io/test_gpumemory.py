"""nvidia-smi: read, and never waited for."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from sparktui.core.records import GpuMemory
from sparktui.io.gpumemory import GpuSampler, parse_gpus
from tests.support_cases import FOLDER

CARD = 81_920 * 1024**2


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("na.csv", ()), ("err.txt", ()), ("units.csv", (GpuMemory(16_380 * 1024**2, CARD),)),
        ("two.csv", (GpuMemory(16_380 * 1024**2, CARD), GpuMemory(5 * 1024**2, CARD))),
    ],
)  # fmt: skip
def test_b27_memory_not_reported(name: str, found: tuple[GpuMemory, ...]) -> None:
    assert parse_gpus((FOLDER / "B27" / name).read_text()) == found


@pytest.mark.parametrize("text", ["", "\n", "Not Supported, Not Supported\n", "100, 0\n", "[N/A], 81920\n5, 81920\n", "5\n", "a, b"])
def test_what_is_no_reading_is_none(text: str) -> None:
    assert parse_gpus(text) == ()


def said(script: str) -> list[str]:
    return [sys.executable, "-c", script]


def settled(sampler: GpuSampler, within_s: float = 3.0) -> None:
    end = time.monotonic() + within_s
    while time.monotonic() < end and sampler._thread is not None and sampler._thread.is_alive():
        time.sleep(0.005)


def test_readings_come_from_a_thread_and_not_more_often_than_asked() -> None:
    now = [0.0]
    sampler = GpuSampler(said("print('5, 10\\n7, 10')"), clock=lambda: now[0])
    assert sampler() == ()
    settled(sampler)
    assert sampler() == (GpuMemory(5 * 1024**2, 10 * 1024**2), GpuMemory(7 * 1024**2, 10 * 1024**2))
    first = sampler._thread
    now[0] = 4.9
    sampler()
    assert sampler._thread is first
    now[0] = 5.1
    sampler()
    assert sampler._thread is not first
    settled(sampler)


@pytest.mark.parametrize(
    "argv",
    [said("print('[N/A], [N/A]')"), said("print('5, 10'); raise SystemExit(9)"), [str(Path("/nonexistent/nvidia-smi"))]],
    ids=["not known", "failed", "missing"],
)  # fmt: skip
def test_it_is_given_up_where_it_says_nothing(argv: list[str]) -> None:
    sampler = GpuSampler(argv, every_s=0)
    sampler()
    settled(sampler)
    assert sampler.off
    before = sampler._thread
    assert sampler() == ()
    assert sampler._thread is before


@pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")
def test_one_that_hangs_is_killed_and_costs_nobody_time() -> None:
    sampler = GpuSampler(said("import time; time.sleep(60)"), limit_s=0.1)
    begun = time.monotonic()
    sampler()
    assert time.monotonic() - begun < 0.1
    settled(sampler)
    assert sampler.off
