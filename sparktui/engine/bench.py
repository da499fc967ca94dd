"""A bench: the plan's runs one after the other (or N equal ones at once), with progress, and an end that never loses what was finished."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import msgspec

from sparktui.core.config import ServerConfig
from sparktui.core.events import AnyEvent, ErrorEvent, Joined, Plan, PlanProgress, Server
from sparktui.core.ids import new_id
from sparktui.core.plans import BenchPlan, RunSpec
from sparktui.core.records import RunRecord
from sparktui.engine.cancel import Cancel
from sparktui.engine.emit import Emitter
from sparktui.engine.eta import Eta
from sparktui.engine.opening import client_for
from sparktui.engine.run import run_once
from sparktui.engine.target import Target
from sparktui.errors import RunFailedError, SparkError, UnreachableError

Measure = Callable[[Target, RunSpec, Emitter, Cancel], RunRecord]

_WAITS_S = (1.0, 2.0, 4.0, 8.0, 15.0)
_FAILURES_IN_A_ROW = 2


class Bench:
    """One plan against one target. `stopped` says why it ended early (the server went away, every run fails); None otherwise.

    `server` gives runs made at once connections of their own. `measure` makes one run and returns its record.
    `waits_s` are the pauses before each new try to reach a server that went away.
    """

    def __init__(
        self,
        target: Target,
        plan: BenchPlan,
        emitter: Emitter,
        cancel: Cancel,
        *,
        server: ServerConfig | None = None,
        measure: Measure = run_once,
        waits_s: Sequence[float] = _WAITS_S,
    ) -> None:
        self.id = new_id(time.time(), secrets.token_bytes(8))
        self.stopped: SparkError | None = None
        self._records: dict[str, RunRecord] = {}
        self._targets = [target, *(_beside(target, server or ServerConfig()) for _ in range(plan.parallel - 1))]
        self._plan = plan
        self._emitter = emitter
        self._cancel = cancel
        self._measure = measure
        self._waits_s = waits_s
        self._in_flight: list[Cancel] = []
        self._lock = threading.Lock()
        self._empty_failures = 0
        emitter.add(self._take_joined)

    @property
    def records(self) -> list[RunRecord]:
        """The runs made so far, in the order they ended, with what the log added since."""
        return list(self._records.values())

    def run(self) -> list[RunRecord]:
        """Make the runs and return their records, in order, warm-ups included. Server and network trouble is in them, never raised."""
        rounds = list(self._rounds())
        eta = Eta([_cell(spec) for spec in rounds])
        self._announce()
        try:
            for spec in rounds:
                begun_s = time.monotonic()
                records = self._round(spec)
                for record in records:
                    self._records.setdefault(record.id, record)
                eta.finished(_cell(spec), time.monotonic() - begun_s)
                self.stopped = None if self._cancel.is_set() else self._reason_to_stop(records)
                if self._cancel.is_set() or self.stopped is not None:
                    break
                self._progress(eta.left_s)
        finally:
            for target in self._targets[1:]:
                target.close()
            self._progress(None, finished=True)
        if self.stopped is not None:
            error = self.stopped
            self._emitter.emit(ErrorEvent(title=error.title, detail=error.detail, hint=error.hint, exit_code=error.exit_code))
        return self.records

    def cancel_current(self) -> None:
        """Cancel the run (or runs) in flight; the bench goes on with the next."""
        with self._lock:
            running = list(self._in_flight)
        for cancel in running:
            cancel.set()

    def _take_joined(self, event: AnyEvent) -> None:
        if isinstance(event, Joined) and event.record.bench_id == self.id:
            self._records[event.record.id] = event.record

    def _rounds(self) -> Iterator[RunSpec]:
        """One spec a round: the equal ones that start together are one round."""
        for _, same in groupby(enumerate(self._plan.specs(self.id)), key=lambda item: item[0] // self._plan.parallel):
            yield next(same)[1]

    def _announce(self) -> None:
        cells = tuple(
            {"prompt": prompt.name, "temperature": temperature, "runs": self._plan.runs}
            for prompt in self._plan.prompts
            for temperature in self._plan.temps
        )
        self._emitter.emit(Plan(plan_id=self.id, kind="bench", cells=cells, total=self._plan.total))
        self._progress(None)

    def _progress(self, eta_s: float | None, *, finished: bool = False) -> None:
        done = len(self._records)
        self._emitter.emit(PlanProgress(plan_id=self.id, done=done, total=self._plan.total, eta_s=eta_s, finished=finished))

    def _round(self, spec: RunSpec) -> list[RunRecord]:
        """The runs of one round, in the order they ended."""
        records: list[RunRecord] = []
        failures: list[BaseException] = []

        def one(target: Target) -> None:
            try:
                records.append(self._one(target, spec))
            except BaseException as error:  # noqa: BLE001 - carried to the thread that waits, and raised there
                failures.append(error)

        threads = [threading.Thread(target=one, args=(target,), name="run") for target in self._targets[1:]]
        for thread in threads:
            thread.start()
        one(self._targets[0])
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        return records

    def _one(self, target: Target, spec: RunSpec) -> RunRecord:
        own = Cancel()
        forget = self._cancel.on_set(own.set)
        with self._lock:
            self._in_flight.append(own)
        try:
            return self._measure(target, spec, self._emitter, own)
        finally:
            forget()
            with self._lock:
                self._in_flight.remove(own)

    def _reason_to_stop(self, records: list[RunRecord]) -> SparkError | None:
        """Why going on is pointless, or None. A server that went away is waited for."""
        bad = [record for record in records if record.status in {"failed", "cut_off"}]
        if not bad:
            self._empty_failures = 0
            return None
        if (gone := self._wait_for_server()) is not None:
            return gone
        self._empty_failures = self._empty_failures + 1 if all(not record.chunks for record in bad) else 0
        if self._empty_failures < _FAILURES_IN_A_ROW:
            return None
        title = f"{self._empty_failures} runs in a row failed before any text; the bench ends here."
        return RunFailedError(title, detail=bad[-1].error or "", hint="What was finished is kept. `sparktui doctor` checks the server.")

    def _wait_for_server(self) -> UnreachableError | None:
        """None once the server can be connected to; else, after every wait, why it cannot."""
        target = self._targets[0]
        for wait_s in (*self._waits_s, None):
            try:
                target.client.warm(self._cancel)
                return None
            except UnreachableError as error:
                gone = error
            if wait_s is None or self._cancel.is_set():
                break
            self._emitter.emit(Server(state="unreachable", info=target.info, cause=gone.title, hint=gone.hint, retry_in_s=wait_s))
            self._cancel.wait(wait_s)
        return gone


def run_bench(
    target: Target,
    plan: BenchPlan,
    emitter: Emitter,
    cancel: Cancel,
    *,
    server: ServerConfig | None = None,
    measure: Measure = run_once,
) -> list[RunRecord]:
    """Run a plan; the records in order, warm-ups included. An early end is told as an ErrorEvent."""
    return Bench(target, plan, emitter, cancel, server=server, measure=measure).run()


def for_parallel(plan: BenchPlan) -> BenchPlan:
    """The plan under a label that keeps runs made N at once apart from lone ones: their rates are not comparable."""
    return plan if plan.parallel == 1 else msgspec.structs.replace(plan, label=f"{plan.label} ×{plan.parallel}")


def _beside(target: Target, server: ServerConfig) -> Target:
    """The same server over connections of its own. A simulated one that we run gets no key."""
    settings = msgspec.structs.replace(server, api_key=None) if target.demo is not None else server
    return Target(client_for(settings, target.client.base), target.adapter, target.info, seen=target.seen, origin=target.origin)


def _cell(spec: RunSpec) -> tuple[str, object]:
    return spec.prompt.name, spec.params.temperature
