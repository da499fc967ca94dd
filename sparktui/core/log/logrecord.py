"""What a server's log says: records, and the generations among them."""

from __future__ import annotations

from msgspec import Struct

from sparktui.core.delta import Scope


class Generation(Struct, frozen=True, kw_only=True):
    """One line of generation figures. Times in seconds, rates in tokens/s, `acceptance_rate` 0..1; None = the line does not say.

    `prompt_tokens` is the context (cached ones included). `mean_acceptance_length` counts the bonus token (≥ 1).
    `running`, `waiting`: requests in the server when an interval line was printed.
    `note`: what the figures do not say ("live": the request still runs; an engine's name; how a printed rate is to be read).
    `scope`: request (one generation), interval (a log interval of the whole server) or lifetime (cumulative).
    """

    grammar: str
    scope: Scope = "request"
    request_id: str | None = None
    choice: int | None = None
    task: str | None = None
    completion_tokens: int | None = None
    total_s: float | None = None
    queue_s: float | None = None
    cached_tokens: int | None = None
    new_tokens: int | None = None
    prompt_tokens: int | None = None
    prefill_s: float | None = None
    prefill_tok_s: float | None = None
    decode_s: float | None = None
    server_tok_s: float | None = None
    draft_accepted: int | None = None
    draft_proposed: int | None = None
    acceptance_rate: float | None = None
    mean_acceptance_length: float | None = None
    verify_steps: int | None = None
    running: int | None = None
    waiting: int | None = None
    truncated: bool = False
    note: str = ""


class LogRecord(Struct, frozen=True, kw_only=True):
    """One record of a log, un-wrapped, secrets masked, control characters taken out.

    `time` is the record's own clock text ("" where it has none): a label, never compared with ours.
    `level` is one of trace debug info success warning error critical, or "". `started`/`ended` name the request a record opens or closes.
    """

    n: int
    text: str
    time: str = ""
    level: str = ""
    generation: Generation | None = None
    started: str = ""
    ended: str = ""
    cancelled: bool = False
