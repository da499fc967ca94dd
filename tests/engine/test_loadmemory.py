"""Memory across a load: what it says of the cache pool, and when it says nothing."""

from __future__ import annotations

import msgspec
import pytest

from sparktui.core.events import MemoryNow
from sparktui.core.loadmemory import memory_of_load
from sparktui.core.records import GpuMemory, ServerInfo
from sparktui.demo import memory as scripted
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.sweeping.loadmemory import MemoryAround
from sparktui.report.loadwords import load_words

GIB = 2**30
INFO = ServerInfo(kind="tabbyapi", base_url="http://h:5000", model="m", cache_mode="FP16", cache_tokens=131_072, draft="MTP")


def loaded(tokens: int | None, **changes: object) -> ServerInfo:
    return msgspec.structs.replace(INFO, cache_tokens=tokens, **changes)


def using(used: int, gpus: tuple[GpuMemory, ...] = ()) -> MemoryNow:
    return MemoryNow(total=120_800_000_000, used=used, available=120_800_000_000 - used, gpus=gpus)


@pytest.mark.parametrize(("before", "after"), [(131_072, 393_216), (393_216, 131_072), (131_072, 262_144), (262_144, 393_216)])
def test_the_reference_pools_come_out_of_the_difference(before: int, after: int) -> None:
    """0.84, 1.68 and 2.52 GiB, and with a draft 0.4, 0.75 and 1.1 more."""
    used = [scripted.used_bytes(tokens, draft=True, loaded=True, held_tokens=0) for tokens in (before, after)]
    found = memory_of_load(using(used[0]), using(used[1]), loaded(before), loaded(after))
    assert found is not None
    assert found.derived
    assert found.difference == used[1] - used[0]
    assert found.pool_bytes == pytest.approx(scripted.pool_bytes(after, draft=True), rel=0.05)
    assert (found.where, found.cache_tokens) == ("system", after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (loaded(None, model=""), loaded(131_072)), (loaded(131_072), loaded(131_072)), (loaded(131_072), loaded(262_144, model="other")),
        (loaded(131_072), loaded(262_144, cache_mode="Q8")), (loaded(131_072), loaded(262_144, draft=None)),
        (loaded(131_072), loaded(None)),
    ],
    ids=["weights too", "same length", "other model", "other mode", "other draft", "not told"],
)  # fmt: skip
def test_where_the_difference_says_nothing_of_the_pool(before: ServerInfo, after: ServerInfo) -> None:
    found = memory_of_load(using(10 * GIB), using(30 * GIB), before, after)
    assert found is not None
    assert (found.pool_bytes, found.difference) == (None, 20 * GIB)


def test_memory_that_shrinks_while_the_pool_grows_is_no_pool() -> None:
    found = memory_of_load(using(30 * GIB), using(29 * GIB), loaded(131_072), loaded(262_144))
    assert found is not None
    assert found.pool_bytes is None


def test_cards_of_their_own_count_instead_of_the_system() -> None:
    cards = [(GpuMemory(10 * GIB, 80 * GIB), GpuMemory(4 * GIB, 80 * GIB)), (GpuMemory(11 * GIB, 80 * GIB), GpuMemory(5 * GIB, 80 * GIB))]
    found = memory_of_load(using(1, cards[0]), using(1, cards[1]), loaded(131_072), loaded(262_144))
    assert found is not None
    assert (found.where, found.difference, found.pool_bytes) == ("gpu", 2 * GIB, 4 * GIB)


def test_unseen_memory_is_absent() -> None:
    assert memory_of_load(None, using(1), INFO, INFO) is None
    around = MemoryAround(None, INFO)
    assert around.before is None
    assert around.loaded(INFO, Cancel()) is None
    assert load_words(None) == ""


def test_it_is_looked_at_until_it_stays() -> None:
    readings = [100, 400, 900, 1_200, 1_210, 5_000]
    left = iter(readings)
    around = MemoryAround(lambda: using(next(left) * 1_000_000), loaded(131_072))
    found = around.loaded(loaded(262_144), Cancel(), between_s=0.001)
    assert found is not None
    assert (found.used_before, found.used_after) == (100_000_000, 1_210_000_000)


def test_words_name_their_units() -> None:
    found = memory_of_load(using(103_100_000_000), using(103_100_000_000 + GIB), loaded(131_072), loaded(262_144))
    assert load_words(found) == (
        "system memory 103.1 → 104.2 GB; cache pool ≈ 2.00 GiB (2.1 GB) at 262,144 tokens, derived from the difference"
    )
    assert load_words(memory_of_load(using(1_000_000_000), using(2_000_000_000), INFO, INFO)) == "system memory 1.0 → 2.0 GB"
