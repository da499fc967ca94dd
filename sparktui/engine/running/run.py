"""One run: a request sent, its answer measured, its record made. Whatever happens ends in a record."""

from __future__ import annotations

import functools
import gc
import re
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from sparktui.core.events import AnyEvent, Headers, Retry, RunDone, RunStarted, Warning
from sparktui.core.figures.state import RunState
from sparktui.core.ids import new_id
from sparktui.core.plans import RunSpec
from sparktui.core.records import PromptInfo, RunRecord, ServerInfo
from sparktui.engine.running.answer import AnswerReader, Outcome
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.running.patience import Patience
from sparktui.engine.running.sampling import interval_s
from sparktui.engine.running.telling import Teller
from sparktui.engine.running.ticker import MemorySampler, Ticker
from sparktui.engine.server.target import Target
from sparktui.errors import SparkError, UsageError
from sparktui.io.http.exchange import Sent
from sparktui.io.http.failures import StoppedError
from sparktui.io.http.stream import Stream
from sparktui.servers.base import ChatRequest
from sparktui.servers.registry import adapter_for
from sparktui.servers.wire_errors import explain_http, refuses_options

if TYPE_CHECKING:
    from sparktui.core.stats.baseline import Baseline

_KEPT_PROMPT_CHARS = 200_000
_STILL_BUSY_S = 30.0
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


def run_once(
    target: Target,
    spec: RunSpec,
    emitter: Emitter,
    cancel: Cancel,
    *,
    run_id: str | None = None,
    keep_text: bool = True,
    idle_checked: bool = False,
    busy: bool = False,
    baseline: Baseline | None = None,
    memory: MemorySampler | None = None,
    patience: Patience | None = None,
    on_error: Callable[[SparkError], object] | None = None,
) -> RunRecord:
    """Send `spec` to the server, emit the run's events up to RunDone, and return its record. Raises nothing: what fails is in the record.

    `idle_checked`: the server was asked and was idle; `busy`: it was at work for someone else, which flags the run `not_idle`.
    `memory` is sampled before, every second, and after. `on_error` gets the error behind a status of failed or cut_off, which has the
    hint and the exit code that the record's sentence has not.
    """
    run = _Run(run_id or new_id(time.time(), secrets.token_bytes(8)), target, spec, emitter, cancel, keep_text=keep_text, busy=busy)
    ticker = Ticker(run.id, emitter.emit, memory, interval_s=interval_s(memory))
    _settle()
    try:
        with ticker:
            outcome = run.measure(ticker, patience or Patience())
    except Exception as error:  # noqa: BLE001 - the border of a run: told in its record, never lost and never fatal to the rest
        outcome = Outcome("failed", _internal(error))
    record = run.record(outcome, ticker, idle_checked=idle_checked, baseline=baseline)
    if outcome.error is not None and on_error is not None:
        on_error(outcome.error)
    return record


class _Run:
    def __init__(
        self, run_id: str, target: Target, spec: RunSpec, emitter: Emitter, cancel: Cancel, *, keep_text: bool, busy: bool
    ) -> None:
        self.id = run_id
        self._target = target
        self._spec = spec
        self._emitter = emitter
        self._cancel = cancel
        self._keep_text = keep_text
        self._prompt = _prompt_info(spec, keep_text)
        self._state = RunState()
        self._teller: Teller | None = None
        self._attempt = 0
        self._busy = busy
        self._waits_s: dict[str, float] = {}
        self._encoded: tuple[bool, bytes] | None = None

    def tell(self, event: AnyEvent) -> None:
        """Emit, and fold what was sent."""
        self._state.fold(self._emitter.emit(event))

    def measure(self, ticker: Ticker, patience: Patience) -> Outcome:
        """Ask until there is an answer to read, and read it."""
        try:
            while (outcome := self._ask(ticker, patience)) is None:
                pass
            return outcome
        except StoppedError:
            return Outcome("cancelled")
        except SparkError as error:
            return Outcome("failed", error)

    def _ask(self, ticker: Ticker, patience: Patience) -> Outcome | None:
        """One request; None = to be asked again."""
        client = self._target.client
        body = self._body()
        warmed_s = client.warm(self._cancel)
        with client.stream(body, self._cancel, on_sent=lambda sent: self._sent(sent, warmed_s, ticker)) as stream:
            self.tell(Headers(run_id=self.id, t_ns=stream.t_headers_ns, status=stream.status))
            if 200 <= stream.status < 300:
                return self._read(stream, ticker)
            answer = stream.body()
        ticker.paused()
        return self._refused(stream, answer, patience)

    def _body(self) -> bytes:
        """The request's bytes, made once and sent from where they are: a prompt can be millions of characters long."""
        include_usage = self._target.include_usage
        if self._encoded is None or self._encoded[0] != include_usage:
            self._encoded = None
            self._encoded = (include_usage, self._encode(include_usage))
        return self._encoded[1]

    def _encode(self, include_usage: bool) -> bytes:
        params, prompt = self._spec.params, self._spec.prompt
        request = ChatRequest(
            prompt=prompt.sent,
            model=self._target.info.model,
            temperature=params.temperature,
            max_tokens=params.max_tokens,
            extra={**prompt.params, **params.extra},
            schema=prompt.schema,
            include_usage=include_usage,
        )
        try:
            return msgspec.json.encode(self._target.adapter.body(request))
        except (TypeError, ValueError) as error:
            raise UsageError("The prompt or its params hold something that JSON cannot carry.", detail=str(error)) from None

    def _sent(self, sent: Sent, warmed_s: float, ticker: Ticker) -> None:
        if sent.again:
            self.tell(Retry(run_id=self.id, reason=sent.again, wait_s=0))
        self._start(sent.t_send_ns, warmed_s + sent.connect_s)
        ticker.sent(sent.t_send_ns)

    def _start(self, t_send_ns: int, connect_s: float) -> None:
        self._attempt += 1
        spec = self._spec
        started = RunStarted(
            run_id=self.id, prompt=self._prompt, params=spec.params, t_send_ns=t_send_ns, started_at=_now(), label=spec.label,
            bench_id=spec.bench_id, run_no=spec.run_no, runs=spec.runs, warmup=spec.warmup, attempt=self._attempt, connect_s=connect_s,
            server=self._target.info, needle=spec.needle, expected_prefill_s=spec.expected_prefill_s,
        )  # fmt: skip
        self.tell(started)
        if self._busy and self._attempt == 1:
            self.tell(Warning(run_id=self.id, code="not_idle", text="Another request was at work when this run began."))
        cancelled_s = self._target.cancelled_s
        if cancelled_s is not None and time.monotonic() - cancelled_s < _STILL_BUSY_S:
            text = "The run before this one was cancelled: the server may still have been at work on it."
            self.tell(Warning(run_id=self.id, code="after_cancel", text=text))

    def _read(self, stream: Stream, ticker: Ticker) -> Outcome:
        target = self._target
        self._teller = Teller(self.id, target.info.kind, self._state, self.tell, ticker)
        reader = AnswerReader(target.adapter, self._state, self._teller, target.client.base.shown)
        outcome = reader.read(stream, target.client.idle_timeout_s)
        if outcome.status == "ok":
            stream.finish()
        return outcome

    def _refused(self, stream: Stream, answer: bytes, patience: Patience) -> Outcome | None:
        """What an answer other than 2xx leads to: asking again without what was refused, or later, or a failed run."""
        target = self._target
        if target.include_usage and refuses_options(stream.status, answer):
            target.include_usage = False
            self.tell(Retry(run_id=self.id, reason="the server refuses to count tokens in the stream", wait_s=0))
            return None
        wait = patience.wait_for(stream.status, answer, stream.headers)
        if wait is not None:
            self._waits_s[wait.reason] = self._waits_s.get(wait.reason, 0.0) + wait.seconds
            self._emitter.emit(Retry(run_id=self.id, reason=wait.reason, wait_s=wait.seconds))
            if self._cancel.wait(wait.seconds):
                raise StoppedError()
            return None
        headers = stream.headers
        error = explain_http(
            stream.status, answer, target.info.kind, content_type=headers.get("content-type", ""), url=target.client.base.chat_url,
            retry_after=headers.get("retry-after", ""), key_header=target.client.key_header, model=target.info.model,
            served=target.seen.models, location=headers.get("location", ""),
        )  # fmt: skip
        return Outcome("failed", error)

    def record(self, outcome: Outcome, ticker: Ticker, *, idle_checked: bool, baseline: Baseline | None) -> RunRecord:
        """Make the record, emit RunDone with it, and keep what the run taught about the server."""
        if self._state.started is None:
            self._start(time.perf_counter_ns(), 0.0)
        for reason, seconds in self._waits_s.items():
            self._state.fold(Retry(run_id=self.id, reason=reason, wait_s=seconds))
        try:
            record = self._full_record(outcome, ticker, idle_checked, baseline)
        except Exception as error:  # noqa: BLE001 - a fault in the figures must not lose the run
            record = self._bare_record(_internal(error))
        self._target.cancelled_s = time.monotonic() if record.status == "cancelled" else None
        error_text = str(outcome.error) if outcome.error is not None else record.error
        self._emitter.emit(
            RunDone(run_id=self.id, status=record.status, record=record, finish_reason=record.finish_reason, error=error_text)
        )
        return record

    def _full_record(self, outcome: Outcome, ticker: Ticker, idle_checked: bool, baseline: Baseline | None) -> RunRecord:
        # the formulas are needed once the answer is in, and the first request need not wait for their import
        from sparktui.core.figures.metrics import measured_chars_per_token, record_of
        from sparktui.engine.plans.verdict import needle_verdict

        seen_kind = self._teller.seen_kind if self._teller is not None else ""
        record = record_of(
            self._state,
            status=outcome.status,
            error=outcome.error.title if outcome.error is not None else None,
            server=self._server(),
            steps_checked=self._target.adapter.steps_checked or bool(seen_kind and adapter_for(seen_kind).steps_checked),
            baseline=baseline,
            chars_per_token=self._target.chars_per_token,
            keep_text=self._keep_text,
            idle_checked=idle_checked,
            memory=ticker.memory,
            needle=needle_verdict(self._spec.needle, self._state.text, outcome),
        )
        self._target.chars_per_token = measured_chars_per_token(self._state, record) or self._target.chars_per_token
        return record

    def _bare_record(self, error: SparkError) -> RunRecord:
        spec, state = self._spec, self._state
        return RunRecord(
            id=self.id, started_at=state.started.started_at if state.started else _now(), label=spec.label, status="failed",
            server=self._server(), prompt=self._prompt, params=spec.params, bench_id=spec.bench_id, run_no=spec.run_no, warmup=spec.warmup,
            simulated=self._target.simulated, error=error.title, text=state.text if self._keep_text else None,
        )  # fmt: skip

    def _server(self) -> ServerInfo:
        info = self._target.info
        model = self._teller.model if self._teller is not None else ""
        return info if info.model or not model else msgspec.structs.replace(info, model=model)


@functools.cache
def _settle() -> None:
    """Once: what the program consists of is never garbage, and looking through it would make a stamp 15 ms late now and then."""
    gc.freeze()


def _prompt_info(spec: RunSpec, keep_text: bool) -> PromptInfo:
    """A haystack can be made again from its seed, and a book need not travel with every event."""
    text = spec.prompt.text
    small = spec.needle is None and len(text) <= _KEPT_PROMPT_CHARS
    return spec.prompt.info(keep_text=keep_text and small and not _LONE_SURROGATE.search(text))


def _internal(error: Exception) -> SparkError:
    """A fault of this program as an error of the run: its kind and place, no values (they may be secrets)."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace is not None else "unknown place"
    return SparkError(f"A fault in sparktui ended the run: {type(error).__name__} at {place}.", hint="Please report it.")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
