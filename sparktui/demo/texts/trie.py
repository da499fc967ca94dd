"""A prefix tree for completing words, with its tests."""

TEXT = r'''```python
# completer.py
"""Completes words from a prefix, the most frequent first."""

from __future__ import annotations

import heapq
import unicodedata
from collections.abc import Iterator


def fold(text: str) -> str:
    """Lower case without accents, so that `cafe` finds `café`."""
    plain = unicodedata.normalize("NFD", text.casefold())
    return "".join(c for c in plain if not unicodedata.combining(c))


class _Node:
    __slots__ = ("children", "words")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.words: dict[str, int] = {}


class Completer:
    def __init__(self) -> None:
        self._root = _Node()
        self._size = 0

    def add(self, word: str, weight: int = 1) -> None:
        """Count `word` once more, or `weight` times."""
        if not word:
            raise ValueError("a word needs a letter")
        if weight < 1:
            raise ValueError("weight must be positive")
        node = self._root
        for letter in fold(word):
            node = node.children.setdefault(letter, _Node())
        if word not in node.words:
            self._size += 1
        node.words[word] = node.words.get(word, 0) + weight

    def discard(self, word: str) -> bool:
        """Forget `word`; branches that lead nowhere go with it."""
        path = [self._root]
        letters = fold(word)
        for letter in letters:
            child = path[-1].children.get(letter)
            if child is None:
                return False
            path.append(child)
        if path[-1].words.pop(word, None) is None:
            return False
        self._size -= 1
        for parent, letter in zip(reversed(path[:-1]), reversed(letters)):
            child = parent.children[letter]
            if child.words or child.children:
                break
            del parent.children[letter]
        return True

    def complete(self, prefix: str, limit: int = 5) -> list[str]:
        """Up to `limit` words that begin with `prefix`, the weightiest first, then by alphabet."""
        node = self._root
        for letter in fold(prefix):
            if letter not in node.children:
                return []
            node = node.children[letter]
        best = heapq.nsmallest(limit, self._walk(node), key=lambda pair: (-pair[1], pair[0]))
        return [word for word, _ in best]

    def _walk(self, start: _Node) -> Iterator[tuple[str, int]]:
        stack = [start]
        while stack:
            node = stack.pop()
            yield from node.words.items()
            stack.extend(node.children.values())

    def __len__(self) -> int:
        return self._size
```

```python
# test_completer.py
import pytest

from completer import Completer, fold


@pytest.fixture
def words():
    found = Completer()
    for word, weight in [("tea", 3), ("team", 9), ("ten", 5), ("inn", 2), ("Thé", 1)]:
        found.add(word, weight)
    return found


def test_weightiest_first(words):
    assert words.complete("te") == ["team", "ten", "tea"]


def test_limit(words):
    assert words.complete("t", limit=2) == ["team", "ten"]


def test_accents_and_case_do_not_matter(words):
    assert fold("Thé") == "the"
    assert words.complete("the") == ["Thé"]


def test_unknown_prefix(words):
    assert words.complete("x") == []


def test_empty_prefix_gives_everything(words):
    assert len(words.complete("", limit=10)) == len(words) == 5


def test_adding_again_adds_weight(words):
    words.add("inn", 20)
    assert words.complete("", limit=1) == ["inn"]
    assert len(words) == 5


def test_discard(words):
    assert words.discard("team")
    assert not words.discard("team")
    assert words.complete("tea") == ["tea"]


def test_discard_keeps_longer_words(words):
    words.discard("tea")
    assert words.complete("te") == ["team", "ten"]


@pytest.mark.parametrize("word, weight", [("", 1), ("a", 0)])
def test_bad_words(word, weight):
    with pytest.raises(ValueError):
        Completer().add(word, weight)
```
'''
