"""A set of half-open intervals with its tests."""

TEXT = r'''```python
# intervals.py
"""A set of numbers kept as half-open intervals [start, end), sorted and never touching."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator


class IntervalSet:
    def __init__(self, intervals: Iterable[tuple[float, float]] = ()) -> None:
        self._starts: list[float] = []
        self._ends: list[float] = []
        for start, end in intervals:
            self.add(start, end)

    def add(self, start: float, end: float) -> None:
        """Add [start, end); what overlaps or touches it becomes one interval."""
        if not start < end:
            raise ValueError(f"empty interval: [{start}, {end})")
        first = bisect_left(self._ends, start)
        last = bisect_right(self._starts, end)
        if first < last:
            start = min(start, self._starts[first])
            end = max(end, self._ends[last - 1])
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]

    def remove(self, start: float, end: float) -> None:
        """Take [start, end) out, splitting an interval that holds it."""
        if not start < end:
            raise ValueError(f"empty interval: [{start}, {end})")
        first = bisect_right(self._ends, start)
        last = bisect_left(self._starts, end)
        if first >= last:
            return
        kept: list[tuple[float, float]] = []
        if self._starts[first] < start:
            kept.append((self._starts[first], start))
        if self._ends[last - 1] > end:
            kept.append((end, self._ends[last - 1]))
        self._starts[first:last] = [s for s, _ in kept]
        self._ends[first:last] = [e for _, e in kept]

    def total(self) -> float:
        """The length of all intervals together."""
        return sum(e - s for s, e in self)

    def gaps(self) -> list[tuple[float, float]]:
        """What lies between the first start and the last end and is not in the set."""
        return list(zip(self._ends, self._starts[1:]))

    def __contains__(self, number: float) -> bool:
        index = bisect_right(self._starts, number) - 1
        return index >= 0 and number < self._ends[index]

    def __iter__(self) -> Iterator[tuple[float, float]]:
        return zip(self._starts, self._ends)

    def __len__(self) -> int:
        return len(self._starts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IntervalSet):
            return NotImplemented
        return list(self) == list(other)

    def __repr__(self) -> str:
        return " ∪ ".join(f"[{s}, {e})" for s, e in self) or "∅"
```

```python
# test_intervals.py
import random

import pytest

from intervals import IntervalSet


def test_overlapping_intervals_become_one():
    assert list(IntervalSet([(1, 3), (2, 5)])) == [(1, 5)]


def test_touching_intervals_become_one():
    assert list(IntervalSet([(1, 3), (3, 4)])) == [(1, 4)]


def test_apart_stays_apart():
    found = IntervalSet([(5, 6), (1, 2)])
    assert list(found) == [(1, 2), (5, 6)]
    assert found.gaps() == [(2, 5)]


def test_one_that_bridges_several():
    found = IntervalSet([(1, 2), (3, 4), (5, 6)])
    found.add(1.5, 5)
    assert list(found) == [(1, 6)]


def test_remove_splits():
    found = IntervalSet([(0, 10)])
    found.remove(4, 6)
    assert list(found) == [(0, 4), (6, 10)]
    assert found.total() == 8


def test_the_end_is_not_inside():
    found = IntervalSet([(1, 2)])
    assert 1 in found
    assert 2 not in found


def test_empty_interval_is_refused():
    with pytest.raises(ValueError):
        IntervalSet([(2, 2)])


def test_agrees_with_a_plain_set_of_numbers():
    rng = random.Random(7)
    found, plain = IntervalSet(), set()
    for _ in range(500):
        start = rng.randrange(100)
        end = start + rng.randrange(1, 12)
        if rng.random() < 0.6:
            found.add(start, end)
            plain |= set(range(start, end))
        else:
            found.remove(start, end)
            plain -= set(range(start, end))
        assert {n for n in range(120) if n in found} == plain
```
'''
