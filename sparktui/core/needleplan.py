"""What a search for needles asks for, and what a run of it carries: its place, its codes, and whether they were found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from sparktui.core.needle import NeedleSpot, needle_found
from sparktui.core.records import Status

PROMPT_NAME = "needle"


class NeedlePlace(Struct, frozen=True):
    """One prompt: its length in tokens as asked for, the depths of its needles, and whether it repeats the one before (`warm`)."""

    length: int
    depths: tuple[float, ...]
    warm: bool = False


class NeedlePlan(Struct, frozen=True, kw_only=True):
    """Lengths × depths, one prompt each; with `together` all the depths are needles of one prompt.

    `warm`: every prompt is sent twice, so that the second one meets the prefix cache. A temperature of None sends none.
    """

    lengths: tuple[int, ...]
    depths: tuple[float, ...] = (0.5,)
    together: bool = False
    seed: int = 1
    warm: bool = False
    max_tokens: int = 800
    temperature: int | float | None = 0
    label: str = "default"

    def places(self) -> Iterator[NeedlePlace]:
        """Every prompt in order: length by length, its depths in their order, the warm one after its cold one."""
        for length in self.lengths:
            for depths in [self.depths] if self.together else [(depth,) for depth in self.depths]:
                yield NeedlePlace(length, depths)
                if self.warm:
                    yield NeedlePlace(length, depths, warm=True)

    @property
    def total(self) -> int:
        """Requests in all."""
        return sum(1 for _ in self.places())


def spread(needles: int) -> tuple[float, ...]:
    """Depths for so many needles, each in the middle of its share of the text: 2 → 0.25, 0.75."""
    return tuple(round((number + 0.5) / needles, 4) for number in range(needles))


def facts(
    place: NeedlePlace, spots: Sequence[NeedleSpot], *, length_tokens: int, counted_by: str, estimated: bool, remake: Mapping[str, Any]
) -> dict[str, Any]:
    """The `needle` of a run that is about to start. `remake`: what makes the same prompt again (seed, key, characters).

    `length_tokens`: the prompt's tokens as `counted_by` (tokenizer, usage, characters) gives them.
    """
    found: dict[str, Any] = {"length": place.length, "length_tokens": length_tokens, "counted_by": counted_by}
    if estimated:
        found["length_estimated"] = True
    if len(spots) == 1:
        found |= {"depth": spots[0].depth, "code": spots[0].code}
    else:
        found |= {"depths": [spot.depth for spot in spots], "codes": [spot.code for spot in spots]}
    return found | dict(remake) | ({"warm": True} if place.warm else {})


def judged(needle: Mapping[str, Any], answer: str, status: Status) -> dict[str, Any]:
    """`found`: every code is in the answer; None where no answer came that could hold it. Several needles: `found_each` too."""
    codes = needle.get("codes") or ([needle["code"]] if "code" in needle else [])
    if not codes:
        return {}
    each = [needle_found(code, answer) for code in codes]
    told = status == "ok" and bool(answer.strip())
    verdict: dict[str, Any] = {"found": True if all(each) else False if told else None}
    return verdict if len(codes) == 1 else {**verdict, "found_each": each if told or any(each) else None}


def found_words(needle: Mapping[str, Any]) -> str:
    """"found", "not found", "2 of 3 found", or why the prompt was refused; "" where it is not known."""
    each = needle.get("found_each")
    if each and 0 < sum(each) < len(each):
        return f"{sum(each)} of {len(each)} found"
    if refused := needle.get("refused"):
        return str(refused)
    found = needle.get("found")
    return "" if found is None else "found" if found else "not found"


def place_words(needle: Mapping[str, Any]) -> str:
    """Where the needle was: "100k @0.5", with several depths "100k @0.25,0.75"."""
    length, depth = needle.get("length"), needle.get("depth")
    depths = needle.get("depths") or ([] if depth is None else [depth])
    at = f"@{','.join(f'{one:g}' for one in depths)}" if depths else ""
    return " ".join(filter(None, (short_length(length) if isinstance(length, int) else "", at, "warm" if needle.get("warm") else "")))


def needle_note(needle: Mapping[str, Any] | None) -> str:
    """What a list says beside a run: "found 100k @0.5"; "" for a run that searched for nothing."""
    if not needle:
        return ""
    words = (found_words(needle), place_words(needle))
    return " ".join(filter(None, reversed(words) if needle.get("refused") else words))


def short_length(tokens: int) -> str:
    """A length as people write it: 100000 → "100k", 1000000 → "1M", 1234 → "1,234"."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if tokens >= size and tokens % (size // 10) == 0:
            return f"{tokens / size:g}{unit}"
    return f"{tokens:,}"
