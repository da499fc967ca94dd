"""A server's metrics endpoint read before and after a run: what the counters say happened in between."""

from __future__ import annotations

from collections.abc import Callable

from sparktui.core.delta import ServerFigures
from sparktui.engine.running.cancel import Cancel
from sparktui.servers.base import Answer, Get
from sparktui.servers.exposition import ServerCounters, read_counters, spec_delta

# counters move when a request is wound up, some milliseconds after its stream has ended
_TRIES_S = (0.0, 0.05, 0.15, 0.3, 0.5)


class CounterWatch:
    """`get` asks the server (io.client.Client.get); `path` is the adapter's `metrics_path`. An empty path never asks."""

    def __init__(self, get: Callable[[Get], Answer], path: str) -> None:
        self._get = get
        self._path = path

    def read(self) -> ServerCounters | None:
        """The counters now, None where there are none."""
        if not self._path:
            return None
        answer = self._get(Get(path=self._path))
        return read_counters(answer.body) if answer.status == 200 else None

    def after(self, before: ServerCounters | None, completion_tokens: int | None, cancel: Cancel) -> ServerFigures | None:
        """What happened since `before`: scope `request` when only this run can have moved the counters, else `interval`, which belongs to
        no run. Waits up to 1 s for the counters to reach the run's tokens. None: no counters, a restart, or nothing drafted."""
        if before is None:
            return None
        figures: ServerFigures | None = None
        for wait_s in _TRIES_S:
            if wait_s and cancel.wait(wait_s):
                break
            now = self.read()
            if now is None:
                return None
            figures = spec_delta(before, now, completion_tokens)
            grown = (now.generated or 0) - (before.generated or 0)
            if now.busy is not True and (completion_tokens is None or grown >= completion_tokens):
                break
        return figures
