"""Every row of the formats table, the absent figure, rounding at the borders, and the ASCII set."""

from __future__ import annotations

import io
import math
from datetime import datetime

import pytest

from sparktui.report import numbers
from sparktui.report.glyphs import is_unicode, to_ascii


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (numbers.tok_s(57.14), "57.1"),
        (numbers.tok_s(999.94), "999.9"),
        (numbers.tok_s(999.96), "1,000"),
        (numbers.tok_s(12345.6), "12,346"),
        (numbers.tok_s(57.14, estimated=True), "≈ 57.1"),
        (numbers.tok_s_now(58.6), "59"),
        (numbers.seconds(1.082), "1.08 s"),
        (numbers.seconds(99.994), "99.99 s"),
        (numbers.seconds(99.996), "100 s"),
        (numbers.seconds(124.6), "125 s"),
        (numbers.seconds_number(1.082), "1.08"),
        (numbers.tenths(26.72), "26.7 s"),
        (numbers.connect(0.0031), "3 ms"),
        (numbers.elapsed(7.24), "7.2 s"),
        (numbers.elapsed(99.96), "1:40"),
        (numbers.elapsed(125), "2:05"),
        (numbers.elapsed(3725), "1:02:05"),
        (numbers.eta(94), "≈ 1:34 left"),
        (numbers.gap_ms(290.4), "290 ms"),
        (numbers.gap_ms(0.42), "0.4 ms"),
        (numbers.step_ms(93.31), "93.3 ms"),
        (numbers.step_ms(17.5, estimated=True), "≈ 17.5 ms"),
        (numbers.count(794), "794"),
        (numbers.count(100_000), "100,000"),
        (numbers.context(393_216), "384k"),
        (numbers.context(128_000), "128k"),
        (numbers.context(1_048_576), "1M"),
        (numbers.context(512), "512"),
        (numbers.per_chunk(16.2), "16.2"),
        (numbers.per_step(5.329), "5.33"),
        (numbers.percent(0.8983), "89.8 %"),
        (numbers.drafts(645, 718), "645 / 718"),
        (numbers.drafts(645, 718, tight=True), "645/718"),
        (numbers.acceptance(645, 718), "645 / 718 (89.8 %)"),
        (numbers.acceptance(0, 0), "0 / 0"),
        (numbers.burstiness(0.6), "+0.60"),
        (numbers.burstiness(-0.2), "−0.20"),
        (numbers.times(1.97), "1.97 ×"),
        (numbers.ratio(0.9561), "0.956"),
        (numbers.interval(0.941, 0.978), "0.941 – 0.978"),
        (numbers.difference(-2.5), "−2.5"),
        (numbers.difference(0.1), "+0.1"),
        (numbers.difference(-0.04), "+0.0"),
        (numbers.gigabytes(106.2e9), "106.2 GB"),
        (numbers.temperature(0), "0"),
        (numbers.temperature(1.0), "1.0"),
        (numbers.temperature(None), "unset"),
        (numbers.short_id("4f1c9a77aa"), "4f1c9a"),
    ],
)
def test_format(text: str, expected: str) -> None:
    assert text == expected


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_a_figure_that_is_not_known_is_a_dash_and_never_marked(value: float | None) -> None:
    for function in (numbers.tok_s, numbers.seconds, numbers.step_ms, numbers.count, numbers.per_chunk):
        assert function(value, estimated=True) == "–"
    for function in (numbers.elapsed, numbers.eta, numbers.gap_ms, numbers.percent, numbers.times, numbers.gigabytes, numbers.burstiness):
        assert function(value) == "–"
    assert numbers.drafts(645, None) == "–"
    assert numbers.interval(0.9, None) == "–"
    assert numbers.burst_word(value) == ""


@pytest.mark.parametrize(("value", "word"), [(0.6, "bursty"), (0.45, "bursty"), (0.449, "flowing"), (0.0, "flowing"), (-0.01, "steady")])
def test_burst_words(value: float, word: str) -> None:
    assert numbers.burst_word(value) == word


def test_a_list_shows_the_time_today_and_the_date_otherwise() -> None:
    today = datetime(2026, 11, 30, 15, 0).astimezone()
    stamp = datetime(2026, 11, 30, 12, 4, 31).astimezone().isoformat()
    assert numbers.when(stamp, today) == "12:04"
    assert numbers.when_exactly(stamp) == "2026-11-30 12:04:31"
    assert numbers.when(datetime(2026, 9, 2, 12, 4).astimezone().isoformat(), today) == "Sep 2"
    assert numbers.when(datetime(2025, 9, 2, 12, 4).astimezone().isoformat(), today) == "2025-09"
    assert numbers.when("yesterday", today) == "–"


def test_ascii_stand_ins() -> None:
    line = "≈ 57.1 tok/s – 1.97 × −2.5 ±2 ▁▂▃▄▅▆▇█ ✓ ◆ ▲"
    assert to_ascii(line).isascii()
    assert to_ascii("≈ 57.1 – −2.5 ×") == "~ 57.1 - -2.5 x"
    assert is_unicode(io.TextIOWrapper(io.BytesIO(), encoding="UTF-8"))
    assert not is_unicode(io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert not is_unicode(io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
