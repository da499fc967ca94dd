"""Ways the demo server can misbehave on purpose, asked for in the model's name (`NAME+stall=12+no-usage`) or the header `X-Demo`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

HEADER = "x-demo"
# the name of a real model, left over in a config, is not sent to the demo server; this one is meant for it
MODES_PREFIX = "demo+"
MODES = {
    "slow-prefill": "SECONDS (20) more before the first text",
    "stall": "nothing more after chunk N (20), for ever or with N:SECONDS for so long",
    "cut": "the connection ends after chunk N (20), without [DONE]",
    "error": "an error event after chunk N (20); /health says unhealthy from then on",
    "401": "the key is refused",
    "loading": "503 for SECONDS (5) from the first such request on",
    "no-usage": "no usage, though it is asked for",
    "no-draft": "this answer without a draft",
    "newer-usage": "draft and cache counters in usage, as newer TabbyAPI sends them",
    "reasoning": "reasoning text before the answer",
    "buffered": "every event at the end in one write, as a proxy that buffers",
}
_MODE = re.compile(r"([a-z0-9-]+)(?:[=:](\d+(?:\.\d+)?)(?::(\d+(?:\.\d+)?))?)?")


class UnknownModeError(ValueError):
    """A mode that there is not; the message lists those there are."""


@dataclass(frozen=True, slots=True)
class Faults:
    """None, False = well behaved. Chunk numbers count from 1; 0 = before the first."""

    slow_prefill_s: float = 0.0
    stall_after: int | None = None
    stall_s: float | None = None
    cut_after: int | None = None
    error_after: int | None = None
    refused: bool = False
    loading_s: float = 0.0
    no_usage: bool = False
    no_draft: bool = False
    newer_usage: bool = False
    reasoning: bool = False
    buffered: bool = False


def faults_in(model: str, header: str = "") -> Faults:
    """The modes named after the first `+` of a model's name and in the header (separated by `,` or `+`). Raises UnknownModeError."""
    asked = [*model.split("+")[1:], *re.split(r"[,+]", header)]
    faults = Faults()
    for mode in (word.strip().lower() for word in asked):
        if mode:
            faults = _with_mode(faults, mode)
    return faults


def _with_mode(faults: Faults, mode: str) -> Faults:
    match = _MODE.fullmatch(mode)
    name = match[1] if match else ""
    if match is None or name not in MODES:
        raise UnknownModeError(f"No such mode: {mode[:40]!r}. There are: {', '.join(MODES)}.")
    number = float(match[2]) if match[2] else None
    chunk = 20 if number is None else int(number)
    changes: dict[str, dict[str, Any]] = {
        "slow-prefill": {"slow_prefill_s": 20.0 if number is None else number},
        "stall": {"stall_after": chunk, "stall_s": float(match[3]) if match[3] else None},
        "cut": {"cut_after": chunk},
        "error": {"error_after": chunk},
        "401": {"refused": True},
        "loading": {"loading_s": 5.0 if number is None else number},
    }
    return replace(faults, **changes.get(name, {name.replace("-", "_"): True}))
