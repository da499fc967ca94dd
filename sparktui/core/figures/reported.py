"""What a server reports about a run, judged: which figures count, which contradict each other, and what follows from them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, get_args

from msgspec import Struct

from sparktui.core.delta import ServerFigures
from sparktui.core.records import Flag

Values = dict[str, Any]

FLAG_ORDER: tuple[Flag, ...] = get_args(Flag)
NO_RATES: frozenset[Flag] = frozenset({"buffered", "not_streamed"})
NOT_IDLE_QUEUE_S = 0.05
_QUEUE_NOISE_S = 0.02
_MIN_PREFILL_S = 0.05
_MODEL_LOAD_S = 0.1
_MAX_CHARS_PER_TOKEN = 10


class Reported(Struct, frozen=True):
    """Record fields with the flags and one-sentence notes that go with them."""

    values: Values
    flags: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def in_order(flags: Collection[str]) -> tuple[Flag, ...]:
    """These flags in the order of the closed list; anything else is left out."""
    return tuple(flag for flag in FLAG_ORDER if flag in flags)


def generated_tokens(figures: ServerFigures) -> tuple[int | None, str, bool]:
    """Tokens generated, a note where it is not simply `completion_tokens`, and whether the sum contradicts itself.

    Some servers count reasoning outside `completion_tokens`: then total = prompt + completion + reasoning, and it is added.
    """
    completion, prompt, total = figures.completion_tokens, figures.prompt_tokens, figures.total_tokens
    reasoning = figures.reasoning_tokens or 0
    if completion is None or prompt is None or total is None or total == prompt + completion:
        return completion, "", False
    if reasoning and total == prompt + completion + reasoning:
        return completion + reasoning, f"The server counts {reasoning} reasoning tokens outside completion_tokens; they are added.", False
    return completion, f"The server's total of {total} tokens is not its {prompt} prompt + {completion} completion tokens.", True


def reported(figures: ServerFigures, *, ttft_s: float | None, characters: int) -> Reported:
    """Record fields from the server's figures: tokens, prefill, queue, decode and acceptance.

    `characters` of the answer expose a count that cannot be; `ttft_s` estimates the prefill rate where the server gives no time.
    """
    flags: set[str] = set()
    notes: list[str] = []
    completion, note, contradicts = generated_tokens(figures)
    if note:
        notes.append(note)
    if contradicts:
        flags.add("token_mismatch")
    if completion == 0 and characters:
        completion = None
        flags.add("token_mismatch")
        notes.append("The server counts 0 tokens for an answer that has text; its count is not used.")
    elif completion and characters > _MAX_CHARS_PER_TOKEN * completion + 100:
        flags.add("token_mismatch")
        notes.append(f"{completion} tokens are too few for {characters:,} characters: the server's count is too low.")
    prompt = _prompt_values(figures, flags)
    queue_s = _queue_s(figures)
    if queue_s is not None and queue_s > NOT_IDLE_QUEUE_S:
        flags.add("not_idle")
    if figures.load_s is not None and figures.load_s > _MODEL_LOAD_S:
        flags.add("model_loaded")
    values: Values = {
        **prompt,
        "completion_tokens": completion,
        "reasoning_tokens": figures.reasoning_tokens,
        "queue_s": queue_s,
        "server_tok_s": _above_zero(figures.server_tok_s),
        "server_decode_s": _above_zero(figures.decode_s),
        **_prefill_values(figures, prompt, ttft_s),
        **acceptance_values(figures),
    }
    return Reported(values, frozenset(flags), tuple(notes))


def acceptance_values(figures: ServerFigures) -> Values:
    """Draft counts of this one request; absent when nothing was proposed or more was accepted than proposed."""
    accepted, proposed = figures.draft_accepted, figures.draft_proposed
    values: Values = {"acceptance_source": figures.acceptance_source, "acceptance_scope": figures.acceptance_scope}
    if figures.acceptance_scope not in (None, "request"):
        return {"acceptance_source": None, "acceptance_scope": None}
    if accepted is None or not proposed or not 0 <= accepted <= proposed:
        return values
    return {
        **values,
        "draft_accepted": accepted,
        "draft_proposed": proposed,
        "acceptance_scope": figures.acceptance_scope or "request",
        "verify_steps": figures.verify_steps or None,
    }


def _prompt_values(figures: ServerFigures, flags: set[str]) -> Values:
    prompt, cached, new = figures.prompt_tokens, figures.cached_tokens, figures.new_tokens
    if cached is not None and prompt is not None and cached > prompt:
        flags.add("partial_acceptance")
        cached = None
    if new is not None and new < 0:
        flags.add("partial_acceptance")
        new = None
    if None not in (prompt, cached, new) and (cached or 0) + (new or 0) != prompt:
        flags.add("partial_acceptance")
    if new is None and prompt is not None and cached is not None:
        new = prompt - cached
    if prompt is None and cached is not None and new is not None:
        prompt = cached + new
    if cached:
        flags.add("cached_prompt")
    return {"prompt_tokens": prompt, "cached_tokens": cached, "new_tokens": new}


def _prefill_values(figures: ServerFigures, prompt: Values, ttft_s: float | None) -> Values:
    """The server's rate; else new tokens ÷ its time; else ÷ TTFT, marked. A time rounded to 10 ms is too coarse below 0.05 s."""
    prefill_s, rate = _above_zero(figures.prefill_s), _above_zero(figures.prefill_tok_s)
    # a time worked out from a rate with two decimals is off in the seventh place
    if prefill_s is not None and prefill_s < _MIN_PREFILL_S and abs(prefill_s - round(prefill_s, 2)) < 1e-6:
        prefill_s = None
    new = prompt["new_tokens"]
    estimated = False
    if rate is None and figures.prefill_s is not None:
        rate = new / prefill_s if new and prefill_s else None
    elif rate is None and ttft_s:
        new = new if new is not None or prompt["cached_tokens"] else prompt["prompt_tokens"]
        rate = new / ttft_s if new else None
        estimated = rate is not None
    return {"prefill_s": prefill_s, "prefill_tok_s": rate, "prefill_estimated": estimated}


def _queue_s(figures: ServerFigures) -> float | None:
    """The server's queue time, else total − load − prefill − decode; differences within the rounding of its times are 0."""
    if figures.queue_s is not None:
        return figures.queue_s if figures.queue_s >= 0 else None
    if figures.total_s is None or figures.prefill_s is None or figures.decode_s is None:
        return None
    rest = figures.total_s - (figures.load_s or 0) - figures.prefill_s - figures.decode_s
    if rest <= -_QUEUE_NOISE_S:
        return None
    return round(rest, 3) if rest >= _QUEUE_NOISE_S else 0.0


def _above_zero(value: float | None) -> float | None:
    return value if value is not None and value > 0 else None
