"""What a worker answers about its history: pages of runs, whole runs, labels, deletions."""

from __future__ import annotations

from typing import Any

from sparktui.core.commands import HistoryQuery, RunEdit, RunGet
from sparktui.core.records import RunRecord
from sparktui.errors import UsageError
from sparktui.io.store.history import History


def answer_query(history: History, command: HistoryQuery) -> dict[str, Any]:
    """`{runs, total, notes, read_only}`: one page of light records (no texts, no timelines) and how many the filter leaves in all."""
    return {
        "runs": history.query(command.filter, command.sort, command.limit, command.offset),
        "total": history.count(command.filter),
        "notes": list(history.notes),
        "read_only": history.read_only,
    }


def answer_get(history: History, command: RunGet) -> dict[str, list[RunRecord]]:
    """`{runs}`: the runs asked for, in that order. Raises UsageError for one that is not there."""
    return {"runs": [history.get(run_id, text=command.text, timeline=command.timeline) for run_id in command.run_ids]}


def answer_edit(history: History, command: RunEdit) -> dict[str, int]:
    """`{changed}`: how many runs were labelled or deleted."""
    if command.delete:
        return {"changed": history.delete(command.run_ids)}
    if command.label is None:
        raise UsageError("An edit needs a label, or to delete.")
    return {"changed": history.label(command.run_ids, command.label)}
