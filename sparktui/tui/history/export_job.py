"""Collects the runs of an export from the worker, a few at a time, with texts and timelines as asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from sparktui.core.commands import HistoryQuery, RunGet
from sparktui.core.events import Reply
from sparktui.core.records import RunRecord
from sparktui.tui.history.export_scopes import Scope
from sparktui.tui.history.history_rows import matches

if TYPE_CHECKING:
    from sparktui.tui.app import SparkApp

_IDS_A_PAGE = 500
_RUNS_A_BATCH = 25


class ExportJob:
    """`start()`; then `progress(done, of)` now and then, and at the end `finished(runs)` or `failed(why)`. `cancel()` ends it silently.

    `here_only`: no history can be asked; the runs that this session knows are all there is, without texts and timelines.
    """

    def __init__(
        self,
        app: SparkApp,
        scope: Scope,
        *,
        timeline: bool,
        text: bool,
        here_only: bool,
        progress: Callable[[int, int], None],
        finished: Callable[[Sequence[RunRecord]], None],
        failed: Callable[[str], None],
    ) -> None:
        self._app, self._scope = app, scope
        self._timeline, self._text, self._here_only = timeline, text, here_only
        self._progress, self._finished, self._failed = progress, finished, failed
        self._ids: list[str] = []
        self._runs: list[RunRecord] = []
        self._cancelled = False

    def start(self) -> None:
        """Ask for the first runs, or take those of this session."""
        if self._here_only:
            records = self._app.session.records
            wanted = self._scope.run_ids
            kept = [run for run in records if (run.id in wanted if wanted is not None else matches(run, self._scope.filter))]
            self._finished(kept)
        elif self._scope.run_ids is not None:
            self._ids = list(self._scope.run_ids)
            self._next_batch()
        else:
            self._next_page()

    def cancel(self) -> None:
        self._cancelled = True

    def _next_page(self) -> None:
        """The ids first: a filter's pages would shift if runs came in between."""
        query = HistoryQuery(filter=self._scope.filter, sort="started_at", limit=_IDS_A_PAGE, offset=len(self._ids))

        def answered(reply: Reply) -> None:
            page = [str(run["id"]) for run in reply.data["runs"]] if reply.ok else []
            self._ids += page
            if self._stopped(reply):
                return
            if len(page) < _IDS_A_PAGE:
                self._next_batch()
            else:
                self._progress(0, max(self._scope.count, len(self._ids)))
                self._next_page()

        self._send(query, answered)

    def _next_batch(self) -> None:
        at = len(self._runs)
        batch = tuple(self._ids[at : at + _RUNS_A_BATCH])
        if not batch:
            self._finished(self._runs)
            return

        def answered(reply: Reply) -> None:
            if self._stopped(reply):
                return
            self._runs += msgspec.convert(reply.data["runs"], list[RunRecord])
            self._progress(len(self._runs), len(self._ids))
            self._next_batch()

        self._send(RunGet(run_ids=batch, timeline=self._timeline, text=self._text), answered)

    def _stopped(self, reply: Reply) -> bool:
        if not reply.ok and not self._cancelled:
            error = reply.error or {}
            self._failed(" ".join(filter(None, (error.get("title", ""), error.get("hint", "")))) or "the history cannot be read")
        return self._cancelled or not reply.ok

    def _send(self, command: HistoryQuery | RunGet, answered: Callable[[Reply], None]) -> None:
        if not self._app.send(command, answered):
            self._failed("The measuring process does not run, and it is what reads the history.")
