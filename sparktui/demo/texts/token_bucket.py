"""A rate limiter with its tests."""

TEXT = r'''```python
# token_bucket.py
"""A token bucket: lets bursts through, holds the long run to a steady rate."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class TokenBucket:
    """Holds up to `capacity` tokens and gains `rate` of them a second.

    The clock is a parameter, so that tests need not sleep.
    """

    def __init__(
        self,
        rate: float,
        capacity: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if rate <= 0 or capacity <= 0:
            raise ValueError("rate and capacity must be positive")
        self.rate = rate
        self.capacity = capacity
        self._clock = clock
        self._tokens = capacity
        self._updated = clock()
        self._lock = threading.Lock()

    def _refill(self) -> None:
        now = self._clock()
        gained = (now - self._updated) * self.rate
        self._tokens = min(self.capacity, self._tokens + max(0.0, gained))
        self._updated = now

    def try_take(self, amount: float = 1.0) -> bool:
        """Take `amount` tokens if they are there now."""
        with self._lock:
            self._refill()
            if amount > self._tokens:
                return False
            self._tokens -= amount
            return True

    def wait_time(self, amount: float = 1.0) -> float:
        """Seconds until `amount` tokens will be there; 0.0 if they are."""
        if amount > self.capacity:
            raise ValueError(f"{amount} tokens never fit into {self.capacity}")
        with self._lock:
            self._refill()
            return max(0.0, (amount - self._tokens) / self.rate)

    @property
    def tokens(self) -> float:
        with self._lock:
            self._refill()
            return self._tokens


class Limiter:
    """One bucket for each name, made when it is first asked for."""

    def __init__(self, rate: float, capacity: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._make = lambda: TokenBucket(rate, capacity, clock)
        self._buckets: dict[str, TokenBucket] = {}
        self._lock = threading.Lock()

    def allow(self, name: str) -> bool:
        with self._lock:
            if name not in self._buckets:
                self._buckets[name] = self._make()
            bucket = self._buckets[name]
        return bucket.try_take()
```

```python
# test_token_bucket.py
import pytest

from token_bucket import Limiter, TokenBucket


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_starts_full_and_allows_a_burst(clock):
    bucket = TokenBucket(rate=1, capacity=3, clock=clock)
    assert [bucket.try_take() for _ in range(4)] == [True, True, True, False]


def test_refills_at_its_rate(clock):
    bucket = TokenBucket(rate=2, capacity=4, clock=clock)
    assert bucket.try_take(4)
    clock.now += 1.5
    assert bucket.tokens == pytest.approx(3.0)


def test_never_holds_more_than_its_capacity(clock):
    bucket = TokenBucket(rate=10, capacity=5, clock=clock)
    clock.now += 3600
    assert bucket.tokens == 5


def test_a_clock_that_runs_back_takes_nothing_away(clock):
    bucket = TokenBucket(rate=1, capacity=2, clock=clock)
    clock.now -= 50
    assert bucket.tokens == 2


def test_wait_time(clock):
    bucket = TokenBucket(rate=4, capacity=2, clock=clock)
    bucket.try_take(2)
    assert bucket.wait_time(1) == pytest.approx(0.25)
    with pytest.raises(ValueError):
        bucket.wait_time(3)


def test_names_do_not_share_a_bucket(clock):
    limiter = Limiter(rate=1, capacity=1, clock=clock)
    assert limiter.allow("zoë")
    assert not limiter.allow("zoë")
    assert limiter.allow("ana")


@pytest.mark.parametrize("rate, capacity", [(0, 1), (1, 0), (-1, 1)])
def test_bad_settings(rate, capacity):
    with pytest.raises(ValueError):
        TokenBucket(rate, capacity)
```
'''
