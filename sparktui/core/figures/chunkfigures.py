"""Figures of a run's chunks: tokens of each, the client's rates, and the timeline. Formulas: docs/metrics.md, "Speed" and "Bursts"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct

from sparktui.core.figures.bursts import burst_starts, burstiness, gap_figures
from sparktui.core.figures.tokens import share_out
from sparktui.core.records import ChunkMark
from sparktui.core.stats.statistics import percentile

Values = dict[str, Any]


class Chunks(Struct, frozen=True):
    """The chunks of one run: stamps in nanoseconds from the send, kinds, characters, and the server's running token counts."""

    since_send_ns: Sequence[int]
    kinds: Sequence[str]
    characters: Sequence[int]
    totals: Sequence[int | None]

    @property
    def decode_s(self) -> float | None:
        """t_last − t_first; None with fewer than two chunks."""
        if len(self.since_send_ns) < 2:
            return None
        return (self.since_send_ns[-1] - self.since_send_ns[0]) / 1e9


def exact_counts(chunks: Chunks, completion_tokens: int | None) -> list[int] | None:
    """Tokens of each chunk from the server's running counts; None unless they are there, rise, and fit the total."""
    totals = [total for total in chunks.totals if total is not None]
    if not totals or len(totals) < len(chunks.totals):
        return None
    counts = [totals[0], *(b - a for a, b in pairwise(totals))]
    if min(counts) < 0 or totals[-1] <= 0 or (completion_tokens is not None and totals[-1] > completion_tokens):
        return None
    return counts


def chunk_values(chunks: Chunks, completion_tokens: int | None) -> Values:
    """Record fields that tell how text and tokens were spread over the chunks.

    Without running counts a chunk holds its share of the characters (an estimate: `net_estimated`).
    """
    stamps = chunks.since_send_ns
    values: Values = {"chunks": len(stamps), "gap_ms": gap_figures(stamps), "bursts": len(burst_starts(stamps)) or None}
    if not stamps or not completion_tokens:
        return values
    exact = exact_counts(chunks, completion_tokens)
    tokens: Sequence[float] = exact if exact is not None else share_out(completion_tokens, chunks.characters)
    values.update(
        tokens_per_chunk=completion_tokens / len(stamps),
        tokens_per_chunk_p50=percentile(tokens, 50),
        tokens_per_chunk_p90=percentile(tokens, 90),
        first_chunk_tokens=tokens[0],
        net_estimated=exact is None,
        burstiness=burstiness(stamps, completion_tokens),
    )
    return values


def rate_values(completion_tokens: int | None, first_chunk_tokens: float | None, decode_s: float | None) -> Values:
    """The client's rates in tok/s and seconds a token; all None where tokens or a decode time above 0 are missing."""
    if not completion_tokens or not decode_s or decode_s <= 0:
        return {"client_tok_s": None, "client_tok_s_net": None, "tpot_s": None}
    after_first = None if first_chunk_tokens is None else completion_tokens - first_chunk_tokens
    return {
        "client_tok_s": completion_tokens / decode_s,
        "client_tok_s_net": after_first / decode_s if after_first else None,
        "tpot_s": decode_s / (completion_tokens - 1) if completion_tokens > 1 else None,
    }


def timeline(chunks: Chunks, completion_tokens: int | None) -> tuple[ChunkMark, ...]:
    """The chunks as a record keeps them; token counts sum to `completion_tokens` (exact counts: to what the chunks held)."""
    tokens: Sequence[float] = exact_counts(chunks, completion_tokens) or share_out(completion_tokens or 0, chunks.characters)
    return tuple(
        ChunkMark(round(t / 1e9, 6), kind, characters, count if isinstance(count, int) else round(count, 4))
        for t, kind, characters, count in zip(chunks.since_send_ns, chunks.kinds, chunks.characters, tokens, strict=True)
    )


def chunks_of(marks: Sequence[ChunkMark]) -> Chunks:
    """A stored timeline as chunks; running counts are not stored apart."""
    return Chunks(
        [round(mark.t_s * 1e9) for mark in marks], [mark.kind for mark in marks], [mark.characters for mark in marks], [None] * len(marks)
    )
