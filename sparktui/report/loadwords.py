"""What a load changed in memory, in words: GB are 10⁹ bytes, GiB 2³⁰, and which is which is always said."""

from __future__ import annotations

from sparktui.core.loadmemory import LoadMemory
from sparktui.report import numbers


def load_words(load: LoadMemory | None) -> str:
    """`system memory 103.1 → 105.7 GB; cache pool ≈ 3.57 GiB (3.8 GB) at 393,216 tokens, derived from the difference`; "" unseen."""
    if load is None:
        return ""
    whose = "GPU" if load.where == "gpu" else "system"
    text = f"{whose} memory {numbers.gigabytes_number(load.used_before)} → {numbers.gigabytes(load.used_after)}"
    if load.pool_bytes is None:
        return text
    size = f"{numbers.gibibytes(load.pool_bytes)} ({numbers.gigabytes(load.pool_bytes)})"
    return f"{text}; cache pool {numbers.mark(size, True)} at {numbers.count(load.cache_tokens)} tokens, derived from the difference"
