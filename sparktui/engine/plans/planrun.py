"""What every plan of runs has in common: its records, its progress, the run in flight, and when going on is pointless."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Protocol, TypeVar

from sparktui.core.events import AnyEvent, ErrorEvent, Joined, PlanProgress, Server
from sparktui.core.ids import new_id
from sparktui.core.plans import RunSpec
from sparktui.core.records import RunRecord
from sparktui.engine.plans.eta import Eta
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.server.target import Target
from sparktui.errors import RunFailedError, SparkError, UnreachableError
from sparktui.io.http.failures import StoppedError

Measure = Callable[[Target, RunSpec, Emitter, Cancel], RunRecord]

Step = TypeVar("Step")

WAITS_S = (1.0, 2.0, 4.0, 8.0, 15.0)
_FAILURES_IN_A_ROW = 2


class Planned(Protocol):
    """A plan that can be run: bench, needle search, sweep."""

    @property
    def records(self) -> list[RunRecord]:
        """The runs made so far, in the order they ended, with what the log added since."""
        ...

    @property
    def stopped(self) -> SparkError | None:
        """Why it ended early; None if it did not."""
        ...

    def run(self) -> list[RunRecord]:
        """Make the runs."""
        ...

    def cancel_current(self) -> None:
        """Cancel the run in flight; the plan goes on with the next."""
        ...


class PlanRun:
    """One plan being run. `stopped` says why it ended early (the server went away, every run fails); None otherwise.

    `what` names the plan in messages, `plan_id` one that goes on.
    `waits_s` are the pauses before each new try to reach a server that went away.
    """

    def __init__(
        self, target: Target, emitter: Emitter, cancel: Cancel, *, total: int, what: str = "bench",
        waits_s: Sequence[float] = WAITS_S, plan_id: str | None = None,
    ) -> None:  # fmt: skip
        self.id = plan_id or new_id(time.time(), secrets.token_bytes(8))
        self.stopped: SparkError | None = None
        self._records: dict[str, RunRecord] = {}
        self._target = target
        self._emitter = emitter
        self._cancel = cancel
        self._total = total
        self._what = what
        self._waits_s = waits_s
        self._in_flight: list[Cancel] = []
        self._lock = threading.Lock()
        self._empty_failures = 0
        emitter.add(self._take_joined)

    @property
    def records(self) -> list[RunRecord]:
        """The runs made so far, in the order they ended, with what the log added since."""
        return list(self._records.values())

    def add(self, records: Sequence[RunRecord]) -> None:
        """Runs that ended; what the log told of them meanwhile stays."""
        for record in records:
            self._records.setdefault(record.id, record)

    def one(self, target: Target, spec: RunSpec, measure: Measure) -> RunRecord:
        """Make one run that `cancel_current` can cancel alone."""
        own = Cancel()
        forget = self._cancel.on_set(own.set)
        with self._lock:
            self._in_flight.append(own)
        try:
            return measure(target, spec, self._emitter, own)
        finally:
            forget()
            with self._lock:
                self._in_flight.remove(own)

    def cancel_current(self) -> None:
        """Cancel the run (or runs) in flight; the plan goes on with the next."""
        with self._lock:
            running = list(self._in_flight)
        for cancel in running:
            cancel.set()

    def progress(self, eta_s: float | None, *, finished: bool = False, outcome: dict[str, Any] | None = None) -> None:
        """Tell how many runs are done."""
        told = PlanProgress(
            plan_id=self.id, done=len(self._records), total=self._total, eta_s=eta_s, finished=finished, outcome=outcome
        )  # fmt: skip
        self._emitter.emit(told)

    def round_by_round(
        self, steps: Sequence[Step], cell: Callable[[Step], Hashable], make: Callable[[Step], Sequence[RunRecord] | None]
    ) -> None:  # fmt: skip
        """Make each step's runs in turn, with progress and the time left by `cell`, until it is pointless to go on or stopped.

        `make` returns None for a step that cannot be made; where it has set `stopped`, that is the end.
        """
        eta = Eta([cell(step) for step in steps])
        self.progress(None)
        try:
            for step in steps:
                begun_s = time.monotonic()
                records = make(step)
                if records is None:
                    if self._cancel.is_set() or self.stopped is not None:
                        break
                    eta.passed_over(cell(step))
                    continue
                self.add(records)
                eta.finished(cell(step), time.monotonic() - begun_s)
                if not self.goes_on_after(records):
                    break
                self.progress(eta.left_s)
        except StoppedError:
            # stopped between two runs: what was finished is kept
            return

    def goes_on_after(self, records: Sequence[RunRecord]) -> bool:
        """Whether another run makes sense after these; sets `stopped`. A server that went away is waited for."""
        self.stopped = None if self._cancel.is_set() else self._reason_to_stop(records)
        return not self._cancel.is_set() and self.stopped is None

    def tell_end(self, outcome: dict[str, Any] | None = None) -> None:
        """Tell that the plan is over, and why if it ended early. From here on nothing is taken in."""
        self._emitter.remove(self._take_joined)
        self.progress(None, finished=True, outcome=outcome)
        if (error := self.stopped) is not None:
            self._emitter.emit(ErrorEvent(title=error.title, detail=error.detail, hint=error.hint, exit_code=error.exit_code))

    def _take_joined(self, event: AnyEvent) -> None:
        if isinstance(event, Joined) and event.record.bench_id == self.id:
            self._records[event.record.id] = event.record

    def _reason_to_stop(self, records: Sequence[RunRecord]) -> SparkError | None:
        bad = [record for record in records if record.status in {"failed", "cut_off"}]
        if not bad:
            self._empty_failures = 0
            return None
        if (gone := self._wait_for_server()) is not None:
            return gone
        self._empty_failures = self._empty_failures + 1 if all(not record.chunks for record in bad) else 0
        if self._empty_failures < _FAILURES_IN_A_ROW:
            return None
        title = f"{self._empty_failures} runs in a row failed before any text; the {self._what} ends here."
        return RunFailedError(title, detail=bad[-1].error or "", hint="What was finished is kept. `sparktui doctor` checks the server.")

    def _wait_for_server(self) -> UnreachableError | None:
        """None once the server can be connected to; else, after every wait, why it cannot."""
        for wait_s in (*self._waits_s, None):
            try:
                self._target.client.warm(self._cancel)
                return None
            except UnreachableError as error:
                gone = error
            if wait_s is None or self._cancel.is_set():
                break
            self._emitter.emit(Server(state="unreachable", info=self._target.info, cause=gone.title, hint=gone.hint, retry_in_s=wait_s))
            self._cancel.wait(wait_s)
        return gone


class PlannedRuns:
    """What every kind of plan shows of its runs; a base for them."""

    def __init__(self, runs: PlanRun) -> None:
        self._runs = runs
        self.id = runs.id

    @property
    def records(self) -> list[RunRecord]:
        """The runs made so far, in the order they ended, with what the log added since."""
        return self._runs.records

    @property
    def stopped(self) -> SparkError | None:
        """Why it ended early; None if it did not."""
        return self._runs.stopped

    def cancel_current(self) -> None:
        """Cancel the run (or runs) in flight, also in its prefill; the plan goes on with the next."""
        self._runs.cancel_current()
