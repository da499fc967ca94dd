"""Worker protocol 1: every event and every command, one JSON object a line, told apart by `type`.

Events carry `v`, `seq` (per session, from 1) and `t_ns` (the worker's monotonic clock; for a chunk the stamp of the read that brought it).
The journal is the event stream, `hello` first; screen, watcher and replay fold the same events.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from sparktui.core.delta import PromptProgress, ServerFigures, TextKind
from sparktui.core.log.logrecord import LogRecord
from sparktui.core.log.plainlines import PlainLines
from sparktui.core.records import GpuMemory, PromptInfo, RunParams, RunRecord, ServerInfo

PROTOCOL = 1


def snake_tag(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def _protocol() -> int:
    return PROTOCOL


class Event(Struct, frozen=True, kw_only=True, tag_field="type", tag=snake_tag, omit_defaults=True):
    v: int = field(default_factory=_protocol)
    seq: int = 0
    t_ns: int = 0


class Hello(Event, frozen=True, kw_only=True):
    """First line of a session. `wall` is UTC ISO 8601 at `clock_ns`: the only link between the two clocks.

    `purpose`: worker, bench, needle, sweep, ask. `keep_history` False: runs of this session are not to be stored, so not recovered either.
    """

    protocol: int
    version: str
    pid: int
    host: str
    session: str
    clock_ns: int
    wall: str
    purpose: str = "worker"
    keep_history: bool = True


class Reply(Event, frozen=True, kw_only=True):
    """Answer to the command with the same `id`. `error` is {title, detail, hint}."""

    id: int
    ok: bool
    data: Any = None
    error: dict[str, str] | None = None


class Server(Event, frozen=True, kw_only=True):
    """What is known of the server. `state`: probing, ready, loading, unreachable. `cause` and `hint` say why not, and what to do.

    `candidates`: base URLs that answered when `base_url: auto` found several.
    """

    state: Literal["probing", "ready", "loading", "unreachable"]
    info: ServerInfo | None = None
    cause: str = ""
    hint: str = ""
    retry_in_s: float | None = None
    candidates: tuple[str, ...] = ()


class Idle(Event, frozen=True, kw_only=True):
    """Whether another request was in flight, as `source` (slots, metrics, queue, log) says; None = the server cannot say."""

    busy: bool | None
    source: str = ""


class Plan(Event, frozen=True, kw_only=True):
    """A bench begins: its cells in order ({prompt, temperature, runs}) and the number of runs in all, warm-ups included."""

    plan_id: str
    kind: str
    cells: tuple[dict[str, Any], ...]
    total: int


class PlanProgress(Event, frozen=True, kw_only=True):
    """`outcome`: with the last one of a sweep, {settings, memory, failed, restored}; the first three by variant."""

    plan_id: str
    done: int
    total: int
    eta_s: float | None = None
    finished: bool = False
    outcome: dict[str, Any] | None = None


class RunStarted(Event, frozen=True, kw_only=True):
    """Request written. Comes again with a higher `attempt` after a retry: all stamps restart from its `t_send_ns`.

    `expected_prefill_s`: what the last known prefill rate of this server lets expect; None = not known.
    """

    run_id: str
    prompt: PromptInfo
    params: RunParams
    t_send_ns: int
    started_at: str
    label: str = ""
    bench_id: str | None = None
    run_no: int | None = None
    runs: int | None = None
    warmup: bool = False
    attempt: int = 1
    connect_s: float = 0.0
    server: ServerInfo | None = None
    needle: dict[str, Any] | None = None
    expected_prefill_s: float | None = None


class Headers(Event, frozen=True, kw_only=True):
    run_id: str
    status: int


class Waiting(Event, frozen=True, kw_only=True):
    """Nothing arrived lately: sent about once a second until the first text, and on every keep-alive or progress event."""

    run_id: str
    elapsed_s: float
    pings: int = 0
    prompt_progress: PromptProgress | None = None


class Chunk(Event, frozen=True, kw_only=True):
    """Text of one kind. Parts of one stream event share `n` (from 1). `tokens_total`: the server's exact running count, if it gives one.

    `invented`: a gateway's text, not the model's: shown, never timed or counted. `tokens_estimated`: only in a replay, the tokens of this
    part as its finished record shares them out.
    """

    run_id: str
    n: int
    kind: TextKind
    text: str
    label: str = ""
    tokens_total: int | None = None
    invented: bool = False
    tokens_estimated: float | None = None


class Usage(Event, frozen=True, kw_only=True):
    run_id: str
    figures: ServerFigures


class Retry(Event, frozen=True, kw_only=True):
    run_id: str
    reason: str
    wait_s: float


class Warning(Event, frozen=True, kw_only=True):
    """`code` is a flag of core.records.Flag or a short word; `text` one sentence."""

    run_id: str
    code: str
    text: str


class RunDone(Event, frozen=True, kw_only=True):
    run_id: str
    status: Literal["ok", "cancelled", "failed", "cut_off"]
    record: RunRecord
    finish_reason: str | None = None
    error: str | None = None


class Joined(Event, frozen=True, kw_only=True):
    """A log record (`n`), a metrics endpoint or a baseline made since told more about a finished run; `record` is the run with it."""

    run_id: str
    source: str
    record: RunRecord
    scope: str = "request"
    accepted: int | None = None
    proposed: int | None = None
    n: int | None = None


class LogLine(Event, frozen=True, kw_only=True, tag="log_record"):
    """A record of the log. `more`: those that were read together with it, in order; `plain`: after them, the rest of a burst."""

    record: LogRecord
    more: tuple[LogRecord, ...] = ()
    plain: PlainLines | None = None

    @property
    def records(self) -> tuple[LogRecord, ...]:
        """All of them."""
        return (self.record, *self.more, *(self.plain.records() if self.plain is not None else ()))

    @property
    def count(self) -> int:
        """How many they are."""
        return 1 + len(self.more) + (self.plain.count if self.plain is not None else 0)

    def newest(self, most: int) -> tuple[LogRecord, ...]:
        """The last `most` of them."""
        if self.plain is None or self.plain.count < most:
            return self.records[-most:]
        return tuple(self.plain.records(most))


class LogState(Event, frozen=True, kw_only=True):
    """`state`: off, waiting, following, denied, ended, restarting, truncated, switched. `source` is what is followed, secrets masked."""

    state: str
    source: str = ""
    reason: str = ""


class MemoryNow(Event, frozen=True, kw_only=True, tag="memory"):
    """Bytes of system memory where the worker runs; absent events mean the server is another machine.

    `gpus`: the graphics cards' own memory, () where there is none (unified memory).
    """

    total: int
    used: int
    available: int
    rss: int | None = None
    gpus: tuple[GpuMemory, ...] = ()


class ErrorEvent(Event, frozen=True, kw_only=True, tag="error"):
    title: str
    detail: str = ""
    hint: str = ""
    exit_code: int = 5


class Bye(Event, frozen=True, kw_only=True):
    reason: str


AnyEvent = (
    Hello | Reply | Server | Idle | Plan | PlanProgress | RunStarted | Headers | Waiting | Chunk | Usage | Retry | Warning
    | RunDone | Joined | LogLine | LogState | MemoryNow | ErrorEvent | Bye
)  # fmt: skip

encode_event = msgspec.json.Encoder().encode
_event_decoder = msgspec.json.Decoder(AnyEvent)


def decode_event(line: bytes | str) -> AnyEvent:
    """One line of a journal or of a worker's output. Raises msgspec.DecodeError / ValidationError on anything else."""
    return _event_decoder.decode(line)
