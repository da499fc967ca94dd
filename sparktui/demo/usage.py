"""The figures of one generation as the server reports them, rounded as TabbyAPI rounds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

INDETERMINATE = "Indeterminate"


@dataclass(frozen=True, slots=True)
class Figures:
    """Seconds are those that passed for the client, so that reported rates are rates it sees. `drafts`: a draft was loaded."""

    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    queue_s: float
    prompt_s: float
    completion_s: float
    accepted: int = 0
    proposed: int = 0
    drafts: bool = True

    @property
    def new_tokens(self) -> int:
        return self.prompt_tokens - self.cached_tokens

    @property
    def queue_time(self) -> float:
        return round(self.queue_s, 2)

    @property
    def prompt_time(self) -> float:
        return round(self.prompt_s, 2)

    @property
    def prompt_rate(self) -> float | str:
        """New prompt tokens a second over the rounded time, as TabbyAPI computes it."""
        return round(self.new_tokens / self.prompt_time, 2) if self.prompt_time > 0 else INDETERMINATE

    @property
    def completion_time(self) -> float:
        return round(self.completion_s, 2)

    @property
    def completion_rate(self) -> float | str:
        """Completion tokens a second from the first decode step to the last."""
        return round(self.completion_tokens / self.completion_s, 2) if self.completion_s > 0 else INDETERMINATE

    @property
    def total_time(self) -> float:
        return round(self.queue_s + self.prompt_s + self.completion_s, 2)

    def usage(self, *, newer: bool) -> dict[str, Any]:
        """The `usage` object. `newer`: with the cache and draft counters; a model without a draft has null there."""
        cache: dict[str, Any] = {"prompt_tokens_details": {"cached_tokens": self.cached_tokens}} if newer else {}
        draft: dict[str, Any] = {"completion_tokens_details": self._prediction()} if newer else {}
        return {
            "prompt_tokens": self.prompt_tokens,
            **cache,
            "prompt_time": self.prompt_time,
            "prompt_tokens_per_sec": self.prompt_rate,
            "completion_tokens": self.completion_tokens,
            **draft,
            "completion_time": self.completion_time,
            "completion_tokens_per_sec": self.completion_rate,
            "total_tokens": self.prompt_tokens + self.completion_tokens,
            "total_time": self.total_time,
        }

    def _prediction(self) -> dict[str, int] | None:
        if not self.drafts:
            return None
        return {"accepted_prediction_tokens": self.accepted, "rejected_prediction_tokens": self.proposed - self.accepted}
