"""SGLang's log: decode and prefill batch lines, every one a log interval of the whole server. Fields are found by name."""

from __future__ import annotations

from sparktui.core.log.logrecord import Generation
from sparktui.servers.grammar_base import Field, Found

_DECODE = "Decode batch"
_PREFILL = "Prefill batch"
_LENGTH = Field("accept[ -]len")
_RATE = Field("accept[ -](?:rate|ratio)")
_SPEED = Field(r"gen throughput \(token/s\)")
_PREFILL_SPEED = Field(r"input throughput \(token/s\)")
_RUNNING = Field("#running-req")
_QUEUED = Field("#queue-req")
_NEW = Field("#new-token")
_CACHED = Field("#cached-token")


class SglangGrammar:
    """Stateless. Only the length is comparable between versions: the printed rate counted the bonus token until April 2026."""

    def read(self, text: str, starts: bool) -> Found | None:
        if not starts:
            return None
        if text.startswith(_DECODE):
            return Found(_decode(text.replace("batch. ", "batch, ", 1)))
        if text.startswith(_PREFILL):
            return Found(_prefill(text.replace("batch. ", "batch, ", 1)))
        return None


def _decode(text: str) -> Generation:
    printed, length = _RATE.number(text), _LENGTH.number(text)
    note = ""
    if printed is not None and printed > 1:
        note = f"accept rate {printed:g} as printed is above 1: not a rate"
    elif printed and length == 1:
        note = f"accept rate {printed:g} as printed counts the bonus token: nothing was accepted"
    elif printed is not None:
        note = "accept rate as printed"
    return Generation(
        grammar="sglang",
        scope="interval",
        server_tok_s=_SPEED.number(text),
        acceptance_rate=printed if printed is not None and printed <= 1 else None,
        mean_acceptance_length=length,
        running=_RUNNING.count(text),
        waiting=_QUEUED.count(text),
        note=note,
    )


def _prefill(text: str) -> Generation:
    return Generation(
        grammar="sglang",
        scope="interval",
        new_tokens=_NEW.count(text),
        cached_tokens=_CACHED.count(text),
        prefill_tok_s=_PREFILL_SPEED.number(text),
        running=_RUNNING.count(text),
        waiting=_QUEUED.count(text),
        note="prefill",
    )
