"""Where the history screens get their runs: pages from the worker's history, or, where there is none, the runs of this session."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from sparktui.core.commands import HistoryQuery
from sparktui.core.events import Reply
from sparktui.core.records import RunRecord
from sparktui.tui.history.history_rows import matches, sorted_records

if TYPE_CHECKING:
    from sparktui.tui.app import SparkApp

PAGE_RUNS = 200
LOAD_RUNS = 500
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


class Wanted(Struct, frozen=True, kw_only=True):
    """Which page: of what a filter leaves, by a column of the table."""

    filter: str = ""
    sort: str = "when"
    descending: bool = True
    offset: int = 0
    limit: int = PAGE_RUNS


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

    def ask(self, wanted: Wanted, arrived: Arrived) -> None:
        """One page of runs; `arrived` is called with it, now or when the worker has answered."""
        sort = ("-" if wanted.descending else "") + SORTS[wanted.sort]
        command = HistoryQuery(filter=wanted.filter, sort=sort, limit=wanted.limit, offset=wanted.offset)
        if not self.local and not self._app.send(command, lambda reply: arrived(self._page(reply, wanted))):
            self.why = "the measuring process does not run; these are the runs this screen knows"
        if self.local:
            arrived(self._session_page(wanted))

    def _page(self, reply: Reply, wanted: Wanted) -> Page:
        if reply.ok:
            answer = msgspec.convert(reply.data, Answer, strict=False)
            return Page(runs=answer.runs, total=answer.total, read_only=answer.read_only)
        error = reply.error or {}
        if wanted.filter:
            return Page(error=error.get("title", "The filter was refused."), hint=error.get("hint", ""))
        self.why = error.get("title", "") or "the history cannot be read"
        return self._session_page(wanted)

    def _session_page(self, wanted: Wanted) -> Page:
        kept = [record for record in self._app.session.records if matches(record, wanted.filter)]
        runs = sorted_records(kept, wanted.sort, descending=wanted.descending)
        return Page(runs=tuple(runs[wanted.offset : wanted.offset + wanted.limit]), total=len(runs), local=True)
