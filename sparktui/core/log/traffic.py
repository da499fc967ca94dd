"""Who was at work in the server, as its log tells it: requests by name, with the moments their lines arrived. Pure; time comes in.

Arrival is what counts: the log's own clock may be another machine's, another zone's, or none.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sparktui.core.log.logrecord import Generation, LogRecord

NS = 1_000_000_000
# a line may arrive this late (poll of a network folder): a request that ends so soon after a run began was over before it
LATE_NS = NS // 2
# a request that was opened and never heard of again is not taken for one at work for ever
_FORGOTTEN_NS = 600 * NS
_KEPT = 1000


class Activity(Struct, gc=False):
    """One request the log speaks of. `begun` False: its first line was not seen, `start_ns` is what its own duration says, or None.
    `heard_ns`: its newest line."""

    name: str
    start_ns: int | None = None
    end_ns: int | None = None
    heard_ns: int = 0
    begun: bool = False
    generation: Generation | None = None
    n: int | None = None

    def overlaps(self, start_ns: int, end_ns: int) -> bool:
        """Whether it was at work between two moments, late lines allowed for."""
        began = self.start_ns if self.start_ns is not None else self.end_ns
        if began is None or began > end_ns:
            return False
        if self.end_ns is None:
            return self.heard_ns + _FORGOTTEN_NS > start_ns
        return self.end_ns > start_ns + LATE_NS


def name_of(generation: Generation, n: int) -> str:
    """What tells its request from others: id, task, or (neither is printed) the record's own number."""
    if generation.request_id:
        return generation.request_id
    return f"task {generation.task}" if generation.task is not None else f"record {n}"


class Traffic:
    """Requests by name, the oldest forgotten."""

    def __init__(self) -> None:
        self._all: dict[str, Activity] = {}

    def __iter__(self) -> Iterator[Activity]:
        return iter(self._all.values())

    def get(self, name: str) -> Activity | None:
        return self._all.get(name)

    def note(self, record: LogRecord, now_ns: int) -> Activity | None:
        """Take in one live record. Returns the request whose generation it tells, if it does."""
        if record.started:
            name = _request_name(record.started)
            self._all.pop(name, None)
            self._add(Activity(name, start_ns=now_ns, heard_ns=now_ns, begun=True))
        told = self._generation(record, now_ns)
        if record.ended:
            self._named(_request_name(record.ended), now_ns).end_ns = now_ns
        elif record.cancelled:
            # the line names no request: whoever was open may have ended, and is not counted from here on
            self.end_all(now_ns)
        return told

    def end_all(self, now_ns: int) -> None:
        """Whatever was open has ended (the server was started again)."""
        for activity in self._all.values():
            activity.end_ns = activity.end_ns or now_ns

    def _generation(self, record: LogRecord, now_ns: int) -> Activity | None:
        generation = record.generation
        if generation is None or generation.scope != "request":
            return None
        activity = self._named(name_of(generation, record.n), now_ns)
        if generation.note == "live":
            return None
        activity.generation, activity.n, activity.end_ns = generation, record.n, activity.end_ns or now_ns
        if activity.start_ns is None and generation.total_s is not None:
            activity.start_ns = now_ns - int(generation.total_s * NS)
        return activity

    def _named(self, name: str, now_ns: int) -> Activity:
        known = self._all.get(name) or self._add(Activity(name))
        known.heard_ns = now_ns
        return known

    def _add(self, activity: Activity) -> Activity:
        self._all[activity.name] = activity
        if len(self._all) > _KEPT:
            del self._all[next(iter(self._all))]
        return activity


def _request_name(text: str) -> str:
    """`started`/`ended` of a record: an id as it is, a bare number is a task."""
    return f"task {text}" if text.isdigit() and len(text) < 32 else text
