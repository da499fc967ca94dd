"""What a headless bench says on stderr while it runs: one line a run, and on a terminal a line of progress below it."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from typing import TextIO

from sparktui.cli.needletalk import needle_line, needle_title, prefill_words
from sparktui.cli.streams import shown
from sparktui.core.events import (
    AnyEvent,
    Chunk,
    ErrorEvent,
    Idle,
    Joined,
    LogState,
    Plan,
    PlanProgress,
    Retry,
    RunDone,
    RunStarted,
    Server,
    Waiting,
    Warning,
)  # fmt: skip
from sparktui.core.figures.live import LiveRate
from sparktui.core.figures.tokens import TokenEstimator
from sparktui.core.records import RunRecord
from sparktui.errors import EXIT_OK
from sparktui.report import numbers

_EVERY_S = 0.5
# where nothing is painted, a long wait is told once a minute
_SAY_EVERY_S = 60.0
_BAR_CELLS = 10
_CLEAR = "\r\x1b[K"


class BenchTalk:
    """A sink. Painting is one short line twice a second, so that it cannot disturb the stamps of the stream being measured."""

    def __init__(self, stream: TextIO, *, painted: bool) -> None:
        self._stream = stream
        self._painted = painted
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._plan = Plan(plan_id="", kind="bench", cells=(), total=0)
        self._progress = PlanProgress(plan_id="", done=0, total=0)
        self._progress_at_s = 0.0
        self._run: RunStarted | None = None
        self._titles: dict[str, str] = {}
        self._held: dict[str, tuple[RunRecord, str | None]] = {}
        self._state = ""
        self._said_at_s = 0.0
        self._rate = LiveRate()
        self._estimator = TokenEstimator()
        self._tokens = 0.0
        self._thread = threading.Thread(target=self._paint_often, name="progress", daemon=True)
        if painted:
            self._thread.start()

    def close(self) -> None:
        """Say what is still held back, and take the progress line away."""
        self._stop.set()
        with self._lock:
            self._let_go()
        if self._painted:
            self._thread.join()
            self._write(_CLEAR)

    def __call__(self, event: AnyEvent) -> None:
        if isinstance(event, Chunk):
            if self._painted and not event.invented:
                self._chunk(event)
            return
        with self._lock:
            self._take(event)

    def _take(self, event: AnyEvent) -> None:
        if isinstance(event, Plan):
            self._plan = event
        elif isinstance(event, PlanProgress):
            self._let_go()
            self._progress, self._progress_at_s = event, time.monotonic()
        elif isinstance(event, RunStarted):
            self._begin(event)
        elif isinstance(event, Waiting):
            self._waiting(event)
        elif isinstance(event, RunDone):
            self._run = None
            self._held[event.run_id] = (event.record, event.error)
        elif isinstance(event, Joined):
            if event.run_id in self._held:
                self._held[event.run_id] = (event.record, self._held[event.run_id][1])
        else:
            self._pass_on(event)

    def _pass_on(self, event: AnyEvent) -> None:
        """What is only told."""
        if isinstance(event, Retry):
            self._retry(event)
        elif isinstance(event, Warning):
            self.line(f"  note: {event.text}")
        elif isinstance(event, Server):
            self._server(event)
        elif isinstance(event, ErrorEvent) and event.exit_code == EXIT_OK:
            self.line(event.title)
        elif isinstance(event, Idle) and event.busy:
            self.line(f"  the server is busy with another request ({event.source}); waiting for it")
        elif isinstance(event, LogState) and event.state in {"denied", "ended"}:
            self.line(f"  log {event.source}: {event.state}{': ' + event.reason if event.reason else ''}")

    def line(self, text: str) -> None:
        """A line that stays."""
        with self._lock:
            self._write((_CLEAR if self._painted else "") + shown(text, self._stream) + "\n")

    def _let_go(self) -> None:
        """Say how the runs ended that were held back for what the log might add."""
        for run_id, (record, error) in self._held.items():
            self.line(_run_line(self._titles.get(run_id, record.prompt.name), record, error))
        self._held.clear()

    def _begin(self, event: RunStarted) -> None:
        self._run = event
        self._titles[event.run_id] = self._title(event)
        self._state = "sent"
        self._said_at_s = 0.0
        self._rate, self._estimator, self._tokens = LiveRate(), TokenEstimator(), 0.0

    def _chunk(self, event: Chunk) -> None:
        tokens = self._estimator.add(event.text, event.kind)
        self._rate.add(event.t_ns, tokens)
        self._tokens += tokens
        self._state = ""

    def _waiting(self, event: Waiting) -> None:
        expected_s = self._run.expected_prefill_s if self._run is not None else None
        self._state = prefill_words(event, expected_s) if not self._tokens else "no chunk lately"
        if not self._painted and event.elapsed_s - self._said_at_s >= _SAY_EVERY_S:
            self._said_at_s = event.elapsed_s
            self.line(f"  {self._state}")

    def _retry(self, event: Retry) -> None:
        self.line(f"  {event.reason}" + (f"; asking again in {event.wait_s:.0f} s" if event.wait_s else ""))

    def _server(self, event: Server) -> None:
        if event.state in {"unreachable", "loading"}:
            again = f"; trying again in {event.retry_in_s:.0f} s" if event.retry_in_s else ""
            self.line(f"  server {event.state}: {event.cause or '–'}{again}")

    def _paint_often(self) -> None:
        while not self._stop.wait(_EVERY_S):
            width = shutil.get_terminal_size().columns
            with self._lock:
                text = shown(self._progress_line(), self._stream)
                self._write(_CLEAR + text[: max(0, width - 1)])

    def _progress_line(self) -> str:
        done, total = self._progress.done, self._progress.total
        if not total:
            return ""
        full = round(_BAR_CELLS * done / total)
        parts = [f"{self._plan.kind} {'━' * full}{'─' * (_BAR_CELLS - full)}  {done}/{total}"]
        if self._progress.eta_s is not None:
            left_s = max(0.0, self._progress.eta_s - (time.monotonic() - self._progress_at_s))
            parts[0] += f" {numbers.eta(left_s)}"
        if self._run is not None:
            parts += [self._title(self._run), self._state or self._live()]
        return "   ".join(parts)

    def _title(self, run: RunStarted) -> str:
        """In a sweep the variant comes first."""
        return f"{run.label} · {_run_title(run)}" if self._plan.kind == "sweep" else _run_title(run)

    def _live(self) -> str:
        now = numbers.tok_s_now(self._rate.now(time.perf_counter_ns()))
        return f"≈ {now} tok/s   ≈ {self._tokens:.0f} tokens"

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            # nobody reads any more; measuring goes on
            self._stop.set()


def talk_to(stream: TextIO | None = None) -> BenchTalk:
    """Progress on stderr: painted where that is a terminal that can be, else lines only."""
    import os

    out = stream or sys.stderr
    return BenchTalk(out, painted=out.isatty() and os.environ.get("TERM", "") not in {"", "dumb"})


def _run_title(run: RunStarted) -> str:
    if run.needle is not None:
        return f"{needle_title(run)} · run {run.run_no}/{run.runs}"
    temperature = "server default" if run.params.temperature is None else numbers.temperature(run.params.temperature)
    number = "warm-up" if run.warmup else f"run {run.run_no}/{run.runs}"
    return f"{run.prompt.name} · T {temperature} · {number}"


def _run_line(title: str, record: RunRecord, error: str | None) -> str:
    if record.status == "ok" and record.needle is not None:
        return needle_line(title, record)
    if record.status == "ok":
        draft = f"   draft {numbers.percent(record.acceptance_rate)}" if record.acceptance_rate is not None else ""
        flags = "   " + ", ".join(record.flags).replace("_", " ") if record.flags else ""
        rate = numbers.tok_s(record.client_tok_s, estimated=record.tokens_estimated)
        tokens = numbers.count(record.completion_tokens, estimated=record.tokens_estimated)
        ttft = numbers.seconds(record.ttft_s)
        return f"✓ {title}   {rate} tok/s   TTFT {ttft}   {tokens} tokens   {record.chunks} chunks{draft}{flags}"
    mark = "■" if record.status in {"cancelled", "cut_off"} else "✕"
    why = (error or record.error or "").split("\n", 1)[0]
    return f"{mark} {title}   {record.status.replace('_', ' ')}" + (f": {why}" if why else "")
