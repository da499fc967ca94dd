"""Answers a needle question by really searching the prompt for the sentence that holds the code."""

from __future__ import annotations

import re

_LONG_CHARACTERS = 2_000
_QUESTION_CHARACTERS = 1_500
_SENTENCE_CHARACTERS = 300

_SUBJECT = r"(?:codes?|passwords?|pass ?phrases?|numbers?|keys?)"
_ASKS = re.compile(rf"\b(?:what|which|find|give|tell|recall|repeat)\b[^?.]{{0,120}}\b{_SUBJECT}\b", re.IGNORECASE)
_HELD = re.compile(rf"\b{_SUBJECT}\b[^.!?\n]{{0,200}}?(?<![\w,-])(\d{{4,}})(?![\w-])")
_BREAKS = (". ", ".\n", "\n", "! ", "? ")
_WORD = re.compile(r"[^\W\d_]{3,}")
_FUNCTION_WORDS = frozenset(
    ("the", "and", "for", "from", "that", "this", "with", "has", "was", "are", "you", "your", "its", "what", "which", "secret", "magic")
)


def needle_answer(prompt: str) -> str | None:
    """The answer to a question about a code in a long text; None where the prompt is no such question."""
    if len(prompt) < _LONG_CHARACTERS:
        return None
    question = _last_words(prompt)
    if not _ASKS.search(question):
        return None
    straw = prompt[: len(prompt) - len(question)]
    asked = _words(question)
    held = _candidates(straw)
    exact = [found for found in held if _words(found[0]) <= asked]
    if not exact and held:
        best = max(len(_words(sentence) & asked) for sentence, _, _ in held)
        exact = [found for found in held if len(_words(found[0]) & asked) == best][:1]
    if not exact:
        return "I read the text from its first line to its last, and I find no sentence in it that holds such a code.\n"
    return "".join(_told(sentence, code, place / len(straw)) for sentence, code, place in exact)


def _last_words(prompt: str) -> str:
    """The end of the prompt from the last empty line on: the question."""
    tail = prompt[-_QUESTION_CHARACTERS:].rstrip()
    cut = tail.rfind("\n\n")
    return prompt[-_QUESTION_CHARACTERS:][max(cut, 0) :]


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)} - _FUNCTION_WORDS


def _candidates(straw: str) -> list[tuple[str, str, int]]:
    """Sentences that name a code and then give a number of four digits or more, with that number and their place."""
    found = []
    for match in _HELD.finditer(straw):
        start = max(straw.rfind(mark, max(0, match.start() - _SENTENCE_CHARACTERS), match.start()) for mark in _BREAKS)
        sentence = straw[max(start + 1, 0) : match.start(1)].strip()
        found.append((sentence, match.group(1), match.start()))
    return found


def _told(sentence: str, code: str, depth: float) -> str:
    where = f"{round(100 * depth)} %"
    return (
        f"The code is {code}. It stands in one short sentence, about {where} of the way through the text: "
        f"“{sentence} {code}.” Nothing else in the text speaks of it, and the lines before and after it have nothing to do with it.\n"
    )
