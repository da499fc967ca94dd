"""Text put before a prompt so that it is answered at some depth of context: of a given length, and new to every prefix cache."""

from __future__ import annotations

import secrets
import time

import msgspec

from sparktui.core.ids import new_id
from sparktui.core.needle import haystack
from sparktui.core.plans import PromptSpec
from sparktui.engine.server.tokencount import STRAW_CHARS_PER_TOKEN, TokenCounter

_CLOSE_ENOUGH = 0.005
_TRIES = 5


class Contexts:
    """`tokens` of seeded sentences. Every `before` begins with a line that no other prompt has, and goes on the same."""

    def __init__(self, tokens: int, seed: int, counter: TokenCounter) -> None:
        self._tokens = tokens
        self._straw = self._sized(tokens, seed, counter)
        self.estimated = counter.estimated

    def before(self, prompt: PromptSpec) -> PromptSpec:
        """The prompt with its context."""
        context = _first_line(new_id(time.time(), secrets.token_bytes(8))) + self._straw
        return msgspec.structs.replace(prompt, context=context, context_tokens=self._tokens)

    @staticmethod
    def _sized(tokens: int, seed: int, counter: TokenCounter) -> str:
        """Sentences that with a first line come to within 0.5 % of `tokens`, as far as the counter can tell."""
        line = _first_line(new_id(0, b"\0" * 8))
        ratio = STRAW_CHARS_PER_TOKEN
        wanted = round(tokens * ratio)
        for _ in range(_TRIES):
            straw = haystack(max(0, wanted), (), seed).rstrip() + "\n\n"
            found = counter.tokens(line + straw)
            if abs(found - tokens) <= max(2, tokens * _CLOSE_ENOUGH):
                break
            ratio = len(straw) / max(1, found)
            wanted += round((tokens - found) * ratio)
        return straw


def _first_line(key: str) -> str:
    return f"Harbour log {key}. These entries are background only; what is asked for comes after them.\n\n"
