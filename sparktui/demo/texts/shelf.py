"""Which text is said: every story and module there is, and how one is chosen."""

from __future__ import annotations

import re
import zlib

from sparktui.demo.texts import (
    clock,
    corran,
    fog,
    intervals,
    letters,
    lru_linked,
    lru_ordered,
    lru_short,
    painter,
    token_bucket,
    trie,
    welcome,
)

STORIES = (corran.TEXT, letters.TEXT, fog.TEXT, clock.TEXT, painter.TEXT)
LRU_MODULES = (lru_linked.TEXT, lru_short.TEXT, lru_ordered.TEXT)
OTHER_MODULES = (token_bucket.TEXT, intervals.TEXT, trie.TEXT)
WELCOME = welcome.TEXT

_BREAK = "\n* * *\n\n"
_WORDS = re.compile(r"\b(\d[\d,]*)[ -]words?\b")
_TOPICS = (("rate", "limit", "bucket", "throttl"), ("interval", "range", "merge", "overlap"), ("trie", "prefix", "complet", "word"))


def _without(text: str, *left_out: int) -> str:
    """`text` without some of its paragraphs."""
    return "\n\n".join(paragraph for n, paragraph in enumerate(text.split("\n\n")) if n not in left_out)


SHORTER_STORIES = (_without(clock.TEXT, 6, 12), _without(painter.TEXT, 1, 12, 13))


def number_of(text: str) -> int:
    """A number that stays the same for the same text, on every machine."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def story(prompt: str, turn: int | None) -> str:
    """A story, and as many more as the words asked for need. `turn` None: always the same for this prompt, else one after the other."""
    first = number_of(prompt) + (0 if turn is None else 1 + turn)
    asked = _WORDS.search(prompt)
    wanted = int(asked[1].replace(",", "")[:6]) if asked else 0
    told: list[str] = []
    while not told or (sum(len(text.split()) for text in told) < wanted and len(told) < len(STORIES)):
        told.append(STORIES[(first + len(told)) % len(STORIES)])
    return _BREAK.join(told)


def story_with_early_ends(prompt: str, turn: int) -> str:
    """As `story`, but two of three come to their end before 794 tokens, as the reference saw through Open WebUI."""
    return story(prompt, turn) if turn % 3 == 0 else SHORTER_STORIES[turn % 3 - 1]


def module(prompt: str, turn: int | None) -> str:
    """A Python module with its tests, on the prompt's subject where there is one. `turn` as in `story`."""
    asked = prompt.lower()
    if re.search(r"\b(lru|cache)\b", asked):
        return LRU_MODULES[-1] if turn is None else LRU_MODULES[turn % len(LRU_MODULES)]
    hits = [sum(word in asked for word in words) for words in _TOPICS]
    if max(hits):
        return OTHER_MODULES[hits.index(max(hits))]
    return OTHER_MODULES[(number_of(prompt) + (turn or 0)) % len(OTHER_MODULES)]
