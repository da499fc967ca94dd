"""Memory around a load of the model: before, and after once it has settled."""

from __future__ import annotations

from sparktui.core.events import MemoryNow
from sparktui.core.loadmemory import LoadMemory, memory_of_load
from sparktui.core.records import ServerInfo
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.ticker import MemorySampler

_SETTLED_BYTES = 50_000_000
_LOOKS = 10
_BETWEEN_S = 0.3


class MemoryAround:
    """Made just before a load; `loaded` looks again after it. `before` is the sample taken at the beginning, None = not to be seen here."""

    def __init__(self, sampler: MemorySampler | None, loaded_before: ServerInfo) -> None:
        self._sampler = sampler
        self._loaded_before = loaded_before
        self.before = sampler() if sampler is not None else None

    def loaded(self, info: ServerInfo, cancel: Cancel, between_s: float = _BETWEEN_S) -> LoadMemory | None:
        """What the load changed; `info` is the server as it describes itself now. Waits, 3 s at most, until memory stays as it is."""
        return memory_of_load(self.before, self._settled(cancel, between_s), self._loaded_before, info)

    def _settled(self, cancel: Cancel, between_s: float) -> MemoryNow | None:
        if self._sampler is None:
            return None
        last = self._sampler()
        for _ in range(_LOOKS):
            if cancel.wait(between_s):
                break
            now = self._sampler()
            if now is None or last is None or abs(now.used - last.used) < _SETTLED_BYTES:
                return now
            last = now
        return last
