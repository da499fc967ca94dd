"""A stored run's text in the pieces it came in, as far as its timeline tells. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.core.delta import TextKind
from sparktui.core.liverun import BURST_GAP_NS, Piece
from sparktui.core.records import RunRecord

_TEXTS: tuple[tuple[TextKind, str], ...] = (("reasoning", "reasoning"), ("content", "text"), ("tool", "tool_calls"))


def retold(record: RunRecord) -> tuple[list[Piece], Sequence[float]]:
    """Pieces in order, and the tokens of each burst. Without a timeline a text is one piece; what a timeline leaves over comes last."""
    left: dict[TextKind, str] = {kind: getattr(record, field) or "" for kind, field in _TEXTS}
    pieces: list[Piece] = []
    bursts: list[float] = []
    before_ns: int | None = None
    for mark in record.timeline or ():
        t_ns = round(mark.t_s * 1e9)
        if before_ns is None or t_ns - before_ns >= BURST_GAP_NS:
            bursts.append(0.0)
        bursts[-1] += mark.tokens
        before_ns = t_ns
        for kind, text in left.items():
            if kind == mark.kind and text:
                pieces.append(Piece(kind, "", text[: mark.characters], len(bursts) - 1))
                left[kind] = text[mark.characters :]
    for kind, text in left.items():
        if text:
            bursts = bursts or [0.0]
            pieces.append(Piece(kind, "", text, len(bursts) - 1))
    return pieces, bursts
