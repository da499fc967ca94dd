"""The last known prefill rate of a server: what a coming prefill may be expected to take. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from sparktui.core.records import RunRecord, ServerInfo

# a rate is only worth using for a prompt of about the size it was measured at
SIZE_FACTOR = 4


def like_prefill(records: Iterable[RunRecord], server: ServerInfo | None, tokens: int) -> RunRecord | None:
    """The first of `records` (newest first) that prefilled about as many tokens on the same server and model, by the server's own time."""
    for record in records:
        same = server is None or (record.server.base_url, record.server.model) == (server.base_url, server.model)
        if same and record.prefill_tok_s and not record.prefill_estimated and size_ratio(prefilled_tokens(record), tokens) <= SIZE_FACTOR:
            return record
    return None


def prefilled_tokens(record: RunRecord) -> int:
    """Prompt tokens that were not cached."""
    return record.new_tokens or record.prompt_tokens or 0


def size_ratio(one: int, other: int) -> float:
    """How many times the larger is as large as the smaller; infinite where one is 0."""
    return max(one, other) / min(one, other) if min(one, other) > 0 else float("inf")
