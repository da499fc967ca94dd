"""A shorter LRU cache with its tests, which comes to its natural end below 800 tokens."""

TEXT = r'''```python
# lru_cache.py
from collections import OrderedDict
from threading import Lock
from typing import Any, Hashable


class LRUCache:
    """A thread-safe least-recently-used cache."""

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be 1 or more, not {capacity}")
        self.capacity = capacity
        self._entries: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, default: Any = None) -> Any:
        """The value stored under `key`, which becomes the newest entry."""
        with self._lock:
            try:
                self._entries.move_to_end(key)
            except KeyError:
                return default
            return self._entries[key]

    def put(self, key: Hashable, value: Any) -> None:
        """Store `value` under `key`, evicting the oldest entry if needed."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            if len(self._entries) > self.capacity:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        with self._lock:
            return len(self._entries)

    def __contains__(self, key: Hashable) -> bool:
        with self._lock:
            return key in self._entries
```

```python
# test_lru_cache.py
from threading import Thread

import pytest

from lru_cache import LRUCache


def test_put_and_get():
    cache = LRUCache(2)
    cache.put("a", 1)
    assert cache.get("a") == 1
    assert cache.get("b") is None


def test_evicts_the_least_recently_used():
    cache = LRUCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.get("a")
    cache.put("c", 3)
    assert "a" in cache
    assert "b" not in cache


def test_rejects_a_capacity_of_zero():
    with pytest.raises(ValueError):
        LRUCache(0)


def test_is_thread_safe():
    cache = LRUCache(10)

    def fill(offset):
        for i in range(1000):
            cache.put(i + offset, i)

    threads = [Thread(target=fill, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(cache) == 10
```
'''
