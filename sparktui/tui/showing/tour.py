"""Prose, then code, then both on one clock, one sentence about each: which step it is at, what comes next, what is said. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from sparktui.core.records import RunRecord
from sparktui.report import numbers

Step = Literal["start", "story", "story_done", "code", "code_done", "lanes", "over"]

# long enough to see the shape, short enough for the whole tour to take a minute
TOKENS = {"story": 400, "code": 560}
_READ_S = 4.0
_LANES_READ_S = 7.0
_ENOUGH = "ok", "cancelled"


class Words(Struct, frozen=True, kw_only=True):
    """What is said at each step: `{story}` and `{code}` are client tok/s, `{story_chunk}` and `{code_chunk}` tokens a chunk."""

    steps: Mapping[Step, str]
    leave: str
    title: str
    failed: str
    stopped: str


GUIDED = Words(
    steps={
        "start": "In a minute: prose, then code, then both side by side. The simulated server is starting.",
        "story": "Prose flows: some 5 tokens a chunk, a low even band in the strip below.",
        "story_done": "Prose: {story} tok/s. Now code, from the same server with the same settings.",
        "code": "Code bursts: its draft is right more often, so some 16 tokens land at once, and then comes a gap.",
        "code_done": "Code: {code} tok/s. Now both, from the moment each was sent, on one clock.",
        "lanes": "The same two runs. The server works in the same steps; code gets more tokens out of each.",
        "over": "Your turn: s story, c code, b benchmark, h history. To measure yours: {command} --base-url http://HOST:PORT",
    },
    leave="esc ends the tour",
    title="That was the tour",
    failed="The tour ended early: {why}",
    stopped="Your turn: s story, c code, b benchmark, h history. To measure yours: {command} --base-url http://HOST:PORT",
)
"""On the simulated server, whose figures are known beforehand."""

BURSTS = Words(
    steps={
        "start": "Prose, then code, then both side by side.",
        "story": "Prose first. Below, across: time; up: the tokens that landed together.",
        "story_done": "Prose: {story} tok/s, {story_chunk} tokens a chunk. Now code, with the same settings.",
        "code": "Now code. What a draft guesses right lands at once: larger bursts, and gaps.",
        "code_done": "Code: {code} tok/s, {code_chunk} tokens a chunk. Now both, on one clock.",
        "lanes": "The same two runs: prose {story} tok/s, code {code}. home: again, esc: leave.",
        "over": "Prose {story} tok/s, code {code}. In the history a marks two runs and p plays them side by side.",
    },
    leave="esc ends it",
    title="Prose and code",
    failed="It ended early: {why}",
    stopped="Ended before both were through; what came was kept.",
)
"""On whatever server there is: nothing is promised, what is seen is said."""


class Do(Struct, frozen=True):
    """What the tour asks for: a run of a prompt, the two lanes, their end, or nothing but another caption."""

    what: Literal["run", "lanes", "close"]
    prompt: str = ""


class Tour:
    """`advance(…)` each frame; returns what is to be done now. `failed` says why it ended early, "" where it did not.

    `loop`: begin again when it is through. `stays`: the two lanes stay until they are left by hand.
    """

    def __init__(self, words: Words = GUIDED, *, loop: bool = False, stays: bool = False, command: str = "sparktui") -> None:
        self.step: Step = "start"
        self.words = words
        self.failed = ""
        self._stopped = False
        self._loop, self._stays = loop, stays
        self._command = command
        self._since_s = 0.0

    @property
    def over(self) -> bool:
        return self.step == "over"

    def caption(self, done: Mapping[str, RunRecord]) -> str:
        """The line about this step; `done` are the tour's finished runs by prompt."""
        text = self.words.failed if self.failed else self.words.stopped if self._stopped else self.words.steps[self.step]
        told = {name: done.get(name) for name in ("story", "code")}
        rates = {name: numbers.tok_s(run.client_tok_s if run else None) for name, run in told.items()}
        chunks = {f"{name}_chunk": numbers.per_chunk(run.tokens_per_chunk if run else None) for name, run in told.items()}
        return text.format(why=self.failed, command=self._command, **rates, **chunks)

    def end(self, why: str = "") -> None:
        """Stop here, with the reason where something went wrong."""
        self._stopped = self.step != "lanes"
        self.step, self.failed = "over", why

    def advance(self, now_s: float, *, ready: bool, done: Mapping[str, RunRecord], lanes_ended: bool) -> Do | None:
        """`ready`: there is a server. `done`: the tour's finished runs by prompt. `lanes_ended`: both lanes are at their end."""
        if self.step == "start":
            return self._go("story", now_s, Do("run", "story")) if ready else None
        if self.step in ("story", "code"):
            self._running(now_s, done.get(self.step))
            return None
        waited_s = now_s - self._since_s
        if self.step == "story_done" and waited_s >= _READ_S:
            return self._go("code", now_s, Do("run", "code"))
        if self.step == "code_done" and waited_s >= _READ_S:
            return self._go("lanes", now_s, Do("lanes"))
        if self.step == "lanes" and not self._stays:
            if not lanes_ended:
                self._since_s = now_s
            elif waited_s >= _LANES_READ_S:
                return self._go("start" if self._loop else "over", now_s, Do("close"))
        return None

    def _running(self, now_s: float, record: RunRecord | None) -> None:
        if record is None:
            return
        if record.status not in _ENOUGH or not record.timeline:
            self.end(record.error or f"the {record.prompt.name} run brought no text")
            return
        self._go("story_done" if self.step == "story" else "code_done", now_s, None)

    def _go(self, step: Step, now_s: float, do: Do | None) -> Do | None:
        self.step, self._since_s = step, now_s
        return do
