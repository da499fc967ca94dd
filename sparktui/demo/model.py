"""The engine model: how many tokens each decode step yields, how long it takes, and when a chunk leaves.

A step drafts up to k tokens: drafting goes on with probability q, each draft is accepted with probability p until the first rejection,
and one token of the main model's own follows. Its time grows with what was drafted. All seconds are those of the simulated machine.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from sparktui.demo.sequence import points

TOKEN_S = 0.0345
STEP_BASE = 1.26
STEP_PER_DRAFT = 0.337
DRAFT_TOKENS = 5
STEPS_PER_CHUNK = 3
FIRST_CHUNK_STEP = 8


class Step(NamedTuple):
    """One decode step. It yields accepted + 1 tokens."""

    drafted: int
    accepted: int


@dataclass(frozen=True, slots=True)
class Pace:
    """How well the draft guesses. `draft_tokens` 0 = no draft."""

    q: float
    p: float
    draft_tokens: int = DRAFT_TOKENS

    def outcomes(self) -> Iterator[tuple[Step, float]]:
        """Every possible step with its probability, in an order in which neighbours are alike, so that evenly spread draws miss little."""
        q, p, k = self.q, self.p, self.draft_tokens
        for drafted in range(k + 1):
            reach = q**drafted * (1 - q if drafted < k else 1)
            up = range(drafted + 1)
            for accepted in up if drafted % 2 else reversed(up):
                yield Step(drafted, accepted), reach * p**accepted * (1 - p if accepted < drafted else 1)

    @property
    def drafted_per_step(self) -> float:
        return sum(self.q**n for n in range(1, self.draft_tokens + 1))

    @property
    def tokens_per_step(self) -> float:
        return 1 + sum((self.q * self.p) ** n for n in range(1, self.draft_tokens + 1))

    @property
    def tok_s(self) -> float:
        """Expected tokens a second over all steps: what a long answer's server rate tends to."""
        return self.tokens_per_step / step_s(self.drafted_per_step, drafting=self.draft_tokens > 0)

    def step_s(self, step: Step) -> float:
        return step_s(step.drafted, drafting=self.draft_tokens > 0)


@dataclass(frozen=True, slots=True)
class Chunk:
    """`after_s`: seconds since decoding began. The chunk brings the tokens up to number `tokens`, counted from the first."""

    after_s: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Decode:
    """A whole generation. `proposed` = accepted + rejected drafts; steps = tokens − accepted, by construction."""

    tokens: int
    steps: int
    accepted: int
    proposed: int
    decode_s: float
    chunks: tuple[Chunk, ...]


def step_s(drafted: float, *, drafting: bool = True) -> float:
    """Seconds of a step: a single-token pass × (1.26 + 0.337 × drafted); without a draft the single-token pass itself."""
    return TOKEN_S * (STEP_BASE + STEP_PER_DRAFT * drafted) if drafting else TOKEN_S


def draw_steps(tokens: int, pace: Pace, seed: str) -> list[Step]:
    """Steps that yield exactly `tokens`; the last one loses the drafts that would go past."""
    steps, weights = zip(*pace.outcomes(), strict=True)
    bounds = list(accumulate(weights))
    drawn: list[Step] = []
    left = tokens
    for point in points(seed):
        if left <= 0:
            break
        step = steps[min(bisect_right(bounds, point), len(steps) - 1)]
        if step.accepted >= left:
            step = Step(step.drafted, left - 1)
        drawn.append(step)
        left -= step.accepted + 1
    return drawn


def plan_decode(tokens: int, pace: Pace, seed: str) -> Decode:
    """When every chunk of an answer of `tokens` tokens leaves.

    The first leaves after eight steps with the text of seven, then one after every third step, each a step behind;
    the last step brings a chunk of what is left.
    """
    steps = draw_steps(tokens, pace, seed)
    times = [0.0, *accumulate(pace.step_s(step) for step in steps)]
    counts = [0, *accumulate(step.accepted + 1 for step in steps)]
    chunks = [Chunk(times[n], counts[n - 1]) for n in range(FIRST_CHUNK_STEP, len(steps) + 1, STEPS_PER_CHUNK)]
    chunks.append(Chunk(times[-1], counts[-1]))
    return Decode(
        tokens=tokens,
        steps=len(steps),
        accepted=sum(step.accepted for step in steps),
        proposed=sum(step.drafted for step in steps),
        decode_s=times[-1],
        chunks=tuple(chunks),
    )
