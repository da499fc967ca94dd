"""One process's session: its id, the emitter with its sinks in order, the journal and the history behind it."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from sparktui import __version__
from sparktui.core.config import HistoryConfig
from sparktui.core.events import PROTOCOL, AnyEvent, Bye, Hello
from sparktui.core.ids import new_id
from sparktui.core.records import RunRecord
from sparktui.engine.running.emit import Emitter, Sink
from sparktui.errors import SparkError, StorageError
from sparktui.io.paths import journal_dir, journal_path
from sparktui.io.store.history import History
from sparktui.io.store.historysink import HistorySink
from sparktui.io.store.journal import JournalWriter, read_journal
from sparktui.io.store.recovery import tidy
from sparktui.io.store.slimming import slim_journal


class Session:
    """What is emitted here goes to the history, the journal and `sinks`, in this order. `hello` has been emitted already.

    `notes`: what could not be stored, in sentences; it grows while the session lasts.
    """

    def __init__(
        self, purpose: str, settings: HistoryConfig, *, store: bool = True, masked: Sequence[str] = (), sinks: Sequence[Sink] = ()
    ) -> None:
        self.id = new_id(time.time(), secrets.token_bytes(8))
        self.notes: list[str] = []
        self._settings = settings
        self._history = HistorySink(History.open, keep_text=settings.keep_text, on_error=self._noted) if store else None
        self._journal = self._open_journal(masked) if store else None
        stored = [sink for sink in (self._history, self._journal) if sink is not None]
        self.emitter = Emitter([*stored, *sinks])
        self.hello = _hello(self.id, purpose)
        self.emitter.emit(self.hello)

    def close(self, reason: str) -> list[RunRecord]:
        """Say goodbye and write everything out. Returns the runs that could not be stored; `notes` says why."""
        self.emitter.emit(Bye(reason=reason))
        unsaved = self._history.close() if self._history is not None else []
        if self._journal is not None:
            if not self._journal.close() and self._journal.error is not None:
                self._noted(self._journal.error)
            if not unsaved and not self._settings.keep_text:
                self._drop_texts(self._journal)
            self._tidy()
        return unsaved

    def since(self, seq: int) -> Iterator[AnyEvent]:
        """The events after `seq`, from the journal; () where none is kept."""
        if self._journal is not None:
            self._journal.flush()
            yield from (event for event in read_journal(self._journal.path) if event.seq > seq)

    @property
    def keeps_journal(self) -> bool:
        return self._journal is not None

    def _drop_texts(self, journal: JournalWriter) -> None:
        """They were there for a recovery and for whoever looked on; every run is stored now."""
        try:
            slim_journal(journal.path)
        except StorageError as error:
            self._noted(error)

    def _tidy(self) -> None:
        """What killed sessions left is recovered before their journals can grow too old; our own is looked through another time."""
        settings = self._settings
        try:
            with contextlib.closing(History.open()) as history:
                tidy(
                    history, journal_dir(), keep_text=settings.keep_text, days=settings.journal_days, megabytes=settings.journal_mb,
                    skip=(self.id,),
                )  # fmt: skip
        except SparkError as error:
            self._noted(error)

    def _open_journal(self, masked: Sequence[str]) -> JournalWriter | None:
        try:
            return JournalWriter(journal_path(self.id), secrets=masked)
        except StorageError as error:
            self._noted(error)
            return None

    def _noted(self, error: SparkError) -> None:
        if str(error) not in self.notes:
            self.notes.append(str(error))


def _hello(session: str, purpose: str) -> Hello:
    return Hello(
        protocol=PROTOCOL,
        version=__version__,
        pid=os.getpid(),
        host=socket.gethostname(),
        session=session,
        clock_ns=time.perf_counter_ns(),
        wall=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        purpose=purpose,
    )
