"""Gaps, bursts and held-back streams."""

from __future__ import annotations

import pytest

from sparktui.core.figures.bursts import burst_starts, burstiness, gap_figures, gaps_ms, is_buffered

MS = 1_000_000


def ns(*t_ms: float) -> list[int]:
    return [round(t * MS) for t in t_ms]


def test_gaps() -> None:
    assert gaps_ms(ns(0, 10, 30)) == [10, 20]
    assert gap_figures(ns(5)) is None
    found = gap_figures(ns(0, 10, 30, 130))
    assert found is not None
    assert (found.p50, found.max) == (20, 100)
    assert found.p90 == pytest.approx(84)


def test_a_burst_begins_after_ten_milliseconds() -> None:
    assert burst_starts(ns(0, 9.999, 19.998, 29.999, 40)) == [0, 3, 4]
    assert burst_starts([]) == []


def test_burstiness_needs_two_gaps_time_and_tokens() -> None:
    assert burstiness(ns(0, 10), 4) is None
    assert burstiness(ns(0, 0, 0), 4) is None
    assert burstiness(ns(0, 10, 20), None) is None
    assert burstiness(ns(0, 10, 20), 3) == pytest.approx(-1)


def held(wait_ms: float, count: int, step_ms: float, *, before: tuple[float, ...] = (), after: tuple[float, ...] = ()) -> bool:
    stamps = [*before, *(wait_ms + i * step_ms for i in range(count)), *after]
    return is_buffered(0, ns(*stamps), [5] * len(stamps))


def test_a_stream_released_at_once_is_buffered() -> None:
    assert held(400, 40, 0)
    assert held(400, 40, 0.02)
    assert held(30_000, 2000, 0.03)


def test_a_hiccup_of_the_reader_does_not_hide_it() -> None:
    stamps = [400 + i * 0.05 + (8 if i >= 18 else 0) for i in range(40)]
    assert is_buffered(0, ns(*stamps), [5] * 40)


def test_text_before_the_wait_and_a_trickle_after_do_not_hide_it() -> None:
    assert held(900, 60, 0.02, before=(50, 60, 70), after=(1000, 1100))


@pytest.mark.parametrize("step_ms", [1, 3.3, 20, 290])
def test_a_steady_stream_after_a_long_prefill_is_not_buffered(step_ms: float) -> None:
    assert not held(125_000, 50, step_ms)


def test_a_flood_that_lasts_longer_than_its_prefill_is_not_buffered() -> None:
    assert not held(5, 20_000, 0.03)


def test_one_event_that_holds_most_of_a_short_answer_is_not_buffered() -> None:
    assert not is_buffered(0, ns(1100, 1390), [120, 40])
    assert not is_buffered(0, ns(1100), [120])
    assert not is_buffered(0, [], [])


def test_a_verify_step_of_several_events_is_not_buffered() -> None:
    stamps = [1000.0]
    for step in range(1, 6):
        stamps += [1000 + 200 * step + 0.05 * i for i in range(5)]
    assert not is_buffered(0, ns(*stamps), [4] * len(stamps))
