"""Everything around one measured run: is the server idle, what is the baseline, what do log and counters add. One for a session."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sparktui.core.config import Config
from sparktui.core.delta import ServerFigures
from sparktui.core.events import Idle, Joined
from sparktui.core.figures.drafting import derive
from sparktui.core.figures.joining import apply_figures
from sparktui.core.ids import new_id
from sparktui.core.plans import RunSpec
from sparktui.core.records import RunRecord
from sparktui.core.stats.baseline import Baseline
from sparktui.engine.plans.prefillrates import PrefillRates
from sparktui.engine.running.baselines import Baselines
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.running.run import run_once
from sparktui.engine.running.ticker import MemorySampler
from sparktui.engine.server.counters import CounterWatch
from sparktui.engine.server.idle import check_idle
from sparktui.engine.server.target import Target
from sparktui.errors import SparkError
from sparktui.io.log.logopen import open_source
from sparktui.io.log.logpath import PathSource
from sparktui.io.log.logsource import LogSource
from sparktui.io.store.history import History
from sparktui.servers.registry import adapter_for

if TYPE_CHECKING:
    from sparktui.engine.hosting.logfeed import LogFeed

_IDLE_WAITS_S = (0.5, 1.0, 2.0)


class Measuring:
    """Measures runs against `target` (or others beside it). Follows the server's log, if there is one, from here until `close`.

    `last_error` is the error behind the latest run that failed or was cut off. `rates`: how long prefills may be expected to take.
    Without a `target` the configured log is followed all the same; `memory` may be set once the server is known.
    """

    def __init__(
        self,
        target: Target | None,
        emitter: Emitter,
        config: Config,
        *,
        history: History | None = None,
        memory: MemorySampler | None = None,
        masked: Sequence[str] = (),
    ) -> None:
        self.last_error: SparkError | None = None
        self._emitter = emitter
        self.memory = memory
        self.rates = PrefillRates(history)
        self._baselines = Baselines(history, config.baseline_tok_s)
        self._used: dict[str, Baseline | None] = {}
        demo = target.demo if target is not None else None
        source = PathSource(str(demo.log_path)) if demo is not None else open_source(config.log)
        self._feed = self._follow(source, masked) if source is not None else None

    def _follow(self, source: LogSource, masked: Sequence[str]) -> LogFeed:
        # the grammars of all servers take 20 ms to import, which a run without a log need not wait for
        from sparktui.engine.hosting.logfeed import LogFeed

        feed = LogFeed(source, self._emitter, apply=self._apply, secrets=masked)
        self._emitter.add(feed)
        feed.start()
        return feed

    def close(self) -> None:
        """Stop following the log."""
        if self._feed is not None:
            self._emitter.remove(self._feed)
            self._feed.stop()

    def run(self, target: Target, spec: RunSpec, emitter: Emitter, cancel: Cancel) -> RunRecord:
        """Measure one run and return its record as it was done; what the log adds comes as a Joined event before this returns.

        The server is given some seconds to become idle first; not for runs made at once, which would wait for each other.
        """
        run_id = new_id(time.time(), secrets.token_bytes(8))
        self._used[run_id] = baseline = self._baselines.of(spec, target.info)
        idle = self._wait_idle(target, emitter, cancel) if spec.together == 1 else None
        counters = CounterWatch(lambda get: target.client.get(get, cancel), target.adapter.metrics_path)
        before = counters.read() if idle else None
        record = run_once(
            target, spec, emitter, cancel, run_id=run_id, keep_text=True, idle_checked=idle is True, busy=idle is False,
            baseline=baseline, memory=self.memory, on_error=self._note_error,
        )  # fmt: skip
        self._baselines.note(record)
        if record.status == "ok":
            self._join(record, counters.after(before, record.completion_tokens, cancel), cancel)
        return record

    def hold_against_baseline(self, records: Sequence[RunRecord]) -> None:
        """Speed-up and step cost of runs that were made before their baseline was; what changes is told as Joined events."""
        for record in records:
            baseline = self._baselines.against(record) if record.status == "ok" else None
            if baseline is None:
                continue
            filled = derive(record, adapter_for(record.server.kind).steps_checked, baseline)
            if filled != record:
                self._used[record.id] = baseline
                self._emitter.emit(Joined(run_id=record.id, source="baseline", record=filled))

    def _join(self, record: RunRecord, counted: ServerFigures | None, cancel: Cancel) -> None:
        """Add what the metrics endpoint and the log say about a run that is done."""
        if counted is not None:
            filled = self._apply(record, counted)
            joined = Joined(
                run_id=record.id, source="metrics_endpoint", scope=counted.acceptance_scope or "request", record=filled,
                accepted=counted.draft_accepted, proposed=counted.draft_proposed,
            )  # fmt: skip
            self._emitter.emit(joined)
        if self._feed is not None:
            self._feed.wait_joined(record.id, cancel)

    def _wait_idle(self, target: Target, emitter: Emitter, cancel: Cancel) -> bool | None:
        """True: idle. False: still busy with someone else. None: the server cannot say."""
        for wait_s in (*_IDLE_WAITS_S, None):
            state = check_idle(target, cancel)
            if state.busy is None:
                return None
            emitter.emit(Idle(busy=state.busy, source=state.source))
            if not state.busy:
                return True
            if wait_s is None or cancel.wait(wait_s):
                break
        return False

    def _note_error(self, error: SparkError) -> None:
        self.last_error = error

    def _apply(self, record: RunRecord, figures: ServerFigures) -> RunRecord:
        steps_checked = adapter_for(record.server.kind).steps_checked
        filled = apply_figures(record, figures, steps_checked=steps_checked, baseline=self._used.get(record.id))
        self._baselines.note(filled)
        return filled
