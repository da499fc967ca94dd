"""The scale of every burst strip, on screen and on paper: its columns, its full height, and the one ramp of three colour roles. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sparktui.core.figures.bursts import BURST_GAP_NS
from sparktui.core.figures.columns import Columns
from sparktui.core.records import ChunkMark

Step = Literal["flow", "mid", "burst"]

FULL_TOKENS = 24
_MID, _BURST = 10 / 24, 14 / 24


def ramp(tokens: float, full_tokens: float = FULL_TOKENS) -> Step:
    """`flow` up to 9 tokens, `mid` 10–13, `burst` from 14; the limits grow with the strip's full scale. Nothing else uses it as a scale."""
    share = round(tokens) / full_tokens
    return "burst" if share >= _BURST else "mid" if share >= _MID else "flow"


def columns_of(marks: Sequence[ChunkMark], step_ms: int) -> Columns:
    """Tokens and the largest burst of each `step_ms` since the send."""
    columns = Columns(0, step_ms * 1_000_000)
    burst, before_ns = 0.0, None
    for mark in marks:
        t_ns = round(mark.t_s * 1e9)
        burst = mark.tokens if before_ns is None or t_ns - before_ns >= BURST_GAP_NS else burst + mark.tokens
        columns.add(t_ns, mark.tokens, burst)
        before_ns = t_ns
    return columns


def full_tokens(columns: Columns) -> float:
    """Tokens of full height: 24, doubled until no more than a tenth of the filled columns is higher."""
    filled = [tokens for tokens in columns.tokens if tokens > 0]
    full: float = FULL_TOKENS
    while sum(tokens > full for tokens in filled) > len(filled) / 10:
        full *= 2
    return full
