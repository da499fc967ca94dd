"""A log source on its way into events: un-wrapped, read by the server's grammar, emitted record by record, joined to the runs."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence

from sparktui.core.events import AnyEvent, Joined, LogLine, LogState, RunDone, RunStarted
from sparktui.core.log.join import WAIT_S, Apply, Joiner
from sparktui.core.log.logrecord import LogRecord
from sparktui.core.log.plainlines import PlainLines
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.io.log.logsource import Begin, Data, Item, LogSource, Status
from sparktui.servers.grammar import LogReader

_QUIET_S = 0.1
_PARTIAL_QUIET_S = 1.0
_TICK_S = 0.25
_BACKPRESSURE_BLOCKS = 64
# a stream's stamps must not wait for a burst of log lines: while one runs, parse a little, then let go of the interpreter
_SLICE_BYTES = 16 * 1024
_BREATH_S = 0.0002
_BACKLOG_BLOCKS = 8
_FOLLOWING = frozenset({"following", "truncated", "switched"})


class LogFeed:
    """Follows `source` in two threads (one reads, one parses and emits). It is itself a sink: add it to the emitter, so that runs that
    start and end reach the joiner.

    `apply` fills a run's record from log figures. `secrets` are masked in every record, known key forms always.
    """

    def __init__(
        self,
        source: LogSource,
        emitter: Emitter,
        *,
        apply: Apply,
        grammar: str = "auto",
        secrets: Sequence[str] = (),
        clock_ns: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        self._source = source
        self._emitter = emitter
        self._clock_ns = clock_ns
        self._reader = LogReader(grammar, secrets)
        self._joiner = Joiner(apply)
        self._queue: queue.SimpleQueue[Item | RunStarted | RunDone | Joined | None] = queue.SimpleQueue()
        self._room = threading.Semaphore(_BACKPRESSURE_BLOCKS)
        self._stop = threading.Event()
        self._waiters: dict[str, threading.Event] = {}
        self._told = 0
        self._following = False
        self._begun: set[str] = set()
        self._in_flight: set[str] = set()
        self._was_live = True
        self._last_data = time.monotonic()
        self._reading = threading.Thread(target=self._read, name="log-source", daemon=True)
        self._telling = threading.Thread(target=self._tell, name="log-feed", daemon=True)

    def start(self) -> None:
        self._telling.start()
        self._reading.start()

    def stop(self, timeout_s: float = 5.0) -> None:
        """End the source (a command's whole process group included), tell what it still had, then stop."""
        self._stop.set()
        self._reading.join(timeout_s)
        self._queue.put(None)
        self._telling.join(timeout_s)

    def __call__(self, event: AnyEvent) -> None:
        """The sink: takes note of runs, returns at once."""
        if isinstance(event, RunStarted):
            self._in_flight.add(event.run_id)
            self._queue.put(event)
        elif isinstance(event, RunDone):
            self._in_flight.discard(event.run_id)
            self._waiters[event.run_id] = threading.Event()
            self._queue.put(event)
        elif isinstance(event, Joined) and event.source != "log":
            self._queue.put(event)

    def wait_joined(self, run_id: str, cancel: Cancel, timeout_s: float = WAIT_S + _TICK_S) -> None:
        """Wait until the log has told about a run that is done, or cannot any more: at most 3 s, not at all when no log is followed."""
        waiter = self._waiters.get(run_id)
        if waiter is None:
            return
        forget = cancel.on_set(waiter.set)
        waiter.wait(timeout_s)
        forget()
        self._waiters.pop(run_id, None)

    def _read(self) -> None:
        try:
            self._source.run(self._put, self._stop)
        except OSError as error:
            self._put(Status("ended", f"the log cannot be read any more: {error.strerror or error}"))

    def _put(self, item: Item) -> None:
        if isinstance(item, Data):
            while not self._room.acquire(timeout=_TICK_S):
                if self._stop.is_set():
                    return
        self._queue.put(item)

    def _tell(self) -> None:
        while True:
            try:
                item = self._queue.get(timeout=self._patience())
            except queue.Empty:
                self._idle()
                continue
            if item is None:
                self._records(self._reader.end(), live=True)
                return
            self._take(item)
            self._release_waiters()

    def _patience(self) -> float | None:
        """How long nothing may come until something is to be done without it; None = for ever."""
        if self._reader.waiting:
            limit_s = _PARTIAL_QUIET_S if self._reader.partial else _QUIET_S
            return max(0.0, self._last_data + limit_s - time.monotonic())
        return _TICK_S if self._joiner.unsettled() else None

    def _idle(self) -> None:
        if self._reader.waiting and self._patience() == 0:
            self._records(self._reader.quiet(), live=self._was_live)
        self._joined(self._joiner.tick(self._clock_ns()))
        self._release_waiters()

    def _take(self, item: Item | RunStarted | RunDone | Joined) -> None:
        if isinstance(item, Data):
            self._room.release()
            self._data(item)
        elif isinstance(item, Begin):
            self._begin(item)
        elif isinstance(item, Status):
            self._status(item)
        elif isinstance(item, RunStarted):
            self._joiner.started(item, self._clock_ns())
        elif isinstance(item, Joined):
            self._joiner.revised(item)
        else:
            self._joined(self._joiner.done(item, self._clock_ns()))

    def _data(self, item: Data) -> None:
        if item.live and not self._was_live and not self._reader.partial:
            self._records(self._reader.quiet(), live=False)
        self._was_live = item.live
        for start in range(0, len(item.data), _SLICE_BYTES):
            if start and self._in_flight:
                time.sleep(_BREATH_S if self._queue.qsize() < _BACKLOG_BLOCKS else 0)
            records, plain = self._reader.take(item.data[start : start + _SLICE_BYTES], item.channel)
            self._records(records, plain, live=item.live)
        self._last_data = time.monotonic()
        if self._joiner.unsettled():
            self._joined(self._joiner.tick(self._clock_ns()))

    def _begin(self, item: Begin) -> None:
        if item.channel in self._begun:
            self._joiner.restarted(self._clock_ns())
        self._begun.add(item.channel)
        self._records(
            self._reader.begin(item.channel, mid_file=item.mid_file, keep_partial=item.keep_partial), live=self._was_live
        )  # fmt: skip

    def _status(self, item: Status) -> None:
        if item.state == "ended":
            self._records(self._reader.end(), live=self._was_live)
        self._following = item.state in _FOLLOWING
        shown = self._source.shown
        named = f"{shown} ({item.name})" if item.name and not shown.endswith(item.name) else shown
        self._emitter.emit(LogState(state=item.state, source=named, reason=item.reason))

    def _records(self, records: list[LogRecord], plain: PlainLines | None = None, *, live: bool) -> None:
        if not records:
            return
        now_ns = self._clock_ns()
        self._emitter.emit(LogLine(record=records[0], more=tuple(records[1:]), plain=plain))
        if self._reader.telling == self._told:
            return
        self._told = self._reader.telling
        for record in records:
            if record.generation is not None or record.started or record.ended or record.cancelled:
                self._joined(self._joiner.log(record, now_ns, live=live))

    def _joined(self, events: list[Joined]) -> None:
        for event in events:
            self._emitter.emit(event)

    def _release_waiters(self) -> None:
        for run_id, waiter in list(self._waiters.items()):
            if not waiter.is_set() and self._joiner.knows_end(run_id) and not (self._following and self._joiner.waits(run_id)):
                waiter.set()
