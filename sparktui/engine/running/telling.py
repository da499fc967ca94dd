"""What the deltas of one answer say, told as the run's events."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from sparktui.core.delta import Delta, ServerFigures
from sparktui.core.events import AnyEvent, Chunk, Usage, Warning
from sparktui.core.figures.state import RunState
from sparktui.core.records import Flag
from sparktui.engine.running.ticker import Ticker
from sparktui.errors import SparkError
from sparktui.servers.wire_errors import explain_stream

_USAGE_EVERY_NS = 250_000_000
_LATE_NS = 5_000_000
_LATE_SHARE = 0.01


class Teller:
    """Takes the deltas of one answer in order. `tell` emits an event and folds it into `state`.

    `error`: the server's own, from inside the stream. `done`: nothing after this counts. `chunks`: events with the model's text so far.
    `pings`: keep-alives. `seen_kind` and `model`: what the events betray of the server, "" = nothing.
    """

    def __init__(self, run_id: str, kind: str, state: RunState, tell: Callable[[AnyEvent], object], ticker: Ticker) -> None:
        self._run_id = run_id
        self._kind = kind
        self._state = state
        self._tell = tell
        self._ticker = ticker
        self._figures: ServerFigures | None = None
        self._figures_told_ns = 0
        self.pings = 0
        self._late_chunks = 0
        self._garbled = 0
        self._other_choices: set[int] = set()
        self.chunks = 0
        self.done = False
        self.error: SparkError | None = None
        self.finish_reason: str | None = None
        self.seen_kind = ""
        self.model = ""

    def take(self, t_ns: int, delta: Delta, late_ns: int = 0) -> None:
        """Tell one delta that arrived at `t_ns`, after waiting in the socket for at most `late_ns`."""
        if delta.other_choices:
            self._other_choices.update(index for index, _ in delta.other_choices)
        if delta.parts:
            self._text(t_ns, delta, late_ns)
        if delta.figures is not None:
            self._note_figures(t_ns, delta.figures)
        if delta.progress is not None and (waiting := self._ticker.alive(t_ns, self.pings, delta.progress)) is not None:
            self._tell(waiting)
        if delta.finish_reason:
            self.finish_reason = delta.finish_reason
        if delta.error is not None and self.error is None:
            self.error = explain_stream(delta.error, self._kind)
        self._garbled += delta.garbled
        self.done = self.done or delta.done or self.error is not None
        if not self._state.request_id:
            self._state.request_id = delta.request_id
        self.seen_kind = self.seen_kind or delta.seen_kind
        self.model = self.model or delta.model

    def ping(self, t_ns: int, pings: int) -> None:
        """`pings` keep-alives have come in all."""
        self.pings = pings
        if (waiting := self._ticker.alive(t_ns, pings, None)) is not None:
            self._tell(waiting)

    def close(self) -> None:
        """Tell what was held back until the end: the last figures and what the run has to be flagged with."""
        self._tell_figures()
        if self._garbled:
            count = "One event" if self._garbled == 1 else f"{self._garbled} events"
            self.warn("garbled_events", f"{count} of the stream could not be read.")
        if self._other_choices:
            answers = len(self._other_choices) + 1
            self.warn("choices", f"The server sent {answers} answers at once: only the first is shown, and its tokens are estimated.")
        if self._late_chunks > _LATE_SHARE * self.chunks:
            self.warn("client_bound", "Text came faster than it could be stamped: rates may be the client's, not the server's.")

    def warn(self, code: Flag | str, text: str) -> None:
        """Tell a warning; `code` is a flag of the record where it is one."""
        self._tell(Warning(run_id=self._run_id, code=code, text=text))

    def _text(self, t_ns: int, delta: Delta, late_ns: int) -> None:
        if not delta.invented:
            self.chunks += 1
            self._late_chunks += late_ns > _LATE_NS
            self._ticker.last_text_ns = t_ns
            if self.chunks == 1:
                self._ticker.first_text()
        number = 0 if delta.invented else self.chunks
        total = None if self._other_choices else delta.tokens_total
        for part in delta.parts:
            chunk = Chunk(
                run_id=self._run_id, t_ns=t_ns, n=number, kind=part.kind, text=part.text, label=part.label,
                tokens_total=total, invented=delta.invented,
            )  # fmt: skip
            self._tell(chunk)

    def _note_figures(self, t_ns: int, figures: ServerFigures) -> None:
        """Servers that count as they go would double the events: figures are told four times a second and at the end."""
        if self._other_choices:
            figures = msgspec.structs.replace(figures, completion_tokens=None)
        self._figures = figures if self._figures is None else self._figures.merged(figures)
        self._figures_told_ns = self._figures_told_ns or t_ns
        if t_ns - self._figures_told_ns >= _USAGE_EVERY_NS:
            self._figures_told_ns = t_ns
            self._tell_figures()

    def _tell_figures(self) -> None:
        figures, self._figures = self._figures, None
        if figures is not None:
            self._tell(Usage(run_id=self._run_id, figures=figures))
