"""Everything a screen shows, as a fold of the event stream: server, runs, log, plan, memory. Pure; O(1) per event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from sparktui.core.events import (
    AnyEvent,
    Bye,
    Chunk,
    ErrorEvent,
    Hello,
    Idle,
    Joined,
    LogLine,
    LogState,
    MemoryNow,
    Plan,
    PlanProgress,
    Retry,
    RunDone,
    RunStarted,
    Server,
    Usage,
    Waiting,
    Warning,
)
from sparktui.core.liverun import LiveRun
from sparktui.core.log.logrecord import LogRecord
from sparktui.core.log.logring import LogRing
from sparktui.core.records import RunRecord, ServerInfo

LOG_RECORDS = 2_000
_TELLING_TOKENS = 50


class Revisions:
    """Counters that grow when a part of the state changes, so that a painter knows without comparing."""

    def __init__(self) -> None:
        self.server = self.run = self.log = self.history = self.plan = self.memory = self.trouble = 0

    def sum(self) -> int:
        """Changes of any part."""
        return self.server + self.run + self.log + self.history + self.plan + self.memory + self.trouble


class SessionState:
    """The state of one event stream. `current` is the run on screen: the newest one started while no other was being shown."""

    def __init__(self, *, chars_per_token: float | None = None, log_records: int = LOG_RECORDS) -> None:
        self.rev = Revisions()
        self.hello: Hello | None = None
        self.server: Server | None = None
        self.idle: Idle | None = None
        self.memory: MemoryNow | None = None
        self.memory_peak_used: int | None = None
        self.memory_least_free: int | None = None
        self.plan: Plan | None = None
        self.progress: PlanProgress | None = None
        self.current: LiveRun | None = None
        self.active: dict[str, LiveRun] = {}
        self._log = LogRing(log_records)
        self.log_state: LogState | None = None
        self.log_links: dict[int, str] = {}
        self.error: ErrorEvent | None = None
        self.bye: Bye | None = None
        self.chars_per_token = chars_per_token
        self._records: dict[str, RunRecord] = {}
        self._sorted: list[RunRecord] | None = None
        self._earlier: tuple[str, int, RunRecord | None] | None = None

    @property
    def info(self) -> ServerInfo | None:
        """The server as it is known now, else as the run on screen recorded it."""
        if self.server is not None and self.server.info is not None:
            return self.server.info
        return self.current.started.server if self.current is not None else None

    @property
    def simulated(self) -> bool:
        return self.info is not None and self.info.kind == "demo"

    @property
    def log(self) -> Sequence[LogRecord]:
        """The newest records of the log, the oldest of them first."""
        records = self._log.records
        if len(self.log_links) > len(records):
            self.log_links = {n: run_id for n, run_id in self.log_links.items() if n >= records[0].n} if records else {}
        return records

    @property
    def log_count(self) -> int:
        """Records of the log in all, those that are held no longer among them."""
        return self._log.count

    @property
    def records(self) -> list[RunRecord]:
        """Finished runs, newest first, without their texts."""
        if self._sorted is None:
            self._sorted = sorted(self._records.values(), key=lambda record: (record.started_at, record.id), reverse=True)
        return self._sorted

    @property
    def record_count(self) -> int:
        return len(self._records)

    def record(self, run_id: str) -> RunRecord | None:
        return self._records.get(run_id)

    def put_records(self, records: Iterable[RunRecord]) -> None:
        """Take in runs from the history; a run that is known already is replaced."""
        for record in records:
            self._put(record)

    def forget(self, run_ids: Iterable[str]) -> None:
        """Runs that were deleted from the history."""
        for run_id in run_ids:
            self._records.pop(run_id, None)
        self._sorted = None
        self.rev.history += 1

    def earlier_of_cell(self, run: LiveRun) -> RunRecord | None:
        """The newest finished run of the same label, server, model, prompt and parameters whose draft figures are known."""
        if self._earlier is None or self._earlier[:2] != (run.run_id, self.rev.history):
            found = next((record for record in self.records if record.id != run.run_id and _earlier_of_cell(record, run.started)), None)
            self._earlier = (run.run_id, self.rev.history, found)
        return self._earlier[2]

    def fold(self, event: AnyEvent) -> None:
        """Take in one event. Events of unknown runs, and events a screen has no use for, change nothing."""
        name = _HANDLERS.get(type(event))
        if name is not None:
            getattr(self, name)(event)

    def _hello(self, event: Hello) -> None:
        if self.hello is not None and self.hello.session != event.session:
            # another process: what it did not finish comes again as a finished run, from its journal
            self.plan = self.progress = None
            # it has no server yet, and a key that sends it a run must not say otherwise
            self.server = self.idle = None
            # its log is numbered from 1 again
            self._log.begin()
            self.log_links.clear()
            if not event.keep_history:
                self.active.clear()
                self.current = None
        self.hello = event
        self.bye = None
        self.rev.server += 1

    def _server(self, event: Server) -> None:
        self.server = event
        self.rev.server += 1

    def _idle(self, event: Idle) -> None:
        self.idle = event
        self.rev.server += 1

    def _plan(self, event: Plan) -> None:
        self.plan = event
        self.progress = None
        self.rev.plan += 1

    def _plan_progress(self, event: PlanProgress) -> None:
        self.progress = event
        self.rev.plan += 1

    def _run_started(self, event: RunStarted) -> None:
        run = LiveRun(event, self.chars_per_token)
        before = self.active.get(event.run_id)
        if before is not None:
            run.retries = before.retries
        self.active[event.run_id] = run
        if self.current is None or self.current.done or self.current.run_id == event.run_id:
            self._show(run)

    def _waiting(self, event: Waiting) -> None:
        if (run := self.active.get(event.run_id)) is not None:
            run.waiting = event
            self.rev.run += 1

    def _chunk(self, event: Chunk) -> None:
        if (run := self.active.get(event.run_id)) is not None:
            run.chunk(event)
            self.rev.run += 1

    def _usage(self, event: Usage) -> None:
        if (run := self.active.get(event.run_id)) is not None:
            run.usage(event)
            self.rev.run += 1

    def _retry(self, event: Retry) -> None:
        if (run := self.active.get(event.run_id)) is not None:
            run.retries.append(event)
            self.rev.run += 1

    def _warning(self, event: Warning) -> None:
        if (run := self.active.get(event.run_id)) is not None:
            run.warnings.append(event)
            self.rev.run += 1

    def _run_done(self, event: RunDone) -> None:
        run = self.active.pop(event.run_id, None)
        if run is not None:
            run.finish(event.record, event.t_ns)
            self._learn_ratio(run, event.record)
        self._put(event.record)
        self.rev.run += 1

    def _joined(self, event: Joined) -> None:
        self._put(event.record)
        if event.n is not None:
            self.log_links[event.n] = event.run_id
            self.rev.log += 1
        if self.current is not None and self.current.run_id == event.run_id and self.current.done:
            self.current.record = self._records[event.run_id]
            self.rev.run += 1

    def _log_line(self, event: LogLine) -> None:
        self._log.add(event)
        self.rev.log += 1

    def run_of_log(self, n: int) -> str:
        """The id of the run that log record `n` belongs to, "" where none does or it is not known yet."""
        return self.log_links.get(n, "")

    def log_of_run(self, run_id: str) -> int | None:
        """The newest log record held here that belongs to a run."""
        oldest = next(iter(self.log), None)
        return max((n for n, owner in self.log_links.items() if owner == run_id and oldest is not None and n >= oldest.n), default=None)

    def _log_state(self, event: LogState) -> None:
        self.log_state = event
        self.rev.log += 1

    def _memory(self, event: MemoryNow) -> None:
        self.memory = event
        self.memory_peak_used = max(self.memory_peak_used or 0, event.used)
        self.memory_least_free = min(self.memory_least_free if self.memory_least_free is not None else event.available, event.available)
        self.rev.memory += 1

    def _error(self, event: ErrorEvent) -> None:
        self.error = event
        self.rev.trouble += 1

    def _bye(self, event: Bye) -> None:
        self.bye = event
        self.rev.trouble += 1

    def _show(self, run: LiveRun) -> None:
        self.current = run
        self.memory_peak_used = self.memory.used if self.memory is not None else None
        self.memory_least_free = self.memory.available if self.memory is not None else None
        self.rev.run += 1

    def _put(self, record: RunRecord) -> None:
        self._records[record.id] = msgspec.structs.replace(record, text=None, reasoning=None, tool_calls=None, timeline=None)
        self._sorted = None
        self.rev.history += 1

    def _learn_ratio(self, run: LiveRun, record: RunRecord) -> None:
        """Characters per token as this model's finished runs measure them; a short answer says too little."""
        tokens = record.completion_tokens
        if record.status == "ok" and not record.tokens_estimated and tokens is not None and tokens >= _TELLING_TOKENS:
            self.chars_per_token = run.measured_ratio(tokens) or self.chars_per_token


def _place(server: ServerInfo) -> tuple[str, str, str]:
    return server.kind, server.base_url, server.model


def _earlier_of_cell(record: RunRecord, started: RunStarted) -> bool:
    return (
        record.acceptance_rate is not None
        and record.prompt.sha256 == started.prompt.sha256
        and record.params == started.params
        and record.label == started.label
        and (started.server is None or _place(record.server) == _place(started.server))
    )


_HANDLERS: Mapping[type, str] = {
    Hello: "_hello", Server: "_server", Idle: "_idle", Plan: "_plan", PlanProgress: "_plan_progress", RunStarted: "_run_started",
    Waiting: "_waiting", Chunk: "_chunk", Usage: "_usage", Retry: "_retry", Warning: "_warning", RunDone: "_run_done",
    Joined: "_joined", LogLine: "_log_line", LogState: "_log_state", MemoryNow: "_memory", ErrorEvent: "_error", Bye: "_bye",
}  # fmt: skip
