"""The runs of the history by cell, as far as they are loaded; medians are worked out when they are due. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import nlargest

from msgspec import Struct

from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import Cell, CellKey, cell_key, cell_of, is_counted
from sparktui.report.runtable import guessed
from sparktui.tui.history.record_pool import RecordPool

# as many runs as their cells are worked out from; whoever has more narrows them down with a filter
MOST_RUNS = 10_000
# while runs come in, a cell is worked out again when it has grown by a quarter
_GROWN = 1.25
_MEDIANS = {
    "client": "client_tok_s", "server": "server_tok_s", "ttft": "ttft_s", "per_chunk": "tokens_per_chunk", "per_step": "tokens_per_step"
}  # fmt: skip


class CellEntry(Struct, frozen=True):
    """One cell: its runs in order of time, their figures, and the names of the figures that are estimates in any of them."""

    key: CellKey
    runs: tuple[RunRecord, ...]
    cell: Cell
    guessed: frozenset[str] = frozenset()


class HistoryBook:
    """`add` runs, then `entries` are the cells, the one with the newest run first. `version` grows with every change."""

    def __init__(self) -> None:
        self.version = 0
        self._pool = RecordPool()
        self._runs: dict[str, RunRecord] = {}
        self._groups: dict[CellKey, dict[str, RunRecord]] = {}
        self._keys: dict[str, CellKey] = {}
        self._entries: dict[CellKey, CellEntry] = {}
        self._dirty: set[CellKey] = set()

    def __len__(self) -> int:
        """Runs in it."""
        return len(self._runs)

    def run(self, run_id: str) -> RunRecord | None:
        return self._runs.get(run_id)

    def newest(self, count: int) -> list[RunRecord]:
        """The newest runs."""
        return nlargest(count, self._runs.values(), key=lambda run: (run.started_at, run.id))

    def key_of(self, run_id: str) -> CellKey | None:
        """The cell of a run that is in the book."""
        return self._keys.get(run_id)

    def add(self, records: Iterable[RunRecord]) -> int:
        """Take in runs, or what is newly known of them; returns how many were new or different."""
        changed = 0
        for record in records:
            shared = self._pool.share(record)
            if self._runs.get(record.id) == shared:
                continue
            self._take_out(record.id)
            key = cell_key(shared)
            self._runs[record.id] = shared
            self._keys[record.id] = key
            self._groups.setdefault(key, {})[record.id] = shared
            self._dirty.add(key)
            changed += 1
        self.version += bool(changed)
        return changed

    def remove(self, run_ids: Iterable[str]) -> None:
        """Runs that are no more."""
        for run_id in run_ids:
            self._take_out(run_id)
            self._runs.pop(run_id, None)
        self.version += 1

    def clear(self) -> None:
        """An empty book: another filter."""
        for part in (self._runs, self._groups, self._keys, self._entries, self._dirty):
            part.clear()
        self.version += 1

    @property
    def keys(self) -> list[CellKey]:
        """Every cell there is, also those that are not worked out yet."""
        return list(self._groups)

    @property
    def counted_best(self) -> float:
        """The highest median client rate: where the common scale of the bars ends. 0 where no cell has one."""
        return max((entry.cell.medians.get("client_tok_s", 0.0) for entry in self._entries.values()), default=0.0)

    def work(self, *, loading: bool) -> bool:
        """Work out one cell that is due; True when there may be more. While runs come in, cells that grew little can wait."""
        due = next((key for key in self._dirty if not loading or self._has_grown(key)), None)
        if due is None:
            return False
        self._work_out(due)
        self.version += 1
        return True

    def entries(self) -> list[CellEntry]:
        """The cells that are worked out, the one with the newest run first."""
        return sorted(self._entries.values(), key=lambda entry: (entry.runs[-1].started_at, entry.runs[-1].id), reverse=True)

    def entry(self, key: CellKey) -> CellEntry | None:
        """One cell, worked out now if it was not yet."""
        if key in self._dirty and key not in self._entries:
            self._work_out(key)
        return self._entries.get(key)

    def _work_out(self, key: CellKey) -> None:
        runs = tuple(sorted(self._groups[key].values(), key=lambda run: (run.started_at, run.id)))
        self._entries[key] = CellEntry(key, runs, cell_of(runs), guessed(run for run in runs if is_counted(run)[0]))
        self._dirty.discard(key)

    def _has_grown(self, key: CellKey) -> bool:
        before = self._entries.get(key)
        return before is None or len(self._groups[key]) >= _GROWN * len(before.runs)

    def _take_out(self, run_id: str) -> None:
        key = self._keys.pop(run_id, None)
        if key is None:
            return
        group = self._groups[key]
        del group[run_id]
        if group:
            self._dirty.add(key)
        else:
            del self._groups[key]
            self._entries.pop(key, None)
            self._dirty.discard(key)


def sorted_entries(entries: Sequence[CellEntry], key: str, *, descending: bool) -> list[CellEntry]:
    """By one column of the cells; those without that figure come last, equal ones newest first."""
    known = [entry for entry in entries if _value(entry, key) is not None]
    unknown = [entry for entry in entries if _value(entry, key) is None]
    return sorted(known, key=lambda entry: _value(entry, key), reverse=descending) + unknown  # type: ignore[arg-type, return-value]


def _value(entry: CellEntry, key: str) -> float | str | None:
    cell = entry.cell
    if key in _MEDIANS:
        return cell.medians.get(_MEDIANS[key])
    plain: dict[str, float | str | None] = {
        "when": entry.runs[-1].started_at, "label": cell.label.casefold(), "prompt": cell.prompt.name.casefold(),
        "temperature": cell.params.temperature, "n": cell.n, "out": cell.n_excluded, "percent": cell.acceptance_rate,
        "model": cell.server.model.casefold(),
    }  # fmt: skip
    return plain[key]
