"""The runs that a report is of, by whatever name people give them: runs, labels, filters, sessions, files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from sparktui.core.records import RunRecord
from sparktui.errors import UsageError
from sparktui.io.store.history import History
from sparktui.io.store.importing import REFERENCE, read_runs
from sparktui.io.store.runsource import find_runs, is_file


def runs_of(names: Sequence[str], where: str = "") -> list[RunRecord]:
    """Every run that a name or the filter means, once, with prompt and timeline but without what was said; in order of time.

    Without either: the newest bench. `last` and a number after it are the newest runs. Raises UsageError, StorageError.
    """
    found: dict[str, RunRecord] = {}
    named = list(_counted(names))
    files = [name for name, count in named if count is None and _is_of_a_file(name)]
    for name in files:
        _keep(found, read_runs(REFERENCE) if name == REFERENCE else find_runs([name]))
    if len(files) < len(named) or where or not named:
        with History.open() as history:
            for name, count in named:
                if name not in files:
                    _keep(found, _named(history, name, count))
            if where:
                _keep(found, _whole(history, [run.id for run in _fitting(history, where)]))
            if not named and not where:
                _keep(found, _whole(history, _newest_bench(history)))
    return sorted(found.values(), key=lambda run: (run.started_at, run.id))


def _counted(names: Sequence[str]) -> Iterator[tuple[str, int | None]]:
    """The names; a number right after `last` belongs to it. Raises UsageError for `last 0`."""
    rest = list(names)
    while rest:
        name = rest.pop(0)
        if name == "last" and rest and rest[0].isascii() and rest[0].isdecimal():
            count = int(rest.pop(0))
            if count == 0:
                raise UsageError("The last 0 runs are none.", hint="last 3 are the three newest.")
            yield name, count
        else:
            yield name, None


def _is_of_a_file(name: str) -> bool:
    return name == REFERENCE or is_file(name)


def _named(history: History, name: str, count: int | None) -> Iterable[RunRecord]:
    from sparktui.cli.history_compare import side

    if count is not None:
        return _whole(history, [run.id for run in history.query(limit=count)])
    try:
        return _whole(history, [run.id for run in side(history, name).runs])
    except UsageError as error:
        path = _journal(name)
        if path is None:
            raise
        runs = list(read_runs(path))
        if not runs:
            raise UsageError(f"The session {name} holds no run.") from error
        return runs


def _journal(name: str) -> Path | None:
    """The journal of the session whose id begins so; None where no or several do."""
    from sparktui.io.store.findsession import session_named

    try:
        return session_named(name).path
    except UsageError:
        return None


def _fitting(history: History, where: str) -> list[RunRecord]:
    runs = list(history.stream(where, sort="started_at"))
    if not runs:
        raise UsageError(f"No run fits the filter {where!r}.")
    return runs


def _newest_bench(history: History) -> list[str]:
    """The runs of the newest run's bench, or that run alone where it has none."""
    newest = history.get("last", text=False)
    if newest.bench_id is None:
        return [newest.id]
    return [run.id for run in history.query(f'bench:"{newest.bench_id}"', limit=None)]


def _whole(history: History, ids: Iterable[str]) -> Iterator[RunRecord]:
    return (history.get(run_id, timeline=True) for run_id in ids)


def _keep(found: dict[str, RunRecord], runs: Iterable[RunRecord]) -> None:
    for run in runs:
        found.setdefault(run.id, msgspec.structs.replace(run, text=None, reasoning=None, tool_calls=None))
