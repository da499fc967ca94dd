"""What loading a model changed in memory, and what that says of the cache pool. Pure."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from sparktui.core.events import MemoryNow
from sparktui.core.records import ServerInfo


class LoadMemory(Struct, frozen=True, kw_only=True):
    """Bytes in use before and after a load, of the `gpu`s' own memory where there is any, else of the `system`'s.

    `pool_bytes`: the cache pool after the load, `derived` from the difference between two cache lengths of the same model; no endpoint
    tells it. None where the difference holds more than the pool (the weights came too) or nothing of it (the same cache length).
    """

    where: Literal["gpu", "system"]
    used_before: int
    used_after: int
    cache_tokens_before: int | None = None
    cache_tokens: int | None = None
    pool_bytes: int | None = None
    derived: bool = True

    @property
    def difference(self) -> int:
        """Bytes that the load added (below 0: freed)."""
        return self.used_after - self.used_before


def memory_of_load(
    before: MemoryNow | None, after: MemoryNow | None, loaded_before: ServerInfo, loaded: ServerInfo
) -> LoadMemory | None:  # fmt: skip
    """The comparison; None where memory was not seen on both sides."""
    if before is None or after is None:
        return None
    on_cards = bool(before.gpus and after.gpus)
    used_before, used_after = _used(before, on_cards), _used(after, on_cards)
    return LoadMemory(
        where="gpu" if on_cards else "system",
        used_before=used_before,
        used_after=used_after,
        cache_tokens_before=loaded_before.cache_tokens,
        cache_tokens=loaded.cache_tokens,
        pool_bytes=_pool_bytes(used_after - used_before, loaded_before, loaded),
    )


def _used(sample: MemoryNow, on_cards: bool) -> int:
    return sum(card.used for card in sample.gpus) if on_cards else sample.used


def _pool_bytes(difference: int, before: ServerInfo, after: ServerInfo) -> int | None:
    """A pool grows with its tokens: pool = difference ÷ difference in tokens × tokens. Needs the same model, cache mode and draft."""
    same = (before.model, before.cache_mode, before.draft) == (after.model, after.cache_mode, after.draft)
    if not same or not after.model or not before.cache_tokens or not after.cache_tokens:
        return None
    more_tokens = after.cache_tokens - before.cache_tokens
    if not more_tokens or difference / more_tokens <= 0:
        return None
    return round(difference / more_tokens * after.cache_tokens)
