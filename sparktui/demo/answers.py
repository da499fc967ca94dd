"""What is said to a prompt, and where it ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sparktui.demo import tokens
from sparktui.demo.needles import needle_answer
from sparktui.demo.paces import Kind
from sparktui.demo.structured import structured_answer
from sparktui.demo.texts import shelf

STRUCTURED_TOKENS = 1_500
_ASKED_CHARACTERS = 2_000

_CODE = re.compile(
    r"\b(?:code|python|module|class|functions?|script|program|pytest|unit tests?|implement\w*|refactor|algorithm|regex|sql|rust|java|"
    r"javascript|typescript|c\+\+|golang|html|bash)(?!\w)",
    re.IGNORECASE,
)
_PROSE = re.compile(
    r"\b(?:story|stories|tale|fable|poem|novel|essay|letter|prose|chapter|paragraphs?|words|describe|once upon)\b", re.IGNORECASE
)

REASONING = (
    "The request is plain enough. I should settle what to write first, keep to one thread, and leave the rest out. "
    "A quiet beginning, something that goes wrong, and an end that follows from both. Then check the length once more.\n"
)


@dataclass(frozen=True, slots=True)
class Question:
    """What a prompt asks for. `found` is the answer to a needle question, `schema` what structured output must fit."""

    kind: Kind
    asked: str
    found: str | None = None
    schema: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """`pieces` are the tokens that may be said, without the end token. `stopped`: the stop string that ends them, itself left out."""

    pieces: tuple[str, ...]
    stopped: str = ""


def question_in(prompt: str, schema: dict[str, Any] | None) -> Question:
    """What is asked, judged by the last paragraph that tells: a context put before it does not count."""
    asked = _last_telling(prompt[-_ASKED_CHARACTERS:])
    if schema is not None:
        return Question("structured", asked, schema=schema)
    found = needle_answer(prompt)
    if found is not None:
        return Question("prose", asked, found=found)
    return Question("code" if len(_CODE.findall(asked)) > len(_PROSE.findall(asked)) else "prose", asked)


def answer_to(
    question: Question,
    turn: int | None,
    *,
    max_tokens: int | None = None,
    stops: tuple[str, ...] = (),
    early_ends: bool = False,
    raw: bool = False,
) -> Answer:
    """The answer. `turn` None: the one that belongs to this prompt (temperature 0), else the turn-th of this cell, from 0.

    `early_ends`: stories often end below 794 tokens. `raw`: a text completion, which gets no word about the demo.
    """
    if question.schema is not None:
        target = min(STRUCTURED_TOKENS, max_tokens - 16) if max_tokens else STRUCTURED_TOKENS
        text = structured_answer(question.schema, target, f"{question.asked}/{turn or 0}")
    elif question.found is not None:
        text = question.found
    elif question.kind == "code":
        text = shelf.module(question.asked, turn)
    else:
        text = _prose(question.asked, turn, early_ends=early_ends, raw=raw)
    cut = min(((place, stop) for stop in stops if stop and (place := text.find(stop)) >= 0), default=(len(text), ""))
    return Answer(tuple(tokens.pieces(text[: cut[0]])), cut[1])


def _last_telling(text: str) -> str:
    paragraphs = text.split("\n\n")
    for n in range(len(paragraphs) - 1, 0, -1):
        if _CODE.search(paragraphs[n]) or _PROSE.search(paragraphs[n]):
            return "\n\n".join(paragraphs[n:])
    return text


def _prose(asked: str, turn: int | None, *, early_ends: bool, raw: bool) -> str:
    if not raw and not _PROSE.search(asked):
        return f"{shelf.WELCOME}\n{shelf.story(asked, turn)}"
    return shelf.story_with_early_ends(asked, turn) if early_ends and turn is not None else shelf.story(asked, turn)
