"""The one way events leave the engine: stamped with a sequence number and the monotonic clock, then handed to every sink in order."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import msgspec

from sparktui.core.events import AnyEvent

Sink = Callable[[AnyEvent], None]


class Emitter:
    """Thread-safe. `t_ns` of an event already stamped (a chunk carries its read's stamp) is kept."""

    def __init__(self, sinks: Sequence[Sink], clock_ns: Callable[[], int] = time.perf_counter_ns) -> None:
        self._sinks = list(sinks)
        self._clock_ns = clock_ns
        self._seq = 0
        self._lock = threading.Lock()

    def emit(self, event: AnyEvent) -> AnyEvent:
        """Stamp `event`, hand it to every sink, return it as sent. Sinks handle their own errors: one that raises stops the emission."""
        with self._lock:
            self._seq += 1
            sent = msgspec.structs.replace(event, seq=self._seq, t_ns=event.t_ns or self._clock_ns())
            for sink in self._sinks:
                sink(sent)
        return sent

    def add(self, sink: Sink) -> None:
        with self._lock:
            self._sinks.append(sink)

    def remove(self, sink: Sink) -> None:
        """Take a sink out; it is not called any more once this returns."""
        with self._lock:
            if sink in self._sinks:
                self._sinks.remove(sink)
