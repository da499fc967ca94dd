"""Which line of the log belongs to which run. Pure: events and records come in with their arrival time, joined runs come out.

By request id where the server prints one; by task only when exactly one request was at work while the run ran; never by comparing
clocks, and never a line that was there before the run. What the HTTP answer said stays; the log fills what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
from msgspec import Struct, field

from sparktui.core.delta import ServerFigures
from sparktui.core.events import Joined, RunDone, RunStarted
from sparktui.core.log.logrecord import Generation, LogRecord
from sparktui.core.log.traffic import LATE_NS, NS, Activity, Traffic
from sparktui.core.records import Flag, RunRecord

WAIT_S = 3.0
_HEX_ID = re.compile(r"(?:[a-z]+-)?([0-9a-f]{32})")
_KEPT_RUNS = 500
_FRUITLESS_RUNS = 3

Apply = Callable[[RunRecord, ServerFigures], RunRecord]
"""Fills what a record does not know yet from a server's figures and derives the rest (core.metrics.apply_figures, bound)."""


class _Run(Struct, gc=False):
    """One of our runs. `record` is the run without the log; the log's figures are always applied to that one."""

    run_id: str
    start_ns: int
    end_ns: int | None = None
    record: RunRecord | None = None
    request: str = ""
    generations: dict[int, Generation] = field(default_factory=dict)
    n: int | None = None
    crowded: bool = False
    told_crowd: bool = False
    expired: bool = False
    settled: bool = False


class Joiner:
    """Feed it every RunStarted, RunDone and log record, in any order, and `tick` while `waits()`."""

    def __init__(self, apply: Apply, wait_s: float = WAIT_S) -> None:
        self._apply = apply
        self._wait_ns = int(wait_s * NS)
        self._runs: dict[str, _Run] = {}
        self._by_request: dict[str, _Run] = {}
        self._early: dict[str, tuple[dict[int, Generation], int]] = {}
        self._traffic = Traffic()
        self._requests_seen = self._intervals_seen = False
        self._fruitless = 0

    def waits(self, run_id: str | None = None) -> bool:
        """Whether this run (or any) is done and a line of the log may still be joined to it: it ended well, is not joined, its 3 s are
        not over, and this log is of a kind that has lines of single requests (none seen in three runs: not waited for any more)."""
        if self._fruitless >= _FRUITLESS_RUNS or (self._intervals_seen and not self._requests_seen):
            return False
        runs = self._runs.values() if run_id is None else [run for run in (self._runs.get(run_id),) if run]
        return any(run.record is not None and run.record.status == "ok" and not run.expired and not run.generations for run in runs)

    def knows_end(self, run_id: str) -> bool:
        """Whether this run's end has been taken in."""
        run = self._runs.get(run_id)
        return run is not None and run.record is not None

    def unsettled(self) -> bool:
        """Whether `tick` still has something to decide."""
        return any(run.end_ns is not None and not run.settled for run in self._runs.values())

    def restarted(self, now_ns: int) -> None:
        """Another log file begins: the requests that were open are over."""
        self._traffic.end_all(now_ns)

    def started(self, event: RunStarted, now_ns: int) -> None:
        """A run's request is on its way. Comes again after a retry: lines of the attempt before count no more."""
        self._runs.pop(event.run_id, None)
        self._runs[event.run_id] = _Run(event.run_id, now_ns)
        if len(self._runs) > _KEPT_RUNS:
            forgotten = self._runs.pop(next(iter(self._runs)))
            self._by_request.pop(forgotten.request, None)

    def done(self, event: RunDone, now_ns: int) -> list[Joined]:
        """A run has ended: what the log already said about it, joined."""
        run = self._runs.get(event.run_id)
        if run is None:
            run = self._runs[event.run_id] = _Run(event.run_id, now_ns)
        run.end_ns, run.record = now_ns, event.record
        run.request = request_hex(event.record.request_id)
        early = self._early.pop(run.request, None) if run.request else None
        if run.request:
            self._by_request[run.request] = run
        if early is not None:
            run.generations, run.n = early
        return self._look(run, now_ns, changed=early is not None)

    def log(self, record: LogRecord, now_ns: int, *, live: bool = True) -> list[Joined]:
        """A log record has arrived. `live` False: it was written before following began: only an id can join it."""
        activity = self._traffic.note(record, now_ns) if live else None
        generation = record.generation
        if generation is None:
            return []
        if generation.scope != "request":
            self._intervals_seen = True
            if live:
                self._crowd(generation)
            return []
        if generation.note == "live":
            return []
        self._requests_seen, self._fruitless = True, 0
        if generation.request_id:
            return self._by_id(generation, record.n) + self._look_all(now_ns)
        return self._look_all(now_ns) if activity is not None else []

    def revised(self, event: Joined) -> None:
        """Something else than the log (a metrics endpoint) told more about a run that is done: what the log says is added to that."""
        run = self._runs.get(event.run_id)
        if run is not None and event.scope == "request":
            run.record = event.record

    def tick(self, now_ns: int) -> list[Joined]:
        """Time has passed: runs whose wait is over are settled, with a line that no later one can make ambiguous any more."""
        out: list[Joined] = []
        for run in list(self._runs.values()):
            if run.end_ns is None or run.settled or now_ns < run.end_ns + self._wait_ns:
                continue
            out += self._look(run, now_ns)
            if not run.expired:
                run.expired = True
                self._fruitless += not run.generations and not self._requests_seen
            run.settled = not self._overlapping_own(run, unfinished=True)
        return out

    def _by_id(self, generation: Generation, n: int) -> list[Joined]:
        request, choice = generation.request_id or "", generation.choice or 0
        run = self._by_request.get(request)
        if run is None:
            # the line may come before the run's end is known here
            known = self._early.setdefault(request, ({}, n))
            known[0].setdefault(choice, generation)
            if len(self._early) > _KEPT_RUNS:
                del self._early[next(iter(self._early))]
            return []
        if choice in run.generations:
            return []
        run.generations[choice] = generation
        run.n = run.n or n
        return self._tell(run)

    def _look_all(self, now_ns: int) -> list[Joined]:
        open_runs = [run for run in self._runs.values() if run.record is not None and not run.settled]
        return [joined for run in open_runs for joined in self._look(run, now_ns)]

    def _look(self, run: _Run, now_ns: int, *, changed: bool = False) -> list[Joined]:
        """Join by task where that is certain, and see whether somebody else was at work."""
        assert run.end_ns is not None
        present = [activity for activity in self._traffic if activity.overlaps(run.start_ns, run.end_ns)]
        if not run.generations:
            found = self._only_one(run, present, now_ns)
            if found is not None and found.generation is not None:
                run.generations[0], run.n, run.request = found.generation, found.n, found.name
                self._by_request[found.name] = run
                changed = True
        if not run.crowded and self._others(run, present):
            run.crowded = True
        return self._tell(run) if changed or run.crowded > run.told_crowd else []

    def _only_one(self, run: _Run, present: list[Activity], now_ns: int) -> Activity | None:
        """The one request without an id that can only be this run's; None while it is not certain."""
        assert run.end_ns is not None and run.record is not None
        if run.request or self._overlapping_own(run):
            return None
        if not present:
            # the whole block of a very short run may arrive after it
            present = [one for one in self._unclaimed() if one.start_ns is not None and 0 <= one.start_ns - run.end_ns <= LATE_NS]
        if len(present) != 1:
            return None
        activity = present[0]
        generation = activity.generation
        if generation is None or generation.request_id or activity.name in self._by_request or not _agrees(generation, run.record):
            return None
        certain = activity.begun and activity.start_ns is not None and activity.start_ns >= run.start_ns
        return activity if certain or now_ns >= run.end_ns + self._wait_ns else None

    def _unclaimed(self) -> list[Activity]:
        return [activity for activity in self._traffic if activity.name not in self._by_request]

    def _others(self, run: _Run, present: list[Activity]) -> bool:
        """Whether more requests were at work than our own runs explain."""
        own = [run, *self._overlapping_own(run)]
        known = {one.request for one in own if one.request}
        strangers = [activity for activity in present if activity.name not in known and activity.name not in self._by_request]
        return len(strangers) > sum(1 for one in own if not one.request)

    def _overlapping_own(self, run: _Run, *, unfinished: bool = False) -> list[_Run]:
        end_ns = run.end_ns if run.end_ns is not None else run.start_ns
        return [
            other
            for other in self._runs.values()
            if other is not run
            and other.start_ns < end_ns
            and (other.end_ns is None if unfinished else other.end_ns is None or other.end_ns > run.start_ns)
        ]

    def _crowd(self, generation: Generation) -> None:
        """An interval line counts the requests in the server: more than ours means that others are there."""
        present = (generation.running or 0) + (generation.waiting or 0)
        active = [run for run in self._runs.values() if run.end_ns is None]
        if active and present > len(active):
            for run in active:
                run.crowded = True

    def _tell(self, run: _Run) -> list[Joined]:
        run.told_crowd = run.crowded
        figures = figures_of(run.generations) if run.generations else ServerFigures()
        accepted, proposed = figures.draft_accepted, figures.draft_proposed
        return [Joined(run_id=run.run_id, source="log", record=self._result(run), accepted=accepted, proposed=proposed, n=run.n)]

    def _result(self, run: _Run) -> RunRecord:
        record = run.record
        assert record is not None
        if run.generations:
            record = self._apply(record, figures_of(run.generations))
        return _flagged(record, "other_traffic", "not_idle") if run.crowded else record


def request_hex(request_id: str | None) -> str:
    """The 32 hex digits TabbyAPI logs, out of the `chatcmpl-…` of the stream; "" for ids of another form."""
    found = _HEX_ID.fullmatch(request_id or "")
    return found[1] if found else ""


def is_requeued(generation: Generation) -> bool:
    """cached + new ≠ context: the server requeued the job inside, its draft counters cover the last part only (TabbyAPI, exllamav3)."""
    parts = (generation.cached_tokens, generation.new_tokens)
    return generation.prompt_tokens is not None and None not in parts and sum(part or 0 for part in parts) != generation.prompt_tokens


def figures_of(generations: dict[int, Generation]) -> ServerFigures:
    """What the lines of one request (one a choice) say, counts summed over the choices, times and rates of the first.

    Decode and prefill seconds that are not printed follow from the printed rates: tokens ÷ rate.
    """
    first = generations[min(generations)]
    accepted, proposed = _sum(generations, "draft_accepted"), _sum(generations, "draft_proposed")
    drafted = bool(proposed)
    return ServerFigures(
        prompt_tokens=first.prompt_tokens,
        cached_tokens=first.cached_tokens,
        new_tokens=first.new_tokens,
        completion_tokens=_sum(generations, "completion_tokens"),
        queue_s=first.queue_s,
        prefill_s=first.prefill_s if first.prefill_s is not None else _over(first.new_tokens, first.prefill_tok_s),
        prefill_tok_s=first.prefill_tok_s,
        decode_s=first.decode_s if first.decode_s is not None else _over(first.completion_tokens, first.server_tok_s),
        server_tok_s=first.server_tok_s,
        total_s=first.total_s,
        draft_accepted=accepted if drafted else None,
        draft_proposed=proposed if drafted else None,
        verify_steps=first.verify_steps if drafted else None,
        acceptance_source="log" if drafted else None,
        acceptance_scope="request" if drafted else None,
    )


def _sum(generations: dict[int, Generation], name: str) -> int | None:
    values = [value for one in generations.values() if (value := getattr(one, name)) is not None]
    return sum(values) if values else None


def _over(tokens: int | None, tok_s: float | None) -> float | None:
    return tokens / tok_s if tokens is not None and tok_s else None


def _agrees(generation: Generation, record: RunRecord) -> bool:
    """Whether line and run can be the same: equal token counts, where both are counted."""
    if generation.completion_tokens is None or record.completion_tokens is None or record.tokens_estimated:
        return True
    return generation.completion_tokens == record.completion_tokens


def _flagged(record: RunRecord, *flags: Flag) -> RunRecord:
    missing = tuple(flag for flag in flags if flag not in record.flags)
    return msgspec.structs.replace(record, flags=record.flags + missing) if missing else record
