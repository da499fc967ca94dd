"""The paint clock: when to drain events and what to paint. It slows down when painting is expensive, never the measurement. Pure."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

FASTEST_HZ = 10.0
SLOWEST_HZ = 4.0
MOST_HZ = 30.0
_METER_S = 0.25
_SECOND_S = 1.0
# a frame that takes more than this share of its period makes the clock slower, one below the other share faster
_HEAVY, _LIGHT = 0.5, 0.2
_CALM_FRAMES = 20
RESTING_HZ = 4.0
_STILL_FRAMES = 50
_PAUSE_FRAMES = 4


class Due(Struct, frozen=True):
    """What this frame may paint besides what changed: the meter (4 Hz), counters of whole seconds (1 Hz)."""

    meter: bool
    second: bool

    def __or__(self, other: Due) -> Due:
        """Due in one of two frames."""
        return Due(self.meter or other.meter, self.second or other.second)


class PaintClock:
    """`begin(now_s)` at each tick says what is due, `end(now_s)` tells what the frame cost; `period_s` is the time to the next tick."""

    def __init__(self, fps: int | Literal["auto"] = "auto") -> None:
        self._fixed = fps != "auto"
        self.hz = FASTEST_HZ if fps == "auto" else max(1.0, min(MOST_HZ, float(fps)))
        self._began_s = 0.0
        self._expected_s: float | None = None
        self._meter_s = self._second_s = float("-inf")
        self._calm = 0
        self._still = 0

    @property
    def period_s(self) -> float:
        return 1 / (min(self.hz, RESTING_HZ) if self._still >= _STILL_FRAMES else self.hz)

    def stir(self) -> bool:
        """Something came or is asked for: frames at the full rate again. True when the period changed."""
        rested, self._still = self._still >= _STILL_FRAMES, 0
        if rested:
            self._expected_s = None
        return rested

    def rest(self) -> bool:
        """A frame in which nothing came and nothing runs; after four the full rate is due again, after some seconds it looks less often.

        True when the period changed.
        """
        self._still += 1
        if self._still == _STILL_FRAMES:
            self._expected_s = None
        # what made the clock slow is over: the next run begins at the full rate
        quicker = self._still == _PAUSE_FRAMES and not self._fixed and self._change(FASTEST_HZ)
        return quicker or self._still == _STILL_FRAMES

    def begin(self, now_s: float) -> Due:
        self._began_s = now_s
        meter = now_s >= self._meter_s
        if meter:
            self._meter_s = _next(self._meter_s, now_s, _METER_S)
        second = now_s >= self._second_s
        if second:
            self._second_s = _next(self._second_s, now_s, _SECOND_S)
        return Due(meter, second)

    def end(self, now_s: float) -> bool:
        """Take in the cost: the time since `begin` and how late `begin` was. True when the period changed."""
        late_s = max(0.0, self._began_s - self._expected_s) if self._expected_s is not None else 0.0
        self._expected_s = self._began_s + self.period_s
        if self._fixed:
            return False
        share = (now_s - self._began_s + late_s) / self.period_s
        if share > _HEAVY:
            self._calm = 0
            return self._change(max(SLOWEST_HZ, self.hz * 0.7))
        self._calm = self._calm + 1 if share < _LIGHT else 0
        if self._calm < _CALM_FRAMES:
            return False
        self._calm = 0
        return self._change(min(FASTEST_HZ, self.hz * 1.3))

    def held_up(self) -> bool:
        """The terminal has not taken the last frame yet: this one is not painted. True when the period changed."""
        self._calm = 0
        self._expected_s = None
        return False if self._fixed else self._change(max(SLOWEST_HZ, self.hz * 0.7))

    def _change(self, hz: float) -> bool:
        changed, self.hz = hz != self.hz, hz
        if changed:
            self._expected_s = None
        return changed


def _next(due_s: float, now_s: float, every_s: float) -> float:
    """The next time on the same beat; a beat that was missed altogether begins anew."""
    return due_s + every_s if due_s + every_s > now_s else now_s + every_s
