"""What a session left behind: its finished runs, and the unfinished ones as `cut_off` with everything that had arrived."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path

from sparktui.core.events import Hello, Joined, RunDone, RunStarted
from sparktui.core.figures.metrics import record_of
from sparktui.core.figures.state import RunState
from sparktui.core.records import RunRecord, ServerInfo
from sparktui.errors import StorageError
from sparktui.io.store.history import History
from sparktui.io.store.journal import read_journal
from sparktui.io.store.rows import without_texts
from sparktui.io.store.sessions import Session, journals, prune_journals, session_at
from sparktui.io.store.slimming import slim_journal
from sparktui.servers.registry import adapter_for

CUT_OFF = "The measuring process ended before the run did; what had arrived by then was taken from its journal."
_UNKNOWN_SERVER = ServerInfo(kind="openai", base_url="")


def recover(journal: Path) -> list[RunRecord]:
    """Every run of a journal in the order of their starts: as its last record says, or `cut_off` where none was written.

    [] for a session that was not to be stored. Raises StorageError where the journal cannot be read.
    """
    runs: dict[str, RunState] = {}
    for event in read_journal(journal):
        if isinstance(event, Hello) and not event.keep_history:
            return []
        if isinstance(event, RunStarted):
            runs.setdefault(event.run_id, RunState())
        run_id = event.record.id if isinstance(event, Joined) else getattr(event, "run_id", "")
        if isinstance(event, RunDone | Joined):
            runs.setdefault(run_id, RunState()).record = event.record
        elif run_id in runs:
            runs[run_id].fold(event)
    return [state.record or _cut_off(state) for state in runs.values()]


def recover_into(history: History, folder: Path, *, keep_text: bool = True, skip: Sequence[str] = ()) -> list[RunRecord]:
    """Store what the journals of sessions that are over hold and the history does not; returns the runs added.

    Each journal is looked through once, and where texts are not to be kept it then loses its own; runs deleted from the history stay
    deleted. A journal that cannot be read is passed over, one of a session in `skip` is left for another time.
    """
    added = []
    for name in history.unsettled([item for item in _names_and_sizes(folder) if Path(item[0]).stem not in skip]):
        with contextlib.suppress(StorageError, FileNotFoundError):
            session = session_at(folder / name)
            if session.state != "running" and session.hello is not None:
                added += _recover_one(history, session, keep_text)
    return added


def tidy(
    history: History,
    folder: Path,
    *,
    keep_text: bool = True,
    days: float = 14,
    megabytes: float = 500,
    now_s: float | None = None,
    skip: Sequence[str] = (),
) -> list[RunRecord]:
    """Recover what ended sessions left (the runs are returned), then clear old journals away; those not yet recovered stay.

    A history that cannot be written changes nothing. The journals of the sessions in `skip` are not touched.
    """
    if history.read_only:
        return []
    added = recover_into(history, folder, keep_text=keep_text, skip=skip)
    unsettled = history.unsettled(_names_and_sizes(folder))
    keep = [*skip, *(Path(name).stem for name in unsettled if _holds_runs(folder / name))]
    prune_journals(folder, days=days, megabytes=megabytes, now_s=time.time() if now_s is None else now_s, keep=keep)
    return added


def _holds_runs(journal: Path) -> bool:
    try:
        return session_at(journal).hello is not None
    except FileNotFoundError:
        return False


def _names_and_sizes(folder: Path) -> list[tuple[str, int]]:
    return [(path.name, size) for path, size, _ in journals(folder)]


def _recover_one(history: History, session: Session, keep_text: bool) -> list[RunRecord]:
    missing = [record for record in recover(session.path) if not history.has(record.id)]
    if missing:
        history.add_all([record if keep_text else without_texts(record) for record in missing])
    history.settle(session.path.name, session.size_bytes)
    if not keep_text:
        # one that cannot be written now is cleared away with its age
        with contextlib.suppress(StorageError):
            slim_journal(session.path)
    return missing


def _cut_off(state: RunState) -> RunRecord:
    started = state.started
    server = (started.server if started else None) or _UNKNOWN_SERVER
    return record_of(
        state,
        status="cut_off",
        finish_reason=None,
        error=CUT_OFF,
        server=server,
        steps_checked=adapter_for(server.kind).steps_checked,
        baseline=None,
        chars_per_token=None,
    )
