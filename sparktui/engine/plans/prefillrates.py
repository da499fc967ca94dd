"""How long a prefill may be expected to take, from the history of this server and from the runs just made."""

from __future__ import annotations

from collections import deque
from functools import cached_property

from sparktui.core.figures.prefillrate import like_prefill
from sparktui.core.records import RunRecord, ServerInfo
from sparktui.errors import SparkError
from sparktui.io.store.history import History

_MOST_RUNS = 200
_LONG_TOKENS = 500


class PrefillRates:
    """Looks into `history` (None = there is none) when first asked; a history that cannot be read counts as empty."""

    def __init__(self, history: History | None) -> None:
        self._history = history

    @cached_property
    def _records(self) -> deque[RunRecord]:
        return deque(_long_runs(self._history))

    def note(self, record: RunRecord) -> None:
        """A run that has just ended: the newest."""
        self._records.appendleft(record)

    def expected_s(self, server: ServerInfo, tokens: int) -> float | None:
        """Seconds for `tokens` new prompt tokens; None where nothing of that size is known."""
        like = like_prefill(self._records, server, tokens)
        return tokens / like.prefill_tok_s if like is not None and like.prefill_tok_s else None


def _long_runs(history: History | None) -> list[RunRecord]:
    if history is None:
        return []
    try:
        return history.query(f"prompt_tokens:>{_LONG_TOKENS} prefill:>0 status:ok", limit=_MOST_RUNS)
    except SparkError:
        return []
