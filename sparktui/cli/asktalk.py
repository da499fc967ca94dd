"""One answer on its way out: the text to stdout, reasoning and figures to stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TextIO

from sparktui.cli.streams import is_terminal, shown
from sparktui.core.events import AnyEvent, Chunk, Joined, Retry, RunDone, RunStarted, Server, Waiting, Warning
from sparktui.core.figures.live import LiveRate
from sparktui.core.figures.tokens import TokenEstimator
from sparktui.core.records import RunRecord
from sparktui.report import numbers

_CLEAR = "\r\x1b[K"
_METER_EVERY_NS = 250_000_000


class AskTalk:
    """A sink. A meter line is painted on stderr while nothing else is written to that terminal, and stays at the end.

    `on_broken` is called once when nobody reads stdout any more.
    stdout gets the text as it came when it is a file or a pipe; on a terminal control characters are taken out.
    """

    def __init__(self, *, show_reasoning: bool, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        self._out_terminal = is_terminal(self._out)
        self._err_terminal = is_terminal(self._err) and os.environ.get("TERM", "") not in {"", "dumb"}
        self._show_reasoning = show_reasoning
        self._rate = LiveRate()
        self._estimator = TokenEstimator()
        self._tokens = 0.0
        self._painted_ns = 0
        self._has_line = False
        self._ends_with_newline = True
        self._reasoning_open = False
        self.on_broken: Callable[[], None] = lambda: None
        self._broken: BrokenPipeError | None = None
        self._record: RunRecord | None = None

    def close(self) -> None:
        """End the text's last line on a terminal, and say the figures. Raises BrokenPipeError where stdout's reader went away."""
        self._end_reasoning()
        self._wipe()
        if self._out_terminal and not self._ends_with_newline:
            self._write_out("\n")
        if self._record is not None and self._err_terminal:
            self._say(meter_line(self._record))
        if self._broken is not None:
            raise self._broken

    def __call__(self, event: AnyEvent) -> None:
        if isinstance(event, Chunk):
            self._chunk(event)
        elif isinstance(event, RunStarted):
            self._rate, self._estimator, self._tokens = LiveRate(), TokenEstimator(), 0.0
        elif isinstance(event, Waiting):
            self._meter(f"{'prefill' if not self._tokens else 'no chunk lately,'} {event.elapsed_s:.0f} s")
        elif isinstance(event, Retry):
            self._say(f"{event.reason}" + (f"; asking again in {event.wait_s:.0f} s" if event.wait_s else ""))
        elif isinstance(event, Warning):
            self._say(f"note: {event.text}")
        elif isinstance(event, Server) and event.state == "loading":
            self._say(f"server loading: {event.cause}")
        elif isinstance(event, RunDone | Joined):
            self._record = event.record

    def _chunk(self, event: Chunk) -> None:
        if not event.invented:
            tokens = self._estimator.add(event.text, event.kind)
            self._rate.add(event.t_ns, tokens)
            self._tokens += tokens
        if event.kind == "content":
            self._end_reasoning()
            self._wipe_for_text()
            self._write_out(event.text)
        elif self._show_reasoning:
            self._reason(event.text)
        if not (self._out_terminal and self._err_terminal):
            self._live()

    def _reason(self, text: str) -> None:
        """Reasoning and tool calls: dim on a terminal, plain elsewhere."""
        self._wipe()
        self._reasoning_open = True
        clean = shown(text, self._err)
        self._write_err(f"\x1b[2m{clean}\x1b[0m" if self._err_terminal and "NO_COLOR" not in os.environ else clean)

    def _end_reasoning(self) -> None:
        if self._reasoning_open:
            self._reasoning_open = False
            self._write_err("\n\n")

    def _live(self) -> None:
        now_ns = time.perf_counter_ns()
        if self._reasoning_open or now_ns - self._painted_ns < _METER_EVERY_NS:
            return
        self._painted_ns = now_ns
        self._meter(f"≈ {numbers.tok_s_now(self._rate.now(now_ns))} tok/s   ≈ {self._tokens:.0f} tokens")

    def _meter(self, text: str) -> None:
        if self._err_terminal and not self._reasoning_open and (not self._out_terminal or self._ends_with_newline):
            self._has_line = True
            self._write_err(_CLEAR + shown(text, self._err))

    def _wipe_for_text(self) -> None:
        if self._out_terminal:
            self._wipe()

    def _wipe(self) -> None:
        if self._has_line:
            self._has_line = False
            self._write_err(_CLEAR)

    def _say(self, text: str) -> None:
        self._wipe()
        if self._out_terminal and not self._ends_with_newline:
            self._write_out("\n")
        self._write_err(shown(text, self._err) + "\n")

    def _write_out(self, text: str) -> None:
        if not text or self._out is None or self._broken is not None:
            return
        try:
            self._out.write(shown(text, self._out) if self._out_terminal else text)
            self._out.flush()
        except BrokenPipeError as error:
            self._broken = error
            self.on_broken()
        self._ends_with_newline = text.endswith("\n")

    def _write_err(self, text: str) -> None:
        if self._err is not None:
            self._err.write(text)
            self._err.flush()


def meter_line(record: RunRecord) -> str:
    """The run in one line: rates, TTFT, tokens, chunks, acceptance; what is not known is left out."""
    estimated = record.tokens_estimated
    parts = [
        f"{numbers.tok_s(record.client_tok_s, estimated=estimated)} tok/s" if record.client_tok_s is not None else "",
        f"server {numbers.tok_s(record.server_tok_s)}" if record.server_tok_s is not None else "",
        f"TTFT {numbers.seconds(record.ttft_s)}" if record.ttft_s is not None else "",
        f"{numbers.count(record.completion_tokens, estimated=estimated)} tokens" if record.completion_tokens is not None else "",
        f"{record.chunks} chunks",
        f"draft {numbers.percent(record.acceptance_rate)}" if record.acceptance_rate is not None else "",
        ", ".join(record.flags).replace("_", " "),
    ]
    return "   ".join(part for part in parts if part)
