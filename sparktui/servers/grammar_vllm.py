"""vLLM's log: acceptance lines of every wording since the V0 engine, and the engine's own line. Fields are found by name."""

from __future__ import annotations

import re

from sparktui.core.delta import Scope
from sparktui.core.log.logrecord import Generation
from sparktui.servers.grammar_base import Field, Found, rate

_WHOSE = re.compile(r"(Engine \d+|\d+ Engines Aggregated): ")
_SPECULATIVE = ("SpecDecoding metrics:", "Speculative metrics:")
_ACCEPTED = (Field("Accepted"), Field("Number of accepted tokens"))
_DRAFTED = (Field("Drafted"), Field("Number of draft tokens"))
_RATE = Field("(?:Avg )?Draft acceptance rate")
_LENGTH = Field("Mean acceptance length")
_EMITTED = Field("Number of emitted tokens")
_PROMPT_SPEED = Field("Avg prompt throughput")
_DECODE_SPEED = Field("Avg generation throughput")
_RUNNING = Field("Running")
_WAITING = (Field("Waiting"), Field("Pending"))


class VllmGrammar:
    """With data parallel every engine prints a pair of lines; the acceptance line bears no number and belongs to the engine above it."""

    def __init__(self) -> None:
        self._engine = ""

    def read(self, text: str, starts: bool) -> Found | None:
        if not starts or ":" not in text:
            return None
        whose = _WHOSE.match(text)
        body = text[whose.end() :] if whose else text
        if body.startswith("Avg prompt throughput:"):
            self._engine = whose[1].lower() if whose else ""
            return Found(self._engine_stats(body))
        if body.startswith(_SPECULATIVE):
            return Found(_acceptance(body.replace("metrics: ", "metrics:, ", 1), self._engine))
        return None

    def _engine_stats(self, body: str) -> Generation:
        return Generation(
            grammar="vllm",
            scope="interval",
            prefill_tok_s=_PROMPT_SPEED.number(body),
            server_tok_s=_DECODE_SPEED.number(body),
            running=_RUNNING.count(body),
            waiting=_first(_WAITING, body),
            note=self._engine,
        )


def _acceptance(body: str, engine: str) -> Generation:
    accepted, drafted, emitted = _first(_ACCEPTED, body), _first(_DRAFTED, body), _EMITTED.count(body)
    counted = rate(accepted, drafted)
    scope: Scope = "lifetime" if emitted is not None else "interval"
    return Generation(
        grammar="vllm",
        scope=scope,
        completion_tokens=emitted,
        draft_accepted=accepted,
        draft_proposed=drafted,
        acceptance_rate=counted if drafted is not None else _RATE.fraction(body),
        mean_acceptance_length=_LENGTH.number(body) if drafted else None,
        verify_steps=emitted - accepted if emitted is not None and accepted is not None and emitted >= accepted else None,
        note=engine,
    )


def _first(fields: tuple[Field, ...], body: str) -> int | None:
    return next((value for field in fields if (value := field.count(body)) is not None), None)
