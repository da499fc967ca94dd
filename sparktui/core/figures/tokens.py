"""Tokens estimated from text, for servers that give no count. Always an estimate: a chunk is never taken for a token.

Modelled on what byte-pair vocabularies do: a short word is one token with the space before it, a long one more; signs, digits and
line ends are tokens of their own, more so in code. That comes to about 4 characters a token in prose and 3 in code (docs/metrics.md),
follows plain or learned wording, and is scaled by the model's own measured ratio after its first finished run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from sparktui.core.delta import TextKind

PROSE_CHARS_PER_TOKEN = 4.0

_WHOLE_WORD_LETTERS = 5
_TOKENS_PER_FURTHER_LETTER = 0.15
_TOKENS_PER_DIGIT = 0.5
_TOKENS_PER_SIGN = {False: 0.85, True: 1.0}
_TOKENS_PER_LINE_END = {False: 0.7, True: 1.4}
_TOKENS_PER_LONE_BLANK = 0.5

_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_SIGN = re.compile(r"[^\w\s]|_")

_HEAD_CHARS = 200
_FENCES = ("```", "~~~")
_STARTS_CODE = r"""\s*(?:
        (?:async\ )?def\ \w+\(.* | class\ \w+.*[:{] | @\w[\w.]*(?:\(.*)?$
      | import\ [\w., ]+$ | from\ [\w.]+\ import\ .* | \#include\ .* | \#!/.*
      | (?:if|for|while|elif|with|except|switch)\b.*[:{]$ | (?:try|else|finally)\ ?[:{]$
      | (?:return|raise|yield|assert)\ [\w.\[\](){}"']+.*[\w)\]}"';]$
      | (?:const|let|var|fn|func|public|private|static|struct|enum|impl|package|use|using|namespace|SELECT|INSERT|CREATE)\ .*[({;=]$
      | [\w.\[\]"']+(?:,\ [\w.]+)*(?::\ [\w.\[\], |]+)?\ (?:[-+*/|&%]|//)?=\ .+
      | [\w.]+\(.*\);?$ | .*[;{}]$ | </?\w[^>]*>.*$
    )"""
_SHORT_TOKEN_SCRIPTS = (
    (r"[\u0370-\u1fff\ua4d0-\ua97f]", 2.2),
    (r"[\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]", 1.4),
    (r"[\u2190-\u2bff\ufe0f\u200d\U00010000-\U0001ffff]", 0.5),
)


@cache
def _starts_code() -> re.Pattern[str]:
    # compiled with the first text, not with the import: the screen's first frame does not wait for it
    return re.compile(_STARTS_CODE, re.VERBOSE)


@cache
def _short_token_scripts() -> tuple[tuple[re.Pattern[str], float], ...]:
    return tuple((re.compile(characters), each) for characters, each in _SHORT_TOKEN_SCRIPTS)


class _Lines:
    """Tells line by line whether text is code, in fences or by its looks; `code` is the answer for the line under way."""

    def __init__(self) -> None:
        self.code = False
        self._was_code = False
        self._in_fence = False
        self._head = ""

    def extend(self, text: str) -> None:
        """The line under way grows by `text` (no line end in it)."""
        room = _HEAD_CHARS - len(self._head)
        if room <= 0 or not text:
            return
        self._head += text[:room]
        stripped = self._head.strip()
        if self._in_fence or stripped.startswith(_FENCES) or _starts_code().match(self._head.rstrip()):
            self.code = True
        elif self._was_code and stripped and not self._head[0].isspace():
            self.code = not _is_sentence(stripped)
        else:
            self.code = self._was_code

    @property
    def written(self) -> bool:
        """Whether the line under way has anything but blanks."""
        return bool(self._head.strip())

    def end(self) -> None:
        """The line under way is complete."""
        if self._head.strip().startswith(_FENCES):
            self._in_fence = not self._in_fence
            self._was_code = False
        elif self._head.strip():
            self._was_code = self.code
        self._head = ""
        self.code = self._in_fence or self._was_code


def _is_sentence(line: str) -> bool:
    """Whether a line reads like prose: four words or more, nearly all of letters alone, and no comment or closing bracket in front."""
    words = line.split()
    plain = sum(word.strip(".,;:!?…“”\"'’()*-").isalpha() for word in words)
    return len(words) >= 4 and plain >= 0.75 * len(words) and line[0] not in "#)]}/"


class TokenEstimator:
    """Running estimate over a stream. `chars_per_token` is a measured prose ratio (see `measured_ratio`); code scales with it."""

    def __init__(self, chars_per_token: float | None = None) -> None:
        self._scale = PROSE_CHARS_PER_TOKEN / chars_per_token if chars_per_token else 1.0
        self._lines: dict[TextKind, _Lines] = {}
        self.total = 0.0

    def add(self, text: str, kind: TextKind = "content") -> float:
        """Estimated tokens of this piece, not rounded; above 0 for any text. Tool calls are counted as code."""
        lines = self._lines.setdefault(kind, _Lines())
        tokens = 0.0
        for number, part in enumerate(text.split("\n")):
            if number:
                tokens += _TOKENS_PER_LINE_END[lines.code or kind == "tool"] if lines.written else 0.0
                lines.end()
            lines.extend(part)
            tokens += _tokens_in(part, code=lines.code or kind == "tool")
        tokens = (tokens or _TOKENS_PER_LONE_BLANK if text else 0.0) * self._scale
        self.total += tokens
        return tokens


def _tokens_in(text: str, *, code: bool) -> float:
    """Estimated tokens of text within one line."""
    tokens = 0.0
    if not text.isascii():
        for pattern, chars_per_token in _short_token_scripts():
            text, found = pattern.subn("", text)
            tokens += found / chars_per_token
    for word in _LETTERS.findall(text):
        tokens += 1 + max(0, len(word) - _WHOLE_WORD_LETTERS) * _TOKENS_PER_FURTHER_LETTER
    return tokens + len(_DIGIT.findall(text)) * _TOKENS_PER_DIGIT + len(_SIGN.findall(text)) * _TOKENS_PER_SIGN[code]


def estimate_tokens(text: str, chars_per_token: float | None = None, kind: TextKind = "content") -> float:
    """Estimated tokens of a whole text, judged on complete lines."""
    return TokenEstimator(chars_per_token).add(text, kind)


def measured_ratio(texts: Iterable[tuple[TextKind, str]], tokens: int | None) -> float | None:
    """The model's own ratio, as characters of ordinary prose a token, from a finished run of known count; None when it says nothing.

    A run of code gives the ratio that would have made its own estimate right, so that the next run may be of another kind.
    """
    estimate = sum(estimate_tokens(text, kind=kind) for kind, text in texts)
    if not tokens or tokens < 16 or estimate <= 0:
        return None
    return PROSE_CHARS_PER_TOKEN * estimate / tokens


def share_out(total: float, weights: Sequence[float]) -> list[float]:
    """`total` split in proportion to `weights`, so that the parts sum to it; evenly where all weights are 0."""
    whole = sum(weights)
    if whole <= 0:
        return [total / len(weights)] * len(weights) if weights else []
    return [total * weight / whole for weight in weights]
