"""The one ramp: tokens per burst to one of three colour roles. Nothing else uses its colours as a scale."""

from __future__ import annotations

from typing import Literal

Step = Literal["flow", "mid", "burst"]

FULL_TOKENS = 24
_MID, _BURST = 10 / 24, 14 / 24


def ramp(tokens: float, full_tokens: float = FULL_TOKENS) -> Step:
    """`flow` up to 9 tokens, `mid` 10–13, `burst` from 14; the limits grow with the strip's full scale."""
    share = round(tokens) / full_tokens
    return "burst" if share >= _BURST else "mid" if share >= _MID else "flow"
