"""A sweep: the same prompt under every variant of the server, in an order that spreads drift, and the server put back at the end."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from sparktui.core.config import ServerConfig, VariantConfig
from sparktui.core.events import Plan
from sparktui.core.ids import new_id
from sparktui.core.plans import PromptSpec
from sparktui.core.records import RunRecord
from sparktui.core.sweepplan import Step, SweepPlan, rounds, spec_of, together
from sparktui.engine.plans.contexts import Contexts
from sparktui.engine.plans.planrun import WAITS_S, Measure, PlannedRuns, PlanRun
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.running.rounds import Rounds
from sparktui.engine.running.run import run_once
from sparktui.engine.server.target import Target
from sparktui.engine.server.tokencount import counter_for
from sparktui.engine.sweeping.variants import ServerSwitch
from sparktui.errors import SparkError, UnreachableError
from sparktui.io.http.failures import StoppedError


class Sweep(PlannedRuns):
    """One sweep of one server. `failed`: variants that the server could not be brought to, and why.

    `bench_id` and `earlier` are those of a sweep that goes on; `records` begin with the earlier ones. `on_change` hears whenever the
    server may have left its own configuration or is back in it. `settle` has all runs at the end, and may tell more of them.
    `restored`: the server is as it was.
    """

    def __init__(
        self,
        target: Target,
        plan: SweepPlan,
        emitter: Emitter,
        cancel: Cancel,
        switch: ServerSwitch,
        *,
        server: ServerConfig | None = None,
        measure: Measure = run_once,
        bench_id: str | None = None,
        earlier: Sequence[RunRecord] = (),
        on_change: Callable[[bool], object] = lambda _: None,
        settle: Callable[[Sequence[RunRecord]], object] = lambda _: None,
        waits_s: Sequence[float] = WAITS_S,
    ) -> None:
        done = finished_rounds(plan, earlier)
        self._steps = list(rounds(plan, done))
        total = len(earlier) + sum(together(step.variant) for step in self._steps)
        super().__init__(PlanRun(target, emitter, cancel, total=total, what="sweep", waits_s=waits_s, plan_id=bench_id))
        self._runs.add(earlier)
        self._total = total
        self.failed: dict[str, str] = {}
        self.restored = True
        self._target = target
        self._plan = plan
        self._emitter = emitter
        self._cancel = cancel
        self._switch = switch
        self._on_change = on_change
        self._settle = settle
        self._made = Rounds(self._runs, target, server or ServerConfig(), measure)
        self._contexts: Contexts | None = None

    @property
    def complete(self) -> bool:
        """Every round that could be made has been made."""
        left = rounds(self._plan, finished_rounds(self._plan, self.records))
        return all(step.variant.name in self.failed for step in left)

    def run(self) -> list[RunRecord]:
        """Make the runs, put the server back, and return the records. What goes wrong is in them, in `failed` or in `stopped`."""
        self._announce()
        try:
            self._runs.round_by_round(self._steps, lambda step: step.variant.name, self._round)
        finally:
            self._end()
        return self.records

    def _round(self, step: Step) -> list[RunRecord] | None:
        """One round; None where the server cannot be brought to its variant."""
        if step.variant.name in self.failed or not self._ready_for(step.variant):
            return None
        return self._made.make(spec_of(self._plan, step, self._prompt(), self.id))

    def _ready_for(self, variant: VariantConfig) -> bool:
        """Bring the server to a variant. One it cannot get to is noted and passed over; a server that is gone ends the sweep."""
        try:
            if self._switch.to(variant, self._cancel):
                self._on_change(self._switch.changed)
        except StoppedError:
            raise
        except SparkError as error:
            self._on_change(self._switch.changed)
            self.failed[variant.name] = str(error)
            if isinstance(error, UnreachableError):
                self._runs.stopped = error
            return False
        return True

    def _prompt(self) -> PromptSpec:
        plan = self._plan
        if not plan.context_tokens:
            return plan.prompt
        if self._contexts is None:
            key = new_id(time.time(), secrets.token_bytes(8))
            self._contexts = Contexts(plan.context_tokens, plan.seed, counter_for(self._target, self._cancel, key))
        return self._contexts.before(plan.prompt)

    def _announce(self) -> None:
        plan = self._plan
        cells = tuple(
            {"prompt": plan.prompt.name, "temperature": plan.params(variant).temperature, "runs": plan.runs, "label": variant.name}
            for variant in plan.variants
        )
        self._emitter.emit(Plan(plan_id=self.id, kind="sweep", cells=cells, total=self._total))

    def _end(self) -> None:
        self._made.close()
        try:
            self.restored = self._switch.back()
        finally:
            self._on_change(self._switch.changed)
            self._settle(self.records)
            self._runs.tell_end(self._outcome())


    def _outcome(self) -> dict[str, Any]:
        """What a table of the runs does not hold: core.events.PlanProgress."""
        switch = self._switch
        told = {"settings": switch.settings, "memory": switch.memory, "failed": self.failed, "restored": self.restored}
        outcome: dict[str, Any] = msgspec.to_builtins(told)
        return outcome


def finished_rounds(plan: SweepPlan, records: Sequence[RunRecord]) -> set[tuple[str, int]]:
    """The rounds, by variant and run number, whose runs all ended well. What a flag takes out of the medians was measured all the same."""
    good: dict[tuple[str, int], int] = {}
    for record in records:
        if record.run_no and not record.warmup and record.status == "ok":
            good[(record.label, record.run_no)] = good.get((record.label, record.run_no), 0) + 1
    wanted = {variant.name: together(variant) for variant in plan.variants}
    return {key for key, count in good.items() if count >= wanted.get(key[0], 1)}
