"""What a run of a needle prompt came to: found or not, or a prompt that does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparktui.core.needleplan import judged
from sparktui.engine.running.answer import Outcome
from sparktui.servers.wire_errors import ContextOverflowError


def needle_verdict(needle: Mapping[str, Any] | None, answer: str, outcome: Outcome) -> dict[str, Any] | None:
    """What the run adds to its `needle`: `found` (and `found_each`), and `refused` where the server says the context is too small."""
    if needle is None:
        return None
    verdict = judged(needle, answer, outcome.status)
    error = outcome.error
    if isinstance(error, ContextOverflowError):
        known = error.n_prompt is not None and error.n_ctx is not None
        verdict["refused"] = f"does not fit ({error.n_prompt:,} > {error.n_ctx:,})" if known else "does not fit"
    return verdict
