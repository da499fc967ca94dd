"""Text that is not ours, made fit for the screen: no control reaches the terminal, and every terminal gives it the same width."""

from __future__ import annotations

import re

from sparktui.core.scrub import scrub

# joiners, variation selectors and skin tones: terminals disagree about the width of what they build
_UNSETTLED = re.compile("[\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff\U0001f3fb-\U0001f3ff\U000e0000-\U000e01ef]")
# a pair of them is a flag of one width here and another there: shown as the letters they stand for
_FLAGS = {0x1F1E6 + letter: chr(ord("A") + letter) for letter in range(26)}
# more marks than any script stacks on one letter
_MARKS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0]"
_PILES = re.compile(f"({_MARKS}{{6}}){_MARKS}+")


def shown(text: str, *, keep_newlines: bool = False) -> str:
    """`text` for the screen, one line unless `keep_newlines`. Names, log text, model output and error messages all pass here."""
    clean = scrub(text, keep_newlines=keep_newlines)
    if clean.isascii():
        return clean
    return _PILES.sub(r"\1", _UNSETTLED.sub("", clean.translate(_FLAGS)))
