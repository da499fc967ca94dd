"""The search for needles: lengths × depths, one prompt after the other, each sized with the server's own tokenizer."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from sparktui.core.events import Plan, RunDone, RunStarted, Warning
from sparktui.core.figures.metrics import record_of
from sparktui.core.figures.state import RunState
from sparktui.core.ids import new_id
from sparktui.core.needleplan import NeedlePlace, NeedlePlan
from sparktui.core.plans import RunSpec
from sparktui.core.records import RunParams, RunRecord
from sparktui.engine.plans.haystack import Haystacks, Straw
from sparktui.engine.plans.planrun import WAITS_S, Measure, PlannedRuns, PlanRun
from sparktui.engine.plans.prefillrates import PrefillRates
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.running.run import run_once
from sparktui.engine.server.target import Target
from sparktui.engine.server.tokencount import by_usage, counter_for
from sparktui.io.http.failures import StoppedError

_OFF_BY = 0.01


class NeedleSearch(PlannedRuns):
    """One plan against one target. What does not fit becomes a row in `records`, and the search goes on.

    `measure` makes one run and returns its record. `rates` says what to expect of a prefill.
    """

    def __init__(
        self,
        target: Target,
        plan: NeedlePlan,
        emitter: Emitter,
        cancel: Cancel,
        *,
        measure: Measure = run_once,
        rates: PrefillRates | None = None,
        waits_s: Sequence[float] = WAITS_S,
    ) -> None:
        super().__init__(PlanRun(target, emitter, cancel, total=plan.total, what="needle search", waits_s=waits_s))
        self._target = target
        self._plan = plan
        self._emitter = emitter
        self._cancel = cancel
        self._measure = measure
        self._rates = rates or PrefillRates(None)
        self._cold: Straw | None = None
        self._answer_s: list[float] = []

    def run(self) -> list[RunRecord]:
        """Make the runs and return their records, in order. Server and network trouble is in them, never raised."""
        places = list(self._plan.places())
        self._announce(places)
        try:
            haystacks = self._haystacks()
            for number, place in enumerate(places, start=1):
                self._runs.progress(self._eta_s(places[number - 1 :]))
                record = self._search(haystacks, place, number)
                self._runs.add([record])
                refused = "refused" in (record.needle or {})
                if (not refused and not self._runs.goes_on_after([record])) or self._cancel.is_set():
                    break
        except StoppedError:
            # stopped while a prompt was being sized: nothing was sent, so there is nothing to keep
            pass
        finally:
            self._runs.tell_end()
        return self.records

    def _announce(self, places: Sequence[NeedlePlace]) -> None:
        cells = tuple(
            {"prompt": "needle", "length": place.length, "depths": list(place.depths), "warm": place.warm, "runs": 1} for place in places
        )
        self._emitter.emit(Plan(plan_id=self.id, kind="needle", cells=cells, total=self._plan.total))

    def _haystacks(self) -> Haystacks:
        counter = counter_for(self._target, self._cancel, self._new_key())
        return Haystacks(counter, seed=self._plan.seed, ctx=self._target.info.ctx, max_tokens=self._plan.max_tokens)

    def _search(self, haystacks: Haystacks, place: NeedlePlace, number: int) -> RunRecord:
        straw = self._straw(haystacks, place)
        spec = self._spec(straw, place, number)
        if straw.refusal:
            return self._unsent(spec, straw.refusal)
        begun_s = time.monotonic()
        record = self._runs.one(self._target, spec, self._measure)
        if record.status == "ok" and not place.warm:
            self._rates.note(record)
            self._answer_s.append(time.monotonic() - begun_s - (record.prefill_s or record.ttft_s or 0.0))
            self._learn(haystacks, straw, record)
        return record

    def _straw(self, haystacks: Haystacks, place: NeedlePlace) -> Straw:
        """A prompt of its own, or for a warm run the one just sent."""
        if place.warm and self._cold is not None:
            return msgspec.structs.replace(self._cold, needle={**self._cold.needle, "warm": True})
        self._cold = haystacks.straw(place, self._new_key())
        return self._cold

    def _spec(self, straw: Straw, place: NeedlePlace, number: int) -> RunSpec:
        plan = self._plan
        extra = self._target.adapter.caching_params() if plan.warm else {}
        return RunSpec(
            prompt=straw.prompt, params=RunParams(temperature=plan.temperature, max_tokens=plan.max_tokens, extra=extra), label=plan.label,
            bench_id=self.id, run_no=number, runs=plan.total, needle=straw.needle, expected_prefill_s=self._expected_s(place),
        )  # fmt: skip

    def _learn(self, haystacks: Haystacks, straw: Straw, record: RunRecord) -> None:
        """The server's own count of what was sent beats every way of counting before."""
        counted = record.prompt_tokens
        if counted is None or "cached_prompt" in record.flags:
            return
        off_by = counted / straw.needle["length"] - 1
        if haystacks.counter.estimated or abs(counted / straw.needle["length_tokens"] - 1) > _OFF_BY:
            haystacks.counter = by_usage(straw.prompt.text, counted)
        if abs(off_by) > _OFF_BY:
            much = f"{abs(off_by):.1%} {'more' if off_by > 0 else 'less'} than asked"
            text = f"The prompt was {counted:,} tokens, {much}; the next ones are sized by that."
            self._emitter.emit(Warning(run_id=record.id, code="needle_length", text=text))

    def _unsent(self, spec: RunSpec, why: str) -> RunRecord:
        """The row of a prompt that is not worth sending."""
        run_id, now_ns = self._new_key(), time.perf_counter_ns()
        started = RunStarted(
            run_id=run_id, prompt=spec.prompt.info(keep_text=False), params=spec.params, t_send_ns=now_ns, label=spec.label,
            started_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"), bench_id=spec.bench_id,
            run_no=spec.run_no, runs=spec.runs, server=self._target.info, needle=spec.needle,
        )  # fmt: skip
        state = RunState()
        state.fold(self._emitter.emit(started))
        error = f"The prompt {why}; it was not sent."
        record = record_of(state, status="failed", server=self._target.info, error=error, needle={"found": None})
        self._emitter.emit(RunDone(run_id=run_id, status="failed", record=record, error=record.error))
        return record

    def _expected_s(self, place: NeedlePlace) -> float | None:
        return None if place.warm else self._rates.expected_s(self._target.info, place.length)

    def _eta_s(self, left: Sequence[NeedlePlace]) -> float | None:
        """Seconds for the prompts that are left; None where no prefill of such a size is known."""
        answer_s = sum(self._answer_s) / len(self._answer_s) if self._answer_s else 0.0
        waits = [0.0 if place.warm else self._expected_s(place) for place in left]
        known = [wait for wait in waits if wait is not None]
        return sum(known) + answer_s * len(left) if len(known) == len(waits) else None

    def _new_key(self) -> str:
        return new_id(time.time(), secrets.token_bytes(8))
