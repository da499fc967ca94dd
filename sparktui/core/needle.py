"""Needle in a haystack: distinct seeded sentences, a unique first line, needles at given depths, the question last; and the check."""

from __future__ import annotations

import random
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

from msgspec import Struct

_PEOPLE = (
    "the harbour master", "a retired surveyor", "the night baker", "an apprentice glazier", "the bridge keeper", "a travelling tuner",
    "the school librarian", "an old ferryman", "the weather clerk", "a market gardener", "the tram conductor", "a lens grinder",
)  # fmt: skip
_DEEDS = (
    "counted", "mended", "catalogued", "painted", "weighed", "traded", "polished", "measured", "sketched", "sorted", "repaired", "listed",
)  # fmt: skip
_THINGS = (
    "brass lanterns", "barrels of salt", "river charts", "wooden gears", "wool blankets", "copper kettles", "glass floats", "seed packets",
    "iron hinges", "paper kites", "clay roof tiles", "bundles of reed",
)  # fmt: skip
_PLACES = (
    "beside the north quay", "under the clock arch", "in the orchard lane", "behind the old mill", "near the salt stairs",
    "at the upper lock", "along the canal path", "below the signal tower", "inside the long barn", "across from the chapel",
)  # fmt: skip
_TIMES = (
    "before the morning bell", "on a day of thick fog", "while the tide was out", "after the last tram", "during the spring fair",
    "when the lamps were lit", "in the first week of frost", "as the rain let up",
)  # fmt: skip

_PARAGRAPH = 12
_CODE_DIGITS = 7
_BETWEEN = r"[\s,.'’_*`-]*"
_THOUSANDS = re.compile(r"(?<=\d)[,.'’\s](?=\d{3}(?!\d))")


class NeedleSpot(Struct, frozen=True):
    """One needle: its depth (0 the beginning, 1 the end), its topic, and the code that the answer must hold."""

    depth: float
    topic: str
    code: str

    def sentence(self) -> str:
        return f"The secret code of {self.topic} is {self.code}. "


def sentences(seed: int) -> Iterator[str]:
    """Endless distinct sentences; each carries its own number, so that no two are alike. Same seed, same sentences."""
    rng = random.Random(f"haystack {seed}")
    number = 0
    while True:
        number += 1
        yield (
            f"Entry {number}: {rng.choice(_PEOPLE)} {rng.choice(_DEEDS)} {rng.randrange(2, 98)} {rng.choice(_THINGS)} "
            f"{rng.choice(_PLACES)} {rng.choice(_TIMES)}. "
        )


def needles(depths: Sequence[float], seed: int) -> tuple[NeedleSpot, ...]:
    """A needle for each depth, each with its own topic and random code."""
    rng = random.Random(f"needle {seed}")
    topics = rng.sample([f"{thing} {place}" for thing in _THINGS for place in _PLACES], len(depths))
    return tuple(
        NeedleSpot(depth, f"the {topic}", str(rng.randrange(10 ** (_CODE_DIGITS - 1), 10**_CODE_DIGITS)))
        for depth, topic in zip(depths, topics, strict=True)
    )


def first_line(run_key: str) -> str:
    """A line no other run has: a prefix cache must miss from the first token on."""
    return f"Archive {run_key}. What follows is a list of entries; a few of them hold a secret code.\n\n"


def question(spots: Sequence[NeedleSpot]) -> str:
    """The question that closes the prompt."""
    asked = " and ".join(f"the secret code of {spot.topic}" for spot in spots)
    return f"\n\nFrom the entries above: what is {asked}? Answer with the code{'s' if len(spots) > 1 else ''} only."


def haystack(characters: int, spots: Sequence[NeedleSpot], seed: int) -> str:
    """About `characters` of sentences, the last one cut after a whole word; each needle between two of them at its depth.

    Raises ValueError on a depth outside 0..1.
    """
    for spot in spots:
        if not 0 <= spot.depth <= 1:
            raise ValueError(f"a depth lies between 0 and 1, not {spot.depth}")
    straw: list[str] = []
    length = 0
    for number, sentence in enumerate(sentences(seed), start=1):
        if length + len(sentence) > characters:
            straw.append(_cut(sentence, characters - length))
            length += len(straw[-1])
            break
        straw.append(sentence if number % _PARAGRAPH else sentence.rstrip() + "\n\n")
        length += len(straw[-1])
    starts = [0, *accumulate(len(sentence) for sentence in straw)]
    places = sorted(((_nearest(starts, spot.depth * length), spot) for spot in spots), key=lambda pair: pair[0], reverse=True)
    for index, spot in places:
        straw.insert(index, spot.sentence())
    return "".join(straw)


def _cut(sentence: str, characters: int) -> str:
    """The first whole words of a sentence, as a sentence; "" where not one fits."""
    words = sentence[: max(0, characters - 1)].rpartition(" ")[0]
    return f"{words}. " if words else ""


def _nearest(starts: Sequence[int], place: float) -> int:
    after = min(bisect_left(starts, place), len(starts) - 1)
    before = max(after - 1, 0)
    return before if place - starts[before] < starts[after] - place else after


def needle_found(code: str, answer: str) -> bool:
    """Whether `answer` holds the digits of `code` as a number of its own, in any spelling.

    Any Unicode digits count; spaces, separators and marks between them do not. A longer number that contains the code is no hit.
    """
    plain = "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in unicodedata.normalize("NFKC", answer))
    joined = _THOUSANDS.sub("", plain)
    return re.search(rf"(?<!\d){_BETWEEN.join(code)}(?!\d)", joined) is not None
