"""The live rate: whole gaps only, a window of at least a second, zero after silence."""

from __future__ import annotations

import pytest

from sparktui.core.figures.live import LiveRate

MS = 1_000_000


def fed(*chunks: tuple[int, float]) -> LiveRate:
    rate = LiveRate()
    for t_ms, tokens in chunks:
        rate.add(t_ms * MS, tokens)
    return rate


def test_nothing_is_known_before_the_second_chunk() -> None:
    assert LiveRate().now(0) is None
    assert fed((600, 38)).now(700 * MS) is None
    assert fed((600, 38)).now(9000 * MS) is None


def test_the_first_chunk_of_the_window_only_starts_the_clock() -> None:
    assert fed((600, 38), (900, 15)).now(950 * MS) == pytest.approx(15 / 0.3)


def test_the_window_is_the_shortest_that_reaches_back_a_second() -> None:
    rate = fed((0, 100), (300, 100), (600, 10), (900, 10), (1200, 10), (1500, 10), (1800, 10))
    assert rate.now(1800 * MS) == pytest.approx(40 / 1.2)


def test_a_steady_stream_reads_its_rate_whatever_its_chunk_size() -> None:
    rate = fed(*((290 * i, 16.0) for i in range(60)))
    assert rate.now(290 * 59 * MS) == pytest.approx(16 / 0.29)


def test_it_falls_to_zero_after_a_second_or_three_median_gaps() -> None:
    quick = fed(*((290 * i, 16.0) for i in range(10)))
    last = 290 * 9
    assert quick.now((last + 1000) * MS) == pytest.approx(16 / 0.29)
    assert quick.now((last + 1001) * MS) == 0.0
    slow = fed(*((800 * i, 16.0) for i in range(10)))
    assert slow.now((800 * 9 + 2400) * MS) == pytest.approx(20)
    assert slow.now((800 * 9 + 2401) * MS) == 0.0


def test_chunks_of_one_read_count_together() -> None:
    assert fed((0, 5), (500, 3), (500, 2), (500, 5)).now(500 * MS) == pytest.approx(20)


def test_rescaling_follows_an_exact_count() -> None:
    rate = fed((0, 5), (500, 10))
    rate.rescale(1.5)
    assert rate.now(500 * MS) == pytest.approx(30)


def test_memory_is_bounded_by_the_window() -> None:
    rate = LiveRate()
    for i in range(20_000):
        rate.add(i * MS, 1)
    assert rate.now(20_000 * MS) == pytest.approx(1000, rel=0.01)
    assert len(rate._chunks) <= 1002
    assert len(rate._gaps) == 101
