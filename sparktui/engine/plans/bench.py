"""A bench: the plan's runs one after the other (or N equal ones at once), with progress, and an end that never loses what was finished."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec

from sparktui.core.config import ServerConfig
from sparktui.core.events import Plan
from sparktui.core.plans import BenchPlan, RunSpec
from sparktui.core.records import RunRecord
from sparktui.engine.plans.planrun import WAITS_S, Measure, PlannedRuns, PlanRun
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.running.rounds import Rounds
from sparktui.engine.running.run import run_once
from sparktui.engine.server.target import Target


class Bench(PlannedRuns):
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
        waits_s: Sequence[float] = WAITS_S,
    ) -> None:
        super().__init__(PlanRun(target, emitter, cancel, total=plan.total, waits_s=waits_s))
        self._rounds_made = Rounds(self._runs, target, server or ServerConfig(), measure)
        self._plan = plan
        self._emitter = emitter

    def run(self) -> list[RunRecord]:
        """Make the runs and return their records, in order, warm-ups included. Server and network trouble is in them, never raised."""
        self._announce()
        try:
            self._runs.round_by_round(list(self._rounds()), _cell, self._rounds_made.make)
        finally:
            self._rounds_made.close()
            self._runs.tell_end()
        return self.records

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


def _cell(spec: RunSpec) -> tuple[str, object]:
    return spec.prompt.name, spec.params.temperature
