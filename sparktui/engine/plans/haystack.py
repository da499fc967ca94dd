"""Needle prompts of an asked length in the server's own tokens."""

from __future__ import annotations

import zlib
from typing import Any

from msgspec import Struct

from sparktui.core.needle import NeedleSpot, first_line, haystack, needles, question
from sparktui.core.needleplan import PROMPT_NAME, NeedlePlace, facts
from sparktui.core.plans import PromptSpec
from sparktui.engine.server.tokencount import STRAW_CHARS_PER_TOKEN, WHOLE_CHARACTERS, TokenCounter

# how far a prompt may stay below the asked length so that it still fits
_SHORTER_BY = 0.01
# the server may round up to its cache's pages; a long text is counted from samples
_ROOM_TOKENS = 256
_MOST_ROOM, _SAMPLED_ROOM = 0.008, 0.003
_CLOSE_ENOUGH = 0.001
_TRIES = 6
_SAMPLED_FROM = int(WHOLE_CHARACTERS / 5)


class Straw(Struct, frozen=True):
    """A prompt that is ready. `needle` is what a run of it carries; `refusal` why it is not worth sending ("" = it is)."""

    prompt: PromptSpec
    needle: dict[str, Any]
    refusal: str = ""


class Haystacks:
    """Builds prompts for one server of context `ctx` (None = not known), leaving room for `max_tokens` of answer."""

    def __init__(self, counter: TokenCounter, *, seed: int, ctx: int | None, max_tokens: int) -> None:
        self.counter = counter
        self._seed = seed
        self._ctx = ctx
        self._max_tokens = max_tokens
        self._ratio = STRAW_CHARS_PER_TOKEN

    def straw(self, place: NeedlePlace, key: str) -> Straw:
        """The prompt for a place, its first line holding `key`. Raises StoppedError."""
        spots = needles(place.depths, _seed_of(self._seed, place))
        goal = self._goal(place.length)
        if goal is None:
            return _refused(place, spots, f"does not fit ({place.length + self._max_tokens:,} > {self._ctx:,})")
        frame = first_line(key) + "".join(spot.sentence() for spot in spots) + question(spots)
        frame_tokens = self.counter.prompt_tokens(frame)
        if frame_tokens > goal:
            return _refused(place, spots, f"too short: needle and question alone take {frame_tokens:,} tokens")
        text, tokens, characters = self._sized(key, spots, goal, frame_tokens)
        needle = facts(
            place, spots, length_tokens=tokens, counted_by=self.counter.counted_by, estimated=self.counter.estimated,
            remake={"seed": self._seed, "key": key, "characters": characters},
        )  # fmt: skip
        return Straw(PromptSpec(name=PROMPT_NAME, text=text), needle)

    def _goal(self, length: int) -> int | None:
        """Tokens to aim at: the asked length, up to 1 % less where only that fits; None where it does not fit."""
        if self._ctx is None:
            return length
        room = max(min(_ROOM_TOKENS, int(length * _MOST_ROOM)), int(length * _SAMPLED_ROOM) if length > _SAMPLED_FROM else 0)
        most = self._ctx - self._max_tokens - room
        return min(length, most) if most >= length * (1 - _SHORTER_BY + _CLOSE_ENOUGH) else None

    def _sized(self, key: str, spots: tuple[NeedleSpot, ...], goal: int, frame_tokens: int) -> tuple[str, int, int]:
        """The text, its tokens and the characters of straw in it, nearer to the goal with every try."""
        wanted = round((goal - frame_tokens) * self._ratio)
        for _ in range(_TRIES):
            characters = max(0, wanted)
            straw = haystack(characters, spots, self._seed)
            text = first_line(key) + straw + question(spots)
            tokens = self._tokens(text, straw, frame_tokens, spots)
            if tokens > frame_tokens:
                self._ratio = characters / (tokens - frame_tokens)
            if abs(tokens - goal) <= max(2, goal * _CLOSE_ENOUGH):
                break
            wanted = characters + round((goal - tokens) * self._ratio)
        return text, tokens, characters

    def _tokens(self, text: str, straw: str, frame_tokens: int, spots: tuple[NeedleSpot, ...]) -> int:
        """A short prompt is counted as it is, a long one as its frame and its straw."""
        if len(text) <= WHOLE_CHARACTERS:
            return self.counter.prompt_tokens(text)
        needles_characters = sum(len(spot.sentence()) for spot in spots)
        return frame_tokens + round(self.counter.tokens(straw) * (1 - needles_characters / len(straw)))


def _seed_of(seed: int, place: NeedlePlace) -> int:
    """Every place has codes of its own, so that no answer can come from an earlier prompt."""
    return zlib.crc32(f"{seed} {place.length} {place.depths}".encode())


def _refused(place: NeedlePlace, spots: tuple[NeedleSpot, ...], why: str) -> Straw:
    needle = facts(place, spots, length_tokens=place.length, counted_by="", estimated=True, remake={})
    return Straw(PromptSpec(name=PROMPT_NAME, text=""), {**needle, "refused": why}, why)
