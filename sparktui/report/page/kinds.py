"""Runs told apart by what a page says of them: sweeps, needles, other long prompts, short prompts."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import CellKey, cell_key

LONG_PROMPT = 1_000
"""From so many prompt tokens on a run speaks of long context."""
SIMULATED_MARK = "simulated"


class Kinds(Struct, frozen=True):
    """Every run is in exactly one of `sweeps` (each the runs of one sweep), `needles`, `long` and `short`. All in order of time.

    `mixed`: measured runs and simulated ones stand on one page, so that each must say which it is.
    """

    all: tuple[RunRecord, ...]
    sweeps: tuple[tuple[RunRecord, ...], ...]
    needles: tuple[RunRecord, ...]
    long: tuple[RunRecord, ...]
    short: tuple[RunRecord, ...]
    mixed: bool

    @property
    def swept_ids(self) -> frozenset[str]:
        """The ids of all runs that are part of a sweep."""
        return frozenset(run.id for runs in self.sweeps for run in runs)

    def named(self, record: RunRecord) -> str:
        """The run's label, with the word `simulated` where the page holds measured runs too."""
        return f"{record.label} ({SIMULATED_MARK})" if self.mixed and record.simulated else record.label


def kinds_of(records: Sequence[RunRecord]) -> Kinds:
    """A sweep is a bench of several labels."""
    ordered = tuple(sorted(records, key=lambda run: (run.started_at, run.id)))
    labels: dict[str, set[str]] = {}
    for run in ordered:
        if run.bench_id and run.needle is None:
            labels.setdefault(run.bench_id, set()).add(run.label)
    mixed = len({run.simulated for run in ordered}) > 1
    sweeps: dict[str, list[RunRecord]] = {}
    needles: list[RunRecord] = []
    long: list[RunRecord] = []
    short: list[RunRecord] = []
    for run in ordered:
        if run.needle is not None:
            needles.append(run)
        elif run.bench_id and len(labels[run.bench_id]) > 1:
            sweeps.setdefault(run.bench_id, []).append(run)
        else:
            (long if (run.prompt_tokens or 0) >= LONG_PROMPT else short).append(run)
    return Kinds(ordered, tuple(tuple(runs) for runs in sweeps.values()), tuple(needles), tuple(long), tuple(short), mixed)


def by_cell(records: Sequence[RunRecord]) -> list[tuple[RunRecord, ...]]:
    """The runs of each cell, cells in the order of their first run."""
    cells: dict[CellKey, list[RunRecord]] = {}
    for run in records:
        cells.setdefault(cell_key(run), []).append(run)
    return [tuple(runs) for runs in cells.values()]


def by_length(records: Sequence[RunRecord]) -> list[tuple[RunRecord, ...]]:
    """As `by_cell`, but needles of one length are together whatever their depth."""
    groups: dict[tuple[object, ...], list[RunRecord]] = {}
    for run in records:
        key = cell_key(run)
        needle = run.needle or {}
        place = (needle.get("length"), bool(needle.get("warm")), run.simulated) if run.needle is not None else key[5:]
        groups.setdefault((*key[:5], *place), []).append(run)
    return [tuple(runs) for runs in groups.values()]


def by_source(records: Sequence[RunRecord]) -> list[tuple[RunRecord, ...]]:
    """Measured runs apart from simulated ones; only those of the two that there are."""
    halves = [tuple(run for run in records if run.simulated is simulated) for simulated in (False, True)]
    return [runs for runs in halves if runs]
