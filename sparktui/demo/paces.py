"""Which pace an answer has: the values that land on every cell of the reference measurements at once."""

from __future__ import annotations

import random
from typing import Literal

from sparktui.demo.model import DRAFT_TOKENS, Pace
from sparktui.demo.sequence import spread

Kind = Literal["prose", "code", "structured"]

_AT_ZERO = {"prose": (0.492, 0.828), "code": (0.989, 0.966)}
_AT_ONE = {"prose": (0.518, 0.779), "code": (0.980, 0.946)}
_PROSE_SPREAD = 0.03
_NGRAM = {"prose": 0.3, "code": 0.7, "structured": 0.8}

_STRUCTURED_TOK_S = (45.7, 49.9)
_STRUCTURED_P = (0.957, 0.985)
_STRUCTURED_JITTER = 0.15


def pace_of(
    kind: Kind, temperature: float, draft_tokens: int = DRAFT_TOKENS, *, run: int = 0, ngram: bool = False, variant: str = ""
) -> Pace:
    """The pace of run number `run` (from 0) of a cell. `variant` names the loaded settings, and shifts structured runs a little.

    Between the temperatures 0 and 1 q and p are interpolated; above 1 they stay. Prose above 0 varies by up to 3 % in p from run to run.
    """
    if draft_tokens == 0:
        return Pace(0.0, 0.0, 0)
    if kind == "structured":
        pace = _structured(draft_tokens, run, variant)
    else:
        t = min(max(temperature, 0.0), 1.0)
        q, p = (a + (b - a) * t for a, b in zip(_AT_ZERO[kind], _AT_ONE[kind], strict=True))
        if kind == "prose":
            p *= 1 + _PROSE_SPREAD * t * (2 * spread(run) - 1)
        pace = Pace(q, p, draft_tokens)
    return Pace(pace.q * _NGRAM[kind], pace.p, draft_tokens) if ngram else pace


def _structured(draft_tokens: int, run: int, variant: str) -> Pace:
    """Structured output runs in one band, whatever the draft's length: what a longer draft gains it costs in verification.

    The rate of a run is set first, then q is solved for it; a draft too short to reach it does what it can.
    """
    jitter = _STRUCTURED_JITTER * (random.Random(f"{variant}/{run}").random() - 0.5)
    low, high = _STRUCTURED_TOK_S
    target = low + (high - low) * min(max(spread(run) + jitter, 0.0), 1.0)
    low, high = _STRUCTURED_P
    p = low + (high - low) * spread(run + 1)
    return Pace(_solve_q(target, p, draft_tokens), p, draft_tokens)


def _solve_q(target_tok_s: float, p: float, draft_tokens: int) -> float:
    low, high = 0.3, 0.995
    for _ in range(40):
        middle = (low + high) / 2
        if Pace(middle, p, draft_tokens).tok_s < target_tok_s:
            low = middle
        else:
            high = middle
    return high
