"""One run as its events tell it, lossless: what the metrics are computed from. Folding an event costs O(1)."""

from __future__ import annotations

from array import array
from typing import get_args

from sparktui.core.delta import PromptProgress, ServerFigures, TextKind
from sparktui.core.events import AnyEvent, Chunk, Headers, Joined, Retry, RunDone, RunStarted, Usage, Waiting, Warning
from sparktui.core.records import Flag, RunRecord

FLAGS: frozenset[str] = frozenset(get_args(Flag))
_KINDS: tuple[TextKind, ...] = ("content", "reasoning", "tool")
_UNKNOWN = -1


class RunState:
    """Folds RunStarted, Headers, Waiting, Chunk, Usage, Retry, Warning, RunDone and Joined of one run; other events and runs are ignored.

    Stamps are nanoseconds of one monotonic clock, None until they happened. The arrays have one entry a chunk (parts of one stream event
    are one chunk; text that is not the model's is in none of them): `chunk_ns`, `chunk_characters`, `chunk_kinds`, `chunk_totals`
    (the server's running token count, None where it gave none).
    """

    def __init__(self) -> None:
        self.started: RunStarted | None = None
        self.record: RunRecord | None = None
        self.retries: list[str] = []
        self.warnings: list[str] = []
        self.flags: set[str] = set()
        self._restart()

    def _restart(self) -> None:
        self.status_code: int | None = None
        self.headers_ns: int | None = None
        self.first_event_ns: int | None = None
        self.done_ns: int | None = None
        self.first_content_ns: int | None = None
        self.finish_reason: str | None = None
        self.request_id = ""
        self.figures = ServerFigures()
        self.pings = 0
        self.prompt_progress: PromptProgress | None = None
        self.chunk_ns = array("q")
        self.chunk_characters = array("q")
        self.chunk_kinds: list[TextKind] = []
        self._totals = array("q")
        self._pieces: dict[TextKind, list[str]] = {kind: [] for kind in _KINDS}
        self._invented: list[str] = []
        self._event_n: int | None = None

    @property
    def run_id(self) -> str:
        """The folded run's id, "" before its RunStarted."""
        return self.started.run_id if self.started else ""

    @property
    def t_send_ns(self) -> int | None:
        return self.started.t_send_ns if self.started else None

    @property
    def first_ns(self) -> int | None:
        """Arrival of the first non-empty reasoning, content or tool-call text."""
        return self.chunk_ns[0] if self.chunk_ns else None

    @property
    def last_ns(self) -> int | None:
        """Arrival of the last text."""
        return self.chunk_ns[-1] if self.chunk_ns else None

    @property
    def chunks(self) -> int:
        return len(self.chunk_ns)

    @property
    def chunk_totals(self) -> list[int | None]:
        return [None if total == _UNKNOWN else total for total in self._totals]

    @property
    def characters(self) -> int:
        return sum(self.chunk_characters)

    @property
    def text(self) -> str:
        return "".join(self._pieces["content"])

    @property
    def reasoning(self) -> str:
        return "".join(self._pieces["reasoning"])

    @property
    def tool_calls(self) -> str:
        return "".join(self._pieces["tool"])

    @property
    def invented_text(self) -> str:
        """What a gateway said in the model's place (loading messages)."""
        return "".join(self._invented)

    def note_first_event(self, t_ns: int) -> None:
        """The first stream event of any kind arrived; later calls change nothing."""
        if self.first_event_ns is None:
            self.first_event_ns = t_ns

    def note_done(self, t_ns: int, finish_reason: str | None = None) -> None:
        """`[DONE]` or the end of the stream; a `finish_reason` given here wins over one noted before."""
        self.done_ns = t_ns
        self.finish_reason = finish_reason or self.finish_reason

    def note_flag(self, flag: Flag) -> None:
        self.flags.add(flag)

    def fold(self, event: AnyEvent) -> None:
        """Take one event in. A RunStarted of the same run (a retry) restarts stamps, text and figures, and keeps retries and warnings."""
        if isinstance(event, Chunk):
            if self.started is not None and event.run_id == self.started.run_id:
                self._chunk(event)
        elif isinstance(event, RunStarted):
            if self.started is None or event.run_id == self.started.run_id:
                self.started = event
                self._restart()
        elif isinstance(event, Headers | Waiting | Usage | Retry | Warning | RunDone | Joined):
            own = event.record.id if isinstance(event, Joined) else event.run_id
            if self.started is not None and own == self.started.run_id:
                self._fold_own(event)

    def _fold_own(self, event: Headers | Waiting | Usage | Retry | Warning | RunDone | Joined) -> None:
        if isinstance(event, Usage):
            self.figures = self.figures.merged(event.figures)
        elif isinstance(event, Waiting):
            self.pings = max(self.pings, event.pings)
            self.prompt_progress = event.prompt_progress or self.prompt_progress
        elif isinstance(event, Headers):
            self.status_code, self.headers_ns = event.status, event.t_ns
        elif isinstance(event, Retry):
            self.retries.append(f"{event.reason} (waited {event.wait_s:g} s)" if event.wait_s else event.reason)
        elif isinstance(event, Warning):
            self._warn(event)
        else:
            self.record = event.record

    def _warn(self, event: Warning) -> None:
        if event.code in FLAGS:
            self.flags.add(event.code)
        if event.text and event.text not in self.warnings:
            self.warnings.append(event.text)

    def _chunk(self, event: Chunk) -> None:
        if not event.text:
            return
        if event.invented:
            self._invented.append(event.text)
            return
        if event.kind == "content" and self.first_content_ns is None:
            self.first_content_ns = event.t_ns
        pieces = self._pieces[event.kind]
        if event.kind == "tool" and event.label and pieces:
            pieces.append("\n")
        pieces.append(event.text)
        total = _UNKNOWN if event.tokens_total is None else event.tokens_total
        if event.n == self._event_n:
            self.chunk_characters[-1] += len(event.text)
            self._totals[-1] = max(self._totals[-1], total)
            return
        self._event_n = event.n
        self.chunk_ns.append(event.t_ns)
        self.chunk_characters.append(len(event.text))
        self.chunk_kinds.append(event.kind)
        self._totals.append(total)
