"""The guided tour: prose, then code, then both on one clock, one sentence about each. Which step it is at and what comes next. Pure."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from sparktui.core.records import RunRecord

Step = Literal["start", "story", "story_done", "code", "code_done", "lanes", "over"]

# long enough to see the shape, short enough for the whole tour to take a minute
TOKENS = {"story": 400, "code": 560}
_READ_S = 4.0
_LANES_READ_S = 7.0
_ENOUGH = "ok", "cancelled"


class Do(Struct, frozen=True):
    """What the tour asks for: a run of a prompt, the two lanes, their end, or nothing but another caption."""

    what: Literal["run", "lanes", "close"]
    prompt: str = ""


class Tour:
    """`advance(…)` each frame; returns what is to be done now. `failed` says why it ended early, "" where it did not."""

    def __init__(self, *, loop: bool = False, command: str = "sparktui") -> None:
        self.step: Step = "start"
        self.failed = ""
        self._loop = loop
        self._command = command
        self._since_s = 0.0

    @property
    def over(self) -> bool:
        return self.step == "over"

    def caption(self, rates: dict[str, str]) -> str:
        """The line about this step; `rates` are the client tok/s of the runs that are done, by prompt."""
        if self.failed:
            return f"The tour ended early: {self.failed}"
        story, code = rates.get("story", ""), rates.get("code", "")
        return {
            "start": "In a minute: prose, then code, then both side by side. The simulated server is starting.",
            "story": "Prose flows: some 5 tokens a chunk, a low even band in the strip below.",
            "story_done": f"Prose: {story} tok/s. Now code, from the same server with the same settings.",
            "code": "Code bursts: its draft is right more often, so some 16 tokens land at once, and then comes a gap.",
            "code_done": f"Code: {code} tok/s. Now both, from the moment each was sent, on one clock.",
            "lanes": "The same two runs. The server works in the same steps; code gets more tokens out of each.",
            "over": f"Your turn: s story, c code, b benchmark, h history. To measure yours: {self._command} --base-url http://HOST:PORT",
        }[self.step]

    def end(self, why: str = "") -> None:
        """Stop here, with the reason where something went wrong."""
        self.step, self.failed = "over", why

    def advance(self, now_s: float, *, ready: bool, done: dict[str, RunRecord], lanes_ended: bool) -> Do | None:
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
        if self.step == "lanes":
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
