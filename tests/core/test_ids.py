"""Ids sort by time and hold nothing that a file name or a command line would mind."""

from __future__ import annotations

import re

import pytest

from sparktui.core.ids import new_id


def test_ids_sort_by_time_and_hold_only_safe_characters() -> None:
    times = [0, 1.5, 1_796_062_000.123, 1_796_062_000.124, 4_000_000_000]
    ids = [new_id(t, bytes([255 - i] * 8)) for i, t in enumerate(times)]
    assert ids == sorted(ids)
    assert all(re.fullmatch(r"[0-9a-z]{9}-[0-9a-z]{5}", found) for found in ids)


def test_chance_tells_ids_of_one_moment_apart() -> None:
    assert len({new_id(1000.0, i.to_bytes(8)) for i in range(500)}) == 500


def test_too_little_chance_or_a_time_before_the_epoch_is_refused() -> None:
    with pytest.raises(ValueError, match="random"):
        new_id(1.0, b"abc")
    with pytest.raises(ValueError, match="1970"):
        new_id(-1.0, b"abcdefgh")
