"""An LRU cache on a linked list, with its tests: long enough to run past 800 tokens."""

TEXT = r'''```python
# lru_cache.py
"""LRU cache: a dict finds an entry, a doubly linked ring keeps the order of use."""

import threading


class _Node:
    __slots__ = ("key", "value", "prev", "next")

    def __init__(self, key=None, value=None):
        self.key = key
        self.value = value
        self.prev = self
        self.next = self

    def unlink(self):
        self.prev.next = self.next
        self.next.prev = self.prev

    def link_before(self, other):
        self.prev = other.prev
        self.next = other
        other.prev.next = self
        other.prev = self


class LRUCache:
    """Thread-safe. self._ring.next is the oldest entry, self._ring.prev the newest."""

    def __init__(self, capacity):
        if type(capacity) is not int:
            raise TypeError(f"capacity: int, not {capacity!r}")
        if capacity <= 0:
            raise ValueError(f"capacity: > 0, not {capacity!r}")
        self.capacity = capacity
        self._nodes = {}
        self._ring = _Node()
        self._lock = threading.Lock()

    def get(self, key, default=None):
        with self._lock:
            node = self._nodes.get(key)
            if node is None:
                return default
            node.unlink()
            node.link_before(self._ring)
            return node.value

    def put(self, key, value):
        """Store a value; returns the key that had to go, or None."""
        with self._lock:
            node = self._nodes.get(key)
            if node is not None:
                node.value = value
                node.unlink()
                node.link_before(self._ring)
                return None
            node = self._nodes[key] = _Node(key, value)
            node.link_before(self._ring)
            if len(self._nodes) <= self.capacity:
                return None
            oldest = self._ring.next
            oldest.unlink()
            del self._nodes[oldest.key]
            return oldest.key

    def items(self):
        """Pairs of key and value, oldest first, as they were at the call."""
        with self._lock:
            pairs = []
            node = self._ring.next
            while node is not self._ring:
                pairs.append((node.key, node.value))
                node = node.next
            return pairs

    def __len__(self):
        with self._lock:
            return len(self._nodes)

    def __contains__(self, key):
        with self._lock:
            return key in self._nodes

    def __repr__(self):
        return f"LRUCache({len(self)} of {self.capacity})"
```

```python
# test_lru_cache.py
from concurrent.futures import ThreadPoolExecutor

import pytest

from lru_cache import LRUCache


def test_round_trip():
    cache = LRUCache(3)
    cache.put("café", "noir")
    assert cache.get("café") == "noir"
    assert len(cache) == 1


def test_default_for_a_missing_key():
    assert LRUCache(1).get("x", default=42) == 42


def test_put_names_the_evicted_key():
    cache = LRUCache(2)
    assert cache.put(1, "one") is None
    assert cache.put(2, "two") is None
    assert cache.put(3, "three") == 1
    assert cache.items() == [(2, "two"), (3, "three")]


def test_get_refreshes():
    cache = LRUCache(2)
    cache.put(1, "one")
    cache.put(2, "two")
    cache.get(1)
    assert cache.put(3, "three") == 2


def test_update_keeps_the_size():
    cache = LRUCache(2)
    for value in range(5):
        cache.put("same", value)
    assert cache.items() == [("same", 4)]


@pytest.mark.parametrize("bad, error", [(0, ValueError), (-3, ValueError), ("2", TypeError), (True, TypeError)])
def test_bad_capacity(bad, error):
    with pytest.raises(error):
        LRUCache(bad)


def test_threads_do_not_break_the_ring():
    cache = LRUCache(16)

    def hammer(seed):
        for step in range(1000):
            cache.put((seed * step) % 40, step)
            cache.get(step % 40)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(hammer, range(1, 9)))
    assert len(cache) == len(cache.items()) == 16
```
'''
