"""An LRU cache on an ordered dictionary, with its tests: long enough to run past 800 tokens."""

TEXT = r'''```python
# lru_cache.py
"""A thread-safe cache that forgets what was used least recently."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, Iterator, TypeVar

K = TypeVar("K")
V = TypeVar("V")

_MISSING = object()


class LRUCache(Generic[K, V]):
    """Keeps at most `capacity` entries. Reading or writing a key makes it the newest."""

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError("capacity must be at least 1")
        self._capacity = capacity
        self._data: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.RLock()
        self._hits = 0
        self._misses = 0

    @property
    def capacity(self) -> int:
        return self._capacity

    def get(self, key: K, default: V | None = None) -> V | None:
        """Return the value of `key` and mark it as used, or `default`."""
        with self._lock:
            if key not in self._data:
                self._misses += 1
                return default
            self._hits += 1
            self._data.move_to_end(key)
            return self._data[key]

    def put(self, key: K, value: V) -> None:
        """Store `value`. When the cache is full the oldest entry goes first."""
        with self._lock:
            if key in self._data:
                self._data.move_to_end(key)
            elif len(self._data) >= self._capacity:
                self._data.popitem(last=False)
            self._data[key] = value

    def pop(self, key: K, default: V | None = None) -> V | None:
        """Remove `key` and return its value, or `default`."""
        with self._lock:
            return self._data.pop(key, default)

    def clear(self) -> None:
        with self._lock:
            self._data.clear()
            self._hits = 0
            self._misses = 0

    def stats(self) -> dict[str, int]:
        """Hits, misses and the number of entries, read at one moment."""
        with self._lock:
            return {"hits": self._hits, "misses": self._misses, "size": len(self._data)}

    def keys(self) -> list[K]:
        """The keys, oldest first."""
        with self._lock:
            return list(self._data)

    def __len__(self) -> int:
        with self._lock:
            return len(self._data)

    def __contains__(self, key: object) -> bool:
        with self._lock:
            return key in self._data

    def __iter__(self) -> Iterator[K]:
        return iter(self.keys())
```

```python
# test_lru_cache.py
import threading

import pytest

from lru_cache import LRUCache


@pytest.fixture
def cache() -> LRUCache[str, int]:
    return LRUCache(2)


def test_get_returns_what_was_put(cache):
    cache.put("a", 1)
    assert cache.get("a") == 1


def test_missing_key_gives_the_default(cache):
    assert cache.get("nope") is None
    assert cache.get("nope", 7) == 7


def test_oldest_entry_is_evicted(cache):
    cache.put("a", 1)
    cache.put("b", 2)
    cache.put("c", 3)
    assert "a" not in cache
    assert cache.keys() == ["b", "c"]


def test_reading_makes_an_entry_young(cache):
    cache.put("a", 1)
    cache.put("b", 2)
    cache.get("a")
    cache.put("c", 3)
    assert "a" in cache
    assert "b" not in cache


def test_writing_again_does_not_evict(cache):
    cache.put("a", 1)
    cache.put("b", 2)
    cache.put("a", 10)
    assert len(cache) == 2
    assert cache.get("a") == 10


@pytest.mark.parametrize("capacity", [0, -1])
def test_capacity_must_be_positive(capacity):
    with pytest.raises(ValueError):
        LRUCache(capacity)


def test_many_threads_never_exceed_the_capacity():
    cache = LRUCache(50)

    def work(start):
        for number in range(start, start + 500):
            cache.put(number, number)
            cache.get(number - 1)

    threads = [threading.Thread(target=work, args=(n * 100,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache) == 50
```
'''
