"""Counting tokens for a server: its tokenizer, else one request's usage, else characters."""

from __future__ import annotations

import pytest

from sparktui.core.needle import haystack
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.server.tokencount import STRAW_CHARS_PER_TOKEN, WHOLE_CHARACTERS, by_usage, counter_for, sampled
from sparktui.io.http.failures import StoppedError
from tests.engine.support_needle import TEMPLATE_TOKENS, TokenServer, tokens_in
from tests.engine.support_runs import target_of

SHORT = haystack(3_000, (), seed=5)


def test_the_servers_tokenizer_counts_exactly() -> None:
    with TokenServer() as server, target_of(server.url, "llamacpp") as target:
        counter = counter_for(target, Cancel(), "k1")
        assert (counter.counted_by, counter.estimated) == ("tokenizer", False)
        assert counter.tokens(SHORT) == tokens_in(SHORT)
        assert counter.prompt_tokens(SHORT) == tokens_in(SHORT) + TEMPLATE_TOKENS
        assert server.prompts == []


def test_a_long_text_is_counted_from_samples_and_within_a_fifth_of_a_percent() -> None:
    text = haystack(3 * WHOLE_CHARACTERS, (), seed=2)
    with TokenServer() as server, target_of(server.url, "llamacpp") as target:
        counter = counter_for(target, Cancel(), "k1")
        server.counted = 0
        assert counter.tokens(text) == pytest.approx(tokens_in(text), rel=0.002)
        assert server.counted < 250_000


def test_samples_are_whole_sentences_from_all_over_the_text() -> None:
    text = haystack(2_000_000, (), seed=2)
    sample = sampled(text)
    entries = [int(word.rstrip(":")) for word in sample.split("Entry ")[1:] for word in word.split()[:1]]
    last = text.count("Entry ")
    assert len(set(entries)) == len(entries)
    assert min(entries) == 1
    assert max(entries) > 0.95 * last
    assert len(sample) == pytest.approx(24 * 8_000, rel=0.05)


def test_b13_without_a_tokenizer_one_requests_usage_calibrates() -> None:
    with TokenServer(tokenizer=False) as server, target_of(server.url, "llamacpp") as target:
        counter = counter_for(target, Cancel(), "k1")
        assert (counter.counted_by, counter.estimated) == ("usage", True)
        assert counter.prompt_tokens(SHORT) == pytest.approx(tokens_in(SHORT) + TEMPLATE_TOKENS, rel=0.02)
        assert len(server.prompts) == 1
        assert server.prompts[0]["max_tokens"] <= 16
        assert "k1" in server.prompts[0]["messages"][0]["content"].split("\n")[0]


@pytest.mark.parametrize("kind", ["openai", "llamacpp"])
def test_without_usage_either_characters_must_do(kind: str) -> None:
    with TokenServer(tokenizer=False, usage=False) as server, target_of(server.url, kind) as target:
        counter = counter_for(target, Cancel(), "k1")
        assert (counter.counted_by, counter.estimated) == ("characters", True)
        assert counter.tokens("x" * 4_200) == round(4_200 / STRAW_CHARS_PER_TOKEN)


def test_a_server_that_is_away_is_no_fault_here() -> None:
    with target_of("http://127.0.0.1:9", "llamacpp") as target:
        assert counter_for(target, Cancel(), "k1").counted_by == "characters"


def test_a_stop_ends_the_counting() -> None:
    cancel = Cancel()
    cancel.set()
    with TokenServer() as server, target_of(server.url, "llamacpp") as target, pytest.raises(StoppedError):
        counter_for(target, cancel, "k1")


def test_a_runs_own_usage_beats_every_other_count() -> None:
    counter = by_usage("x" * 1_010, 110)
    assert counter.counted_by == "usage"
    assert counter.tokens("y" * 1_010) == 100
