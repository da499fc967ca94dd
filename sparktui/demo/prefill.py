"""How long the simulated machine reads a prompt, and the prefix cache that spares it the part it has read before."""

from __future__ import annotations

import math

from sparktui.demo import tokens

SHORT_TOK_S = 120.0
SHORT_TOKENS = 64
LONG_TOK_S = 800.0
LONG_TOKENS = 2_048
FLAT_TO_TOKENS = 300_000
FAR_TOKENS = 600_000
FAR_TOK_S = 640.0
SLOWEST_TOK_S = 400.0

PAGE_TOKENS = 256
_KEPT_PROMPTS = 4
_KEPT_CHARACTERS = 16_000_000


def prefill_tok_s(new_tokens: int) -> float:
    """Tokens a second: 120 for short prompts, 800 from 2,048 to 300,000 tokens, from there falling through 640 at 600,000."""
    if new_tokens <= SHORT_TOKENS:
        return SHORT_TOK_S
    if new_tokens < LONG_TOKENS:
        part = math.log(new_tokens / SHORT_TOKENS) / math.log(LONG_TOKENS / SHORT_TOKENS)
        return SHORT_TOK_S * math.pow(LONG_TOK_S / SHORT_TOK_S, part)
    beyond = max(0, new_tokens - FLAT_TO_TOKENS) / (FAR_TOKENS - FLAT_TO_TOKENS)
    return max(SLOWEST_TOK_S, LONG_TOK_S - (LONG_TOK_S - FAR_TOK_S) * beyond)


def prefill_s(new_tokens: int) -> float:
    return new_tokens / prefill_tok_s(new_tokens)


class PrefixCache:
    """The last prompts read. A new one that begins like one of them costs only what follows their whole common pages of 256 tokens."""

    def __init__(self) -> None:
        self._prompts: list[str] = []

    def cached_tokens(self, prompt: str, prompt_tokens: int) -> int:
        """Tokens of `prompt` already there; at least one token is always read."""
        common = max((_common_length(prompt, kept) for kept in self._prompts), default=0)
        if common == 0:
            return 0
        pages = (tokens.count(prompt[:common]) + tokens.MESSAGE_TOKENS) // PAGE_TOKENS
        return min(pages, (prompt_tokens - 1) // PAGE_TOKENS) * PAGE_TOKENS

    def keep(self, prompt: str) -> None:
        """Remember `prompt` once it has been read."""
        others = [kept for kept in self._prompts if kept != prompt]
        self._prompts = [*others[-(_KEPT_PROMPTS - 1) :], prompt]
        while len(self._prompts) > 1 and sum(map(len, self._prompts)) > _KEPT_CHARACTERS:
            del self._prompts[0]

    def clear(self) -> None:
        self._prompts.clear()


def _common_length(a: str, b: str) -> int:
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a.startswith(b[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low
