"""Where the history screens get their runs: pages from the worker's history, or, where there is none, the runs of this session."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from sparktui.core.commands import HistoryQuery
from sparktui.core.events import Reply
from sparktui.core.records import RunRecord
from sparktui.tui.history_rows import matches, sorted_records

if TYPE_CHECKING:
    from sparktui.tui.app import SparkApp

PAGE_RUNS = 200
# column of the table → what the history sorts by
SORTS = {
    "when": "started_at", "label": "label", "prompt": "prompt", "temperature": "temperature", "ttft": "ttft_s", "client": "client_tok_s",
    "server": "server_tok_s", "chunks": "chunks", "per_chunk": "tokens_per_chunk", "draft": "draft_accepted",
    "percent": "acceptance_rate", "per_step": "tokens_per_step",
}  # fmt: skip


class Page(Struct, frozen=True, kw_only=True):
    """One page: its runs, how many the filter leaves in all. `error` says why a filter was refused; then the page is empty."""

    runs: tuple[RunRecord, ...] = ()
    total: int = 0
    error: str = ""
    hint: str = ""
    read_only: bool = False
    local: bool = False


class Answer(Struct):
    runs: tuple[RunRecord, ...]
    total: int = 0
    read_only: bool = False


Arrived = Callable[[Page], None]


class HistorySource:
    """`local` is true once it is known that only this session's runs can be had; `why` says so in words."""

    def __init__(self, app: SparkApp) -> None:
        self._app = app
        self.why = "a replay has no history of its own" if app.options.read_only else ""

    @property
    def local(self) -> bool:
        return bool(self.why)

    def ask(self, filter: str, sort: str, descending: bool, offset: int, arrived: Arrived) -> None:
        """One page of runs; `arrived` is called with it, now or when the worker has answered."""
        command = HistoryQuery(filter=filter, sort=("-" if descending else "") + SORTS[sort], limit=PAGE_RUNS, offset=offset)

        def answered(reply: Reply) -> None:
            arrived(self._page(reply, filter, sort, descending, offset))

        if self.local:
            arrived(self._session_page(filter, sort, descending, offset))
        elif not self._app.send(command, answered):
            self.why = "the measuring process does not run; these are the runs this screen knows"
            arrived(self._session_page(filter, sort, descending, offset))

    def _page(self, reply: Reply, filter: str, sort: str, descending: bool, offset: int) -> Page:
        if reply.ok:
            answer = msgspec.convert(reply.data, Answer, strict=False)
            return Page(runs=answer.runs, total=answer.total, read_only=answer.read_only)
        error = reply.error or {}
        if filter:
            return Page(error=error.get("title", "The filter was refused."), hint=error.get("hint", ""))
        self.why = error.get("title", "") or "the history cannot be read"
        return self._session_page(filter, sort, descending, offset)

    def _session_page(self, filter: str, sort: str, descending: bool, offset: int) -> Page:
        kept = [record for record in self._app.session.records if matches(record, filter)]
        runs = sorted_records(kept, sort, descending=descending)
        return Page(runs=tuple(runs[offset : offset + PAGE_RUNS]), total=len(runs), local=True)
