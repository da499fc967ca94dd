"""The sink that stores every run as it ends, and never lets go of one that could not be stored."""

from __future__ import annotations

import threading
from collections.abc import Callable

from sparktui.core.events import AnyEvent, Joined, RunDone, RunStarted
from sparktui.core.records import RunRecord
from sparktui.errors import SparkError
from sparktui.io.store.history import History
from sparktui.io.store.rows import without_texts

_RETRY_S = 2.0
_SETTLE_S = 0.5


class HistorySink:
    """Stores the record of every RunDone, and of every Joined in its place.

    The history is opened by the first run that ends. Writing happens in a thread, so that no stamp of a run in flight is late;
    when a run ends and no other is in flight, the caller waits (at most half a second) until it is stored.
    What fails is kept in `pending`, tried again every two seconds and at `close`; `errors` holds each different failure once.
    `on_error` is called from the thread, once a failure.
    """

    def __init__(
        self,
        open_history: Callable[[], History],
        *,
        keep_text: bool = True,
        on_error: Callable[[SparkError], None] | None = None,
        retry_s: float = _RETRY_S,
    ) -> None:
        self.errors: list[str] = []
        self._open_history = open_history
        self._history: History | None = None
        self._keep_text = keep_text
        self._on_error = on_error
        self._retry_s = retry_s
        self._pending: dict[str, RunRecord] = {}
        self._stored: set[str] = set()
        self._running: set[str] = set()
        self._attempts = 0
        self._busy = False
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="history", daemon=True)
        self._thread.start()

    def __call__(self, event: AnyEvent) -> None:
        if isinstance(event, RunStarted):
            self._running.add(event.run_id)
        elif isinstance(event, RunDone | Joined):
            self._running.discard(event.record.id)
            self._hand_over(event.record, wait=isinstance(event, RunDone) and not self._running)

    @property
    def pending(self) -> list[RunRecord]:
        """Runs not stored yet, in the order they ended: to be offered again, or exported."""
        with self._changed:
            return list(self._pending.values())

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Try at once, and wait until it was tried. True where nothing is left to store."""
        with self._changed:
            target = self._next_whole_attempt()
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._pending or self._attempts >= target, timeout_s)
            return not self._pending

    def close(self, timeout_s: float = 5.0) -> list[RunRecord]:
        """One last attempt; returns the runs that could not be stored."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(timeout_s)
        if self._history is not None and not self._thread.is_alive():
            self._history.close()
        return self.pending

    def _hand_over(self, record: RunRecord, *, wait: bool) -> None:
        kept = record if self._keep_text else without_texts(record)
        with self._changed:
            self._pending[record.id] = kept
            target = self._next_whole_attempt()
            self._changed.notify_all()
            if wait:
                self._changed.wait_for(lambda: self._pending.get(record.id) is not kept or self._attempts >= target, _SETTLE_S)

    def _next_whole_attempt(self) -> int:
        """The count of attempts once one that begins from now on is over."""
        return self._attempts + (2 if self._busy else 1)

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._pending and not self._closing:
                    self._changed.wait()
                todo, closing = list(self._pending.values()), self._closing
                self._busy = True
            failed = self._store_all(todo)
            with self._changed:
                self._busy = False
                self._attempts += 1
                self._changed.notify_all()
                if closing:
                    return
                if failed and not self._closing:
                    self._changed.wait(self._retry_s)

    def _store_all(self, records: list[RunRecord]) -> bool:
        """One attempt at each; True where something failed."""
        failed = False
        for record in records:
            try:
                self._store(record)
            except SparkError as error:
                failed = True
                self._report(error)
                continue
            with self._changed:
                if self._pending.get(record.id) is record:
                    del self._pending[record.id]
        return failed

    def _store(self, record: RunRecord) -> None:
        if self._history is None:
            self._history = self._open_history()
        if record.id in self._stored:
            self._history.update(record)
            return
        self._history.add(record)
        self._stored.add(record.id)

    def _report(self, error: SparkError) -> None:
        if str(error) in self.errors:
            return
        self.errors.append(str(error))
        if self._on_error is not None:
            self._on_error(error)
