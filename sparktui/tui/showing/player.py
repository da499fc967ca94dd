"""A recording being played: the transport's position decides which events a session has folded, forward or from the start again."""

from __future__ import annotations

from sparktui.core.replay import ORIGIN_NS, Recording
from sparktui.core.session import SessionState
from sparktui.core.transport import Transport


class Track:
    """One recording and the session its events are folded into. A track that jumps back begins its run anew in the same session."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.session = SessionState()
        self._next = 0
        self._played_ns = 0

    def play_to(self, position_ns: int) -> None:
        """Bring the session to a position. Where it lies behind, everything up to it is folded again."""
        if position_ns < self._played_ns:
            self._next = 0
            self.session.active.clear()
            self.session.forget([record.id for record in self.recording.records])
            self.session.current = None
            self.session.rev.run += 1
        self._played_ns = position_ns
        cues = self.recording.cues
        while self._next < len(cues) and cues[self._next].at_ns <= position_ns:
            self.session.fold(cues[self._next].event)
            self._next += 1

    @property
    def run_ended(self) -> bool:
        """Whether its last run is over at this position."""
        return self._next >= len(self.recording.cues)


class Player:
    """Tracks on one transport. `advance(now_ns)` each frame, then read the tracks' sessions; `now_ns` is their clock at that frame."""

    def __init__(self, recordings: list[Recording], now_ns: int, *, speed: float = 1.0, loop: bool = False) -> None:
        self.tracks = [Track(recording) for recording in recordings]
        self.length_ns = max((recording.length_ns for recording in recordings), default=0)
        self.transport = Transport(self.length_ns, now_ns, speed=speed, loop=loop)
        self.position_ns = 0
        self._steps = sorted({step for recording in recordings for step in recording.steps_ns})

    @property
    def now_ns(self) -> int:
        """The moment of the position, on the clock that the recordings' stamps are of."""
        return ORIGIN_NS + self.position_ns

    def advance(self, now_ns: int) -> None:
        """Play up to where the transport is at `now_ns`, the caller's clock."""
        self.position_ns = self.transport.position(now_ns)
        for track in self.tracks:
            track.play_to(self.position_ns)

    def step(self, steps: int, now_ns: int) -> None:
        """Pause, and go to the next moment at which text lands (1), or to the one before (-1)."""
        self.transport.pause(now_ns)
        at_ns = self.transport.position(now_ns)
        if steps > 0:
            wanted = next((step for step in self._steps if step > at_ns), self.length_ns)
        else:
            wanted = next((step for step in reversed(self._steps) if step < at_ns), 0)
        self.transport.seek(wanted, now_ns)
