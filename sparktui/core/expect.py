"""What may be expected of a prefill that is under way: how large the prompt is, and how long this server takes for one. Pure."""

from __future__ import annotations

from msgspec import Struct

from sparktui.core.figures.prefillrate import like_prefill, prefilled_tokens, size_ratio
from sparktui.core.figures.tokens import estimate_tokens
from sparktui.core.liverun import LiveRun
from sparktui.core.session import SessionState

_SAME_SIZE_FACTOR = 1.25


class Prefill(Struct, frozen=True, kw_only=True):
    """`share` of the prefill done (0..1), from the server (`exact`) or from `expected_s`; None = nothing is known of it.

    `rate` (tokens/s) is this server's own of an earlier run, `same_size`: of a prompt of this size.
    """

    prompt_tokens: int | None = None
    prompt_estimated: bool = False
    expected_s: float | None = None
    rate: float | None = None
    same_size: bool = False
    share: float | None = None
    exact: bool = False


def prefill_of(session: SessionState, run: LiveRun, now_ns: int) -> Prefill:
    """The prefill of `run` as far as it is known at `now_ns`."""
    progress = run.waiting.prompt_progress if run.waiting is not None else None
    if progress is not None and progress.total > 0:
        return Prefill(prompt_tokens=progress.total, share=min(1.0, progress.processed / progress.total), exact=True)
    tokens, estimated = _prompt_tokens(session, run)
    if tokens is None:
        return Prefill()
    like = like_prefill(session.records, run.started.server or session.info, tokens)
    if like is None or like.prefill_tok_s is None:
        return _as_the_worker_expects(run, tokens, estimated, now_ns)
    expected_s = tokens / like.prefill_tok_s
    return Prefill(
        prompt_tokens=tokens, prompt_estimated=estimated, expected_s=expected_s, rate=like.prefill_tok_s,
        same_size=size_ratio(prefilled_tokens(like), tokens) <= _SAME_SIZE_FACTOR, share=min(1.0, run.elapsed_s(now_ns) / expected_s),
    )  # fmt: skip


def _as_the_worker_expects(run: LiveRun, tokens: int, estimated: bool, now_ns: int) -> Prefill:
    """The worker's history reaches further back than the screen's."""
    expected_s = run.started.expected_prefill_s
    if not expected_s:
        return Prefill(prompt_tokens=tokens, prompt_estimated=estimated)
    share = min(1.0, run.elapsed_s(now_ns) / expected_s)
    return Prefill(prompt_tokens=tokens, prompt_estimated=estimated, expected_s=expected_s, rate=tokens / expected_s, share=share)


def _prompt_tokens(session: SessionState, run: LiveRun) -> tuple[int | None, bool]:
    if run.figures.prompt_tokens is not None:
        return run.figures.prompt_tokens, False
    needle = run.started.needle or {}
    needle_tokens = needle.get("length_tokens", needle.get("length"))
    if isinstance(needle_tokens, int):
        return needle_tokens, bool(needle.get("length_estimated", "length_tokens" not in needle))
    prompt = run.started.prompt
    for record in session.records:
        if record.prompt.sha256 == prompt.sha256 and record.prompt_tokens is not None:
            return record.prompt_tokens, False
    if prompt.text is None:
        return None, False
    return max(1, round(estimate_tokens(prompt.text, session.chars_per_token))), True
