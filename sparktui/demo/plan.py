"""One answer planned in full before it begins: its text, its figures, and what leaves when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sparktui.demo import tokens
from sparktui.demo.answers import REASONING, answer_to
from sparktui.demo.call import Call
from sparktui.demo.machine import Machine
from sparktui.demo.model import Decode, plan_decode
from sparktui.demo.paces import pace_of
from sparktui.demo.prefill import prefill_s
from sparktui.demo.settings import ModelSettings
from sparktui.demo.texts.shelf import number_of
from sparktui.demo.wire import Ending, Said

DEFAULT_TEMPERATURE = 1.0
GATEWAY_S = 0.035
_THINK_END = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """Seconds are the simulated machine's. `before_s`: what a gateway in between costs. The first `reasoning` pieces are reasoning."""

    pieces: tuple[str, ...]
    reasoning: int
    ending: Ending
    decode: Decode
    prompt_tokens: int
    cached_tokens: int
    prefill_s: float
    before_s: float
    drafts: bool

    def chunks(self) -> Iterator[tuple[float, Said]]:
        """When each chunk with text leaves, in seconds since decoding began, and what it says."""
        sent = 0
        for chunk in self.decode.chunks:
            said = self._said(sent, chunk.tokens)
            sent = chunk.tokens
            if said.content or said.reasoning:
                yield chunk.after_s, said

    def whole(self) -> Said:
        return self._said(0, self.decode.tokens)

    def _said(self, start: int, end: int) -> Said:
        thought = min(end, self.reasoning)
        return Said(content="".join(self.pieces[max(start, self.reasoning) : end]), reasoning="".join(self.pieces[start:thought]))


def plan_answer(call: Call, machine: Machine, settings: ModelSettings) -> Plan:
    """Plan the answer to `call`; counts it as a run of its cell. At temperature 0 text and steps depend on the prompt alone."""
    draft_tokens = 0 if call.faults.no_draft else settings.draft_tokens
    kind = call.question.kind
    temperature = DEFAULT_TEMPERATURE if call.temperature is None else call.temperature
    cell = f"{kind}/{temperature}/{call.early_ends}/{call.faults.no_draft}/{settings.variant}/{number_of(call.question.asked)}"
    turn = machine.turn(cell)
    fixed = temperature == 0 and kind != "structured"
    room = settings.max_seq_len - call.prompt_tokens
    wanted = min(call.max_tokens or room, room)
    limit = max(1, wanted - 1 - draft_tokens)
    answer = answer_to(
        call.question,
        None if temperature == 0 else turn,
        max_tokens=wanted,
        stops=call.stops,
        early_ends=call.early_ends,
        raw=not call.chat,
    )
    thought = (*tokens.pieces(REASONING), "") if call.faults.reasoning else ()
    pieces = (*thought, *answer.pieces)
    end_tokens = tokens.count(answer.stopped) if answer.stopped else 1
    ended = len(pieces) + end_tokens <= limit
    pace = pace_of(
        kind, temperature, draft_tokens, run=0 if fixed else turn, ngram=settings.draft_mode == "ngram", variant=settings.variant
    )
    seed = f"fixed/{call.question.asked}" if fixed else f"{machine.options.seed}/{cell}/{turn}"
    cached = machine.cache.cached_tokens(call.prompt, call.prompt_tokens)
    return Plan(
        pieces=pieces,
        reasoning=len(thought),
        ending=_ending(answer.stopped, ended=ended),
        decode=plan_decode(len(pieces) + end_tokens if ended else limit, pace, seed),
        prompt_tokens=call.prompt_tokens,
        cached_tokens=cached,
        prefill_s=prefill_s(call.prompt_tokens - cached) + call.faults.slow_prefill_s,
        before_s=GATEWAY_S if call.early_ends else 0.0,
        drafts=draft_tokens > 0,
    )


def _ending(stopped: str, *, ended: bool) -> Ending:
    if not ended:
        return Ending("length", "max_new_tokens")
    return Ending("stop", "stop_string", stopped) if stopped else Ending("stop", "stop_token")
