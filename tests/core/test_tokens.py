"""Estimated token counts against counts that real servers gave, and the rules of the estimate."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.figures.tokens import TokenEstimator, estimate_tokens, measured_ratio, share_out
from sparktui.demo import tokens as demo_tokens
from sparktui.demo.texts import corran, fog, lru_linked, trie
from tests.core.streams import completion_tokens, pieces

COUNTED = [
    "tabbyapi-e632af4/story-draft-usage",
    "tabbyapi-e632af4/code-draft-usage",
    "tabbyapi-e632af4/code-nodraft-usage",
    "tabbyapi-e632af4/reasoning",
    "tabbyapi-pr452/code-draft-usage",
    "llamacpp-b11434/none-story-t0",
    "llamacpp-b11434/none-code-t0",
    "llamacpp-b11434/none-story-t1-stop",
    "llamacpp-b11434/draft-q2k-n4-code-t1",
    "llamacpp-b11434/synth-len3-n4-story-t0",
]


@pytest.mark.parametrize("name", COUNTED)
def test_prose_and_code_are_within_ten_percent_of_the_servers_count(name: str) -> None:
    found = pieces(name)
    want = completion_tokens(name)
    estimate = sum(estimate_tokens("".join(t for _, k, t in found if k == kind)) for kind in ("reasoning", "content"))
    assert estimate == pytest.approx(want, rel=0.10)


@pytest.mark.parametrize("text", [corran.TEXT, fog.TEXT, lru_linked.TEXT, trie.TEXT], ids=["corran", "fog", "lru", "trie"])
def test_story_and_code_texts_of_the_demo_are_within_ten_percent(text: str) -> None:
    assert estimate_tokens(text) == pytest.approx(demo_tokens.count(text), rel=0.10)


@pytest.mark.parametrize("name", ["tabbyapi-e632af4/story-draft-usage", "tabbyapi-e632af4/code-draft-usage"])
def test_a_stream_of_chunks_comes_to_nearly_the_same_as_the_whole(name: str) -> None:
    found = pieces(name)
    streamed = TokenEstimator()
    parts = [streamed.add(text) for _, _, text in found]
    assert sum(parts) == pytest.approx(streamed.total)
    assert streamed.total == pytest.approx(completion_tokens(name), rel=0.15)
    assert min(parts) > 0


CODE = "def add(a, b):\n    return a + b\n\nclass Pair:\n    left = 1\n\n    def swap(self):\n        self.left = self.right\n"


def test_code_counts_more_tokens_than_prose_of_the_same_length_with_and_without_fences() -> None:
    prose = "The keeper went up the stairs and looked out over the water for a long time before he lit it.\n" * 2
    assert len(CODE) / estimate_tokens(CODE) < 3.3
    assert len(prose) / estimate_tokens(prose) > 3.9
    words = "some plain words\n"
    assert estimate_tokens("```\n" + words * 20 + "```\n") > estimate_tokens(words * 20) * 1.1


def test_prose_after_a_fence_is_prose_again() -> None:
    after = "And then the story goes on with ordinary words, one after the other.\n"
    alone = estimate_tokens(after)
    assert estimate_tokens("```python\n" + CODE + "```\n" + after) - estimate_tokens("```python\n" + CODE + "```\n") == pytest.approx(alone)
    assert estimate_tokens(CODE + after * 3) - estimate_tokens(CODE + after * 2) == pytest.approx(alone)


def test_short_token_scripts_and_emoji_are_not_taken_for_latin_words() -> None:
    assert estimate_tokens("漢字かな交じり文" * 10) == pytest.approx(80 / 1.4)
    assert estimate_tokens("🦙" * 10) >= 15
    assert estimate_tokens("Привет, как дела сегодня?") > 8


def test_b03_a_word_in_pieces_is_judged_on_the_joined_text() -> None:
    assert estimate_tokens("Hello world") == pytest.approx(2)
    assert estimate_tokens("") == 0


def test_a_measured_ratio_from_code_makes_both_code_and_prose_right() -> None:
    ratio = measured_ratio([("content", CODE * 3)], tokens=round(estimate_tokens(CODE * 3) * 1.25))
    assert ratio == pytest.approx(3.2, rel=0.02)
    assert estimate_tokens(CODE * 3, ratio) == pytest.approx(estimate_tokens(CODE * 3) * 1.25, rel=0.02)
    assert estimate_tokens(fog.TEXT, ratio) == pytest.approx(estimate_tokens(fog.TEXT) * 1.25, rel=0.02)


def test_too_short_a_run_gives_no_ratio() -> None:
    assert measured_ratio([("content", "Hi.")], 2) is None
    assert measured_ratio([("content", "")], 400) is None
    assert measured_ratio([("content", "some words")], None) is None


def test_a_long_line_without_an_end_costs_no_more_per_piece() -> None:
    estimator = TokenEstimator()
    for _ in range(5000):
        estimator.add("word " * 4)
    assert estimator.total == pytest.approx(20_000)


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60), st.sampled_from(["content", "reasoning", "tool"]))
def test_any_text_has_some_tokens_and_no_text_none(text: str, kind: str) -> None:
    tokens = TokenEstimator().add(text, kind)  # type: ignore[arg-type]
    assert (tokens > 0) == bool(text)
    assert tokens <= 3 * len(text)


def test_shares_sum_to_the_total() -> None:
    assert share_out(794, [1, 2, 1]) == [198.5, 397, 198.5]
    assert share_out(10, [0, 0]) == [5, 5]
    assert share_out(10, []) == []
