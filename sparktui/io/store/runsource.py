"""Runs by what people call them: an id in the history, `last`, or a file that holds runs (export, shared run, journal, other history)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from sparktui.core.records import RunRecord
from sparktui.errors import UsageError
from sparktui.io.store.history import History
from sparktui.io.store.importing import read_runs


def find_runs(references: Sequence[str]) -> list[RunRecord]:
    """The runs with texts and timelines, in the order they were named. Raises UsageError, StorageError."""
    found: list[RunRecord] = []
    history: History | None = None
    try:
        for reference in references:
            if is_file(reference):
                found += _in_file(Path(reference).expanduser())
            else:
                history = history or History.open()
                found.append(history.get(reference, timeline=True))
    finally:
        if history is not None:
            history.close()
    return found


def is_file(reference: str) -> bool:
    """Whether a reference names a file: there is one, or it is written like a path."""
    return os.sep in reference or Path(reference).suffix in {".json", ".jsonl", ".spark"} or Path(reference).expanduser().is_file()


def _in_file(path: Path) -> Iterator[RunRecord]:
    runs = list(read_runs(path))
    if not runs:
        raise UsageError(f"{path} holds no run.", hint="Name a shared run, an export in .json or .jsonl, or a journal.")
    yield from runs
