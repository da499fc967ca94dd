"""Waiting is told while nothing comes, and memory is sampled all the while."""

from __future__ import annotations

import time
from collections.abc import Callable

from sparktui.core.delta import PromptProgress
from sparktui.core.events import MemoryNow, Waiting
from sparktui.engine.running.ticker import Ticker


def until(condition: Callable[[], bool], within_s: float = 2.0) -> bool:
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.002)
    return False


def test_waiting_is_told_until_the_first_text() -> None:
    told: list[Waiting | MemoryNow] = []
    sent_ns = time.perf_counter_ns()
    with Ticker("r", told.append, interval_s=0.01) as ticker:
        time.sleep(0.03)
        assert told == []
        ticker.sent(sent_ns)
        assert until(lambda: len(told) >= 3)
        ticker.last_text_ns = time.perf_counter_ns()
        time.sleep(0.02)
        seen = len(told)
        time.sleep(0.05)
        assert len(told) == seen
    elapsed = [event.elapsed_s for event in told if isinstance(event, Waiting)]
    assert elapsed == sorted(elapsed)
    assert 0.03 < elapsed[0] < 1


def test_waiting_is_told_again_in_a_stall_and_not_between_requests() -> None:
    told: list[Waiting | MemoryNow] = []
    with Ticker("r", told.append, interval_s=0.01) as ticker:
        ticker.sent(time.perf_counter_ns())
        ticker.last_text_ns = time.perf_counter_ns() - 2_100_000_000
        assert until(lambda: len(told) >= 2)
        ticker.paused()
        time.sleep(0.02)
        seen = len(told)
        time.sleep(0.05)
        assert len(told) == seen


def test_signs_of_life_are_told_at_most_ten_a_second() -> None:
    ticker = Ticker("r", lambda _: None)
    ticker.sent(1_000_000_000)
    halfway = PromptProgress(50, 100)
    assert ticker.alive(1_050_000_000, 1, None) is None
    event = ticker.alive(1_120_000_000, 2, halfway)
    assert event is not None
    assert (event.pings, event.prompt_progress, round(event.elapsed_s, 3)) == (2, halfway, 0.12)
    assert ticker.alive(1_150_000_000, 3, None) is None
    last = ticker.alive(1_160_000_000, 3, PromptProgress(100, 100))
    assert last is not None
    assert last.pings == 3


def test_memory_is_sampled_before_during_and_after() -> None:
    told: list[Waiting | MemoryNow] = []
    used = iter([10, 40, 90, *[50] * 1000])

    def sampler() -> MemoryNow:
        now = next(used)
        return MemoryNow(total=100, used=now, available=100 - now, rss=now // 10)

    with Ticker("r", told.append, sampler, interval_s=0.01) as ticker:
        assert len(told) == 1
        assert until(lambda: len(told) >= 4)
    memory = ticker.memory
    assert memory is not None
    assert (memory.total, memory.used_before, memory.used_peak, memory.available_min, memory.rss_peak) == (100, 10, 90, 10, 9)


def test_without_a_sampler_there_is_no_memory() -> None:
    with Ticker("r", lambda _: None, lambda: None, interval_s=0.01) as ticker:
        pass
    assert ticker.memory is None
