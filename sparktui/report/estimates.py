"""Which figures of a run are estimates, so that ≈ and `estimated` always say the same."""

from __future__ import annotations

from sparktui.core.records import RunRecord

# what counts tokens is an estimate where the tokens are
_FROM_TOKENS = (
    "completion_tokens", "client_tok_s", "client_tok_s_net", "tpot_s", "tokens_per_chunk", "tokens_per_chunk_p50", "tokens_per_chunk_p90",
    "first_chunk_tokens", "burstiness", "tokens_per_step", "step_ms", "step_cost",
)  # fmt: skip
# a chunk's tokens are its share of the characters where the server does not count per event
_FROM_SHARES = ("client_tok_s_net", "first_chunk_tokens", "tokens_per_chunk_p50", "tokens_per_chunk_p90")
_FROM_CLIENT_TIME = ("step_ms", "step_cost")


def estimated_fields(record: RunRecord) -> frozenset[str]:
    """Names of the record's known figures that are estimates."""
    names: set[str] = set()
    if record.tokens_estimated:
        names.update(_FROM_TOKENS)
        names.update(("speedup",) if record.speedup_rate != "server_tok_s" else ())
    if record.net_estimated:
        names.update(_FROM_SHARES)
        names.update(("speedup",) if record.speedup_rate == "client_tok_s_net" else ())
        if record.server_decode_s is None and record.server_tok_s is None:
            names.update(_FROM_CLIENT_TIME)
    if record.prefill_estimated:
        names.add("prefill_tok_s")
    return frozenset(name for name in names if getattr(record, name) is not None)
