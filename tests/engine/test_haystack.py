"""Prompts of an asked length: to one per cent, with room for the answer, rebuilt from what a run carries."""

from __future__ import annotations

import time

import pytest

from sparktui.core.needle import first_line, haystack, needles, question
from sparktui.core.needleplan import NeedlePlace, spread
from sparktui.engine.plans.haystack import Haystacks, _seed_of
from sparktui.engine.server.tokencount import RatioCounter
from tests.engine.support_needle import tokens_in


class WordCounter:
    """Counts as the tests' server does, at once."""

    counted_by = "tokenizer"
    estimated = False

    def tokens(self, text: str) -> int:
        return tokens_in(text)

    def prompt_tokens(self, text: str) -> int:
        return tokens_in(text) + 12


def made(length: int, *, ctx: int | None = None, max_tokens: int = 100, depths: tuple[float, ...] = (0.5,), key: str = "k"):
    return Haystacks(WordCounter(), seed=1, ctx=ctx, max_tokens=max_tokens).straw(NeedlePlace(length, depths), key)


@pytest.mark.parametrize("length", [100, 257, 1_000, 2_000, 4_321, 30_000, 250_000])
@pytest.mark.parametrize("depths", [(0.0,), (0.5,), (1.0,)])
def test_b13_the_length_is_met_in_the_servers_tokens(length: int, depths: tuple[float, ...]) -> None:
    straw = made(length, depths=depths)
    real = tokens_in(straw.prompt.text) + 12
    assert abs(real - length) <= max(2, 0.004 * length)
    assert abs(straw.needle["length_tokens"] - real) <= max(2, 0.003 * length)
    assert straw.needle["length"] == length
    assert straw.refusal == ""


def test_a_prompt_is_made_again_from_what_its_run_carries() -> None:
    straw = made(5_000, depths=spread(3), key="run-key")
    needle = straw.needle
    place = NeedlePlace(needle["length"], tuple(needle["depths"]))
    spots = needles(needle["depths"], _seed_of(needle["seed"], place))
    again = first_line(needle["key"]) + haystack(needle["characters"], spots, needle["seed"]) + question(spots)
    assert again == straw.prompt.text
    assert [spot.code for spot in spots] == needle["codes"]
    assert all(code in straw.prompt.text for code in needle["codes"])


def test_every_place_has_codes_and_a_first_line_of_its_own() -> None:
    haystacks = Haystacks(WordCounter(), seed=1, ctx=None, max_tokens=100)
    made_ = [haystacks.straw(NeedlePlace(length, (depth,)), f"k{n}") for n, (length, depth) in enumerate(
        [(1_000, 0.5), (2_000, 0.5), (2_000, 0.9)]
    )]  # fmt: skip
    assert len({straw.needle["code"] for straw in made_}) == 3
    assert len({straw.prompt.text[:20] for straw in made_}) == 3


@pytest.mark.parametrize(
    ("length", "ctx", "max_tokens", "refusal"),
    [
        (16_000, 16_000, 800, "does not fit (16,800 > 16,000)"), (19_000, 16_000, 0, "does not fit (19,000 > 16,000)"),
        (131_072, 131_072, 800, ""), (15_000, 16_000, 800, ""), (15_200, 16_000, 800, ""), (16_000, None, 800, ""),
    ],
)  # fmt: skip
def test_b13_room_is_kept_for_the_answer(length: int, ctx: int | None, max_tokens: int, refusal: str) -> None:
    straw = made(length, ctx=ctx, max_tokens=max_tokens)
    assert straw.refusal == refusal == straw.needle.get("refused", "")
    if not refusal:
        real = tokens_in(straw.prompt.text) + 12
        assert 0.99 * length <= real <= 1.01 * length
        assert ctx is None or real + max_tokens <= ctx


def test_a_length_too_short_for_its_needles_is_a_row_not_a_crash() -> None:
    straw = made(100, depths=spread(5))
    assert straw.refusal.startswith("too short: needle and question alone take ")
    assert straw.needle["refused"] == straw.refusal


def test_estimated_lengths_say_so() -> None:
    straw = Haystacks(RatioCounter(4.0, "usage"), seed=1, ctx=None, max_tokens=100).straw(NeedlePlace(1_000, (0.5,)), "k")
    assert straw.needle["length_estimated"] is True
    assert straw.needle["counted_by"] == "usage"
    assert straw.needle["length_tokens"] == pytest.approx(1_000, abs=3)


def test_a_million_tokens_are_built_in_seconds() -> None:
    begun = time.monotonic()
    straw = Haystacks(RatioCounter(4.2, "usage"), seed=1, ctx=None, max_tokens=100).straw(NeedlePlace(1_000_000, (0.5,)), "k")
    assert len(straw.prompt.text) == pytest.approx(4_200_000, rel=0.01)
    assert time.monotonic() - begun < 10, "measured alone it is below 3 s"
