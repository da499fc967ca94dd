"""A replay's clock: where in a recording we are at a given moment. Play, pause, speed, seek, loop; computed, never counted up. Pure."""

from __future__ import annotations

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
# the end stays on the screen for so long before a loop begins again
HOLD_NS = 3_000_000_000


class Transport:
    """Positions and moments in nanoseconds; `now_ns` is any monotonic clock of the caller's.

    The position is the anchor's plus the time since times the speed, so that it never drifts however seldom it is asked for.
    """

    def __init__(self, length_ns: int, now_ns: int, *, speed: float = 1.0, loop: bool = False, playing: bool = True) -> None:
        self.length_ns = max(0, length_ns)
        self.speed = speed
        self.loop = loop
        self.playing = playing
        self._at_ns = 0
        self._since_ns = now_ns

    def position(self, now_ns: int) -> int:
        """From 0 to the length; a looped recording rests at its end for three seconds of this clock, then begins again."""
        if not self.playing:
            return self._at_ns
        raw = self._at_ns + round((now_ns - self._since_ns) * self.speed)
        if self.loop and self.length_ns:
            period = self.length_ns + round(HOLD_NS * self.speed)
            raw %= period
        return max(0, min(self.length_ns, raw))

    def ended(self, now_ns: int) -> bool:
        """At its end, with nothing more to come."""
        return not self.loop and self.position(now_ns) >= self.length_ns

    def toggle(self, now_ns: int) -> None:
        """Pause, go on; at the end: from the beginning."""
        if self.playing and self.ended(now_ns):
            self.seek(0, now_ns)
            return
        self._anchor(now_ns)
        self.playing = not self.playing

    def pause(self, now_ns: int) -> None:
        self._anchor(now_ns)
        self.playing = False

    def seek(self, position_ns: int, now_ns: int) -> None:
        """Go to a position; playing or paused as before."""
        self._at_ns = max(0, min(self.length_ns, position_ns))
        self._since_ns = now_ns

    def skip(self, by_ns: int, now_ns: int) -> None:
        """Forward, or back where negative."""
        self.seek(self.position(now_ns) + by_ns, now_ns)

    def change_speed(self, steps: int, now_ns: int) -> None:
        """To the next of SPEEDS, up (1) or down (-1), without a jump of the position."""
        self._anchor(now_ns)
        if steps > 0:
            self.speed = next((speed for speed in SPEEDS if speed > self.speed), SPEEDS[-1])
        else:
            self.speed = next((speed for speed in reversed(SPEEDS) if speed < self.speed), SPEEDS[0])

    def _anchor(self, now_ns: int) -> None:
        self._at_ns, self._since_ns = self.position(now_ns), now_ns
