"""One run as it streams: what the live screen shows of it before the record exists. O(1) per event, the text is handed on."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from sparktui.core.delta import ServerFigures, TextKind
from sparktui.core.events import Chunk, Retry, RunStarted, Usage, Waiting, Warning
from sparktui.core.figures.columns import Columns
from sparktui.core.figures.gaps import Gaps
from sparktui.core.figures.live import LiveRate
from sparktui.core.figures.tokens import PROSE_CHARS_PER_TOKEN, TokenEstimator
from sparktui.core.records import RunRecord

BURST_GAP_NS = 10_000_000
_STALL_NS = 2_000_000_000
_STALL_GAPS = 5


class Piece(NamedTuple):
    """Text on its way to the screen. `burst` is None for text that is not the model's."""

    kind: TextKind
    label: str
    text: str
    burst: int | None


class LiveRun:
    """Folds the events of one attempt of one run. Times are the worker's monotonic clock, nanoseconds."""

    def __init__(self, started: RunStarted, chars_per_token: float | None = None) -> None:
        self.started = started
        self.t_send_ns = started.t_send_ns
        self.t_first_ns: int | None = None
        self.t_last_ns: int | None = None
        self.t_done_ns: int | None = None
        self.record: RunRecord | None = None
        self.waiting: Waiting | None = None
        self.figures = ServerFigures()
        self.retries: list[Retry] = []
        self.warnings: list[Warning] = []
        self.chunks = 0
        self.tokens = 0.0
        self.tokens_exact = False
        self.first_chunk_tokens = 0.0
        self.gaps = Gaps()
        self.columns = Columns(started.t_send_ns)
        self.burst_tokens = array("d")
        self.rate = LiveRate()
        self._chars_per_token = chars_per_token
        self._estimator = TokenEstimator(chars_per_token)
        self._event_n = 0
        self._pieces: list[Piece] = []

    @property
    def run_id(self) -> str:
        return self.started.run_id

    @property
    def done(self) -> bool:
        return self.record is not None

    @property
    def max_tokens(self) -> int | None:
        return self.started.params.max_tokens

    @property
    def tokens_per_chunk(self) -> float | None:
        return self.tokens / self.chunks if self.chunks else None

    @property
    def tok_s_net(self) -> float | None:
        """Tokens after the first chunk ÷ time since it (client_tok_s_net up to now); None before the second chunk."""
        if self.t_first_ns is None or self.t_last_ns is None or self.t_last_ns <= self.t_first_ns:
            return None
        return (self.tokens - self.first_chunk_tokens) / ((self.t_last_ns - self.t_first_ns) / 1e9)

    @property
    def ttft_s(self) -> float | None:
        return None if self.t_first_ns is None else (self.t_first_ns - self.t_send_ns) / 1e9

    def elapsed_s(self, now_ns: int) -> float:
        """Since the send; stops when the run ended."""
        end_ns = self.t_done_ns if self.t_done_ns is not None else now_ns
        return max(0.0, (end_ns - self.t_send_ns) / 1e9)

    def silent_s(self, now_ns: int) -> float:
        """Since the newest text (before any: since the send)."""
        since_ns = self.t_last_ns if self.t_last_ns is not None else self.t_send_ns
        return max(0.0, (now_ns - since_ns) / 1e9)

    def stalled(self, now_ns: int) -> bool:
        """Text has come, and no more for longer than max(2 s, 5 × the median gap)."""
        if self.done or self.t_last_ns is None:
            return False
        median_ms = self.gaps.median_ms or 0.0
        return now_ns - self.t_last_ns > max(_STALL_NS, _STALL_GAPS * median_ms * 1e6)

    def measured_ratio(self, tokens: int) -> float | None:
        """Characters of prose a token, as this text of `tokens` shows; None where nothing was estimated."""
        estimated = self._estimator.total
        return (self._chars_per_token or PROSE_CHARS_PER_TOKEN) * estimated / tokens if estimated > 0 and tokens > 0 else None

    def take_pieces(self) -> list[Piece]:
        """The text since the last call; it is not kept here."""
        taken, self._pieces = self._pieces, []
        return taken

    def chunk(self, event: Chunk) -> None:
        if event.invented:
            self._pieces.append(Piece(event.kind, event.label, event.text, None))
            return
        tokens = self._tokens_of(event)
        if event.n != self._event_n or not self.chunks:
            self._begin_chunk(event, tokens)
        self._event_n = event.n
        self.tokens += tokens
        if self.chunks == 1:
            self.first_chunk_tokens += tokens
        self.burst_tokens[-1] += tokens
        self.columns.add(event.t_ns, tokens, self.burst_tokens[-1])
        self.rate.add(event.t_ns, tokens)
        self._pieces.append(Piece(event.kind, event.label, event.text, len(self.burst_tokens) - 1))

    def usage(self, event: Usage) -> None:
        self.figures = self.figures.merged(event.figures)
        self._settle(event.figures.completion_tokens)

    def finish(self, record: RunRecord, t_done_ns: int) -> None:
        """The run ended. The record's counts replace what was estimated."""
        self.record = record
        self.t_done_ns = t_done_ns
        if not record.tokens_estimated:
            self._settle(record.completion_tokens)

    def _begin_chunk(self, event: Chunk, tokens: float) -> None:
        self.chunks += 1
        if self.t_last_ns is None:
            self.t_first_ns = event.t_ns
            self.gaps.first(tokens)
        else:
            self.gaps.add(event.t_ns - self.t_last_ns, tokens)
        if self.t_last_ns is None or event.t_ns - self.t_last_ns >= BURST_GAP_NS:
            self.burst_tokens.append(0.0)
        self.t_last_ns = event.t_ns

    def _tokens_of(self, event: Chunk) -> float:
        if event.tokens_estimated is not None:
            return event.tokens_estimated
        if event.tokens_total is None:
            return self._estimator.add(event.text, event.kind)
        self.tokens_exact = True
        return max(0.0, event.tokens_total - self.tokens)

    def _settle(self, completion_tokens: int | None) -> None:
        if completion_tokens is None or self.tokens <= 0:
            return
        factor = completion_tokens / self.tokens
        self.tokens_exact = True
        if abs(factor - 1) < 1e-9:
            return
        self.tokens = float(completion_tokens)
        self.first_chunk_tokens *= factor
        self.columns.rescale(factor)
        self.rate.rescale(factor)
        self.burst_tokens = array("d", (tokens * factor for tokens in self.burst_tokens))
