from __future__ import annotations

import pytest

from sparktui.demo import memory
from sparktui.demo.prefill import PrefixCache, prefill_s, prefill_tok_s
from sparktui.demo.tokens import count_messages


@pytest.mark.parametrize(
    ("prompt_tokens", "seconds", "tolerance"),
    [(18, 0.15, 0.001), (38, 0.317, 0.001), (8_800, 11.0, 0.01), (100_000, 125, 1), (300_000, 374, 2), (600_000, 938, 2)],
)
def test_prefill_takes_what_the_reference_measured(prompt_tokens: int, seconds: float, tolerance: float) -> None:
    assert prefill_s(prompt_tokens) == pytest.approx(seconds, abs=tolerance)


def test_a_longer_prompt_never_takes_less() -> None:
    lengths = [1, 18, 64, 65, 100, 500, 2_047, 2_048, 10_000, 300_000, 300_001, 600_000, 1_000_000]
    times = [prefill_s(length) for length in lengths]
    assert times == sorted(times)
    assert prefill_tok_s(1_000_000) >= 400


def test_a_prompt_seen_before_costs_only_its_last_page() -> None:
    cache = PrefixCache()
    text = "the tide was out. " * 400
    total = count_messages([text])
    assert cache.cached_tokens(text, total) == 0
    cache.keep(text)
    assert cache.cached_tokens(text, total) == total // 256 * 256
    longer = text + "What was out?"
    assert cache.cached_tokens(longer, count_messages([longer])) == total // 256 * 256
    assert cache.cached_tokens("Another first line. " + text, total) == 0
    cache.clear()
    assert cache.cached_tokens(text, total) == 0


def test_a_short_prompt_is_never_cached() -> None:
    cache = PrefixCache()
    cache.keep("Write a short story.")
    assert cache.cached_tokens("Write a short story.", 6) == 0


def test_the_cache_forgets_the_oldest_prompts() -> None:
    cache = PrefixCache()
    texts = [f"Line {number}. " + "words go on and on " * 200 for number in range(6)]
    for text in texts:
        cache.keep(text)
    assert cache.cached_tokens(texts[0], 1_000) == 0
    assert cache.cached_tokens(texts[5], 1_000) > 0


@pytest.mark.parametrize(
    ("context", "held", "used_gb", "available_gb"),
    [(393_216, 300_000, 106, 15), (1_048_576, 0, 108, 12), (1_048_576, 600_000, 113, 8)],
)
def test_memory_is_what_the_reference_saw(context: int, held: int, used_gb: int, available_gb: int) -> None:
    used = memory.used_bytes(context, draft=True, loaded=True, held_tokens=held)
    assert round(used / 1e9) == used_gb
    assert round((memory.TOTAL_BYTES - used) / 1e9) == available_gb


@pytest.mark.parametrize(("context", "gib"), [(131_072, 0.84 + 0.4), (262_144, 1.68 + 0.75), (393_216, 2.52 + 1.1)])
def test_the_pools_are_the_reference_pools(context: int, gib: float) -> None:
    assert memory.pool_bytes(context, draft=True) / 1024**3 == pytest.approx(gib, abs=0.01)
    lengths = (context, 2 * context)
    loaded = [memory.used_bytes(length, draft=True, loaded=True, held_tokens=0) for length in lengths]
    pools = [memory.pool_bytes(length, draft=True) for length in lengths]
    assert loaded[1] - loaded[0] == pytest.approx(pools[1] - pools[0], abs=2)


def test_without_a_draft_its_pool_is_free() -> None:
    assert memory.pool_bytes(393_216, draft=False) / 1024**3 == pytest.approx(2.52, abs=0.01)
    assert memory.used_bytes(393_216, draft=True, loaded=False, held_tokens=0) < 10e9
