"""The state every header names: a glyph, words, a colour role. Pure."""

from __future__ import annotations

from typing import Literal

from sparktui.core.figures.phase import Phase
from sparktui.tui.drawing.roles import Role

Source = Literal["live", "replay", "watch", "ended", "killed"]

_STATES: dict[str, tuple[str, str, Role]] = {
    "idle": ("○", "idle", "muted"),
    "connecting": ("◌", "connecting", "muted"),
    "loading": ("◌", "model is loading", "burst"),
    "prefill": ("◌", "prefill", "burst"),
    "generating": ("●", "generating", "good"),
    "done": ("✓", "done", "good"),
    "cancelled": ("■", "cancelled", "muted"),
    "cut_off": ("■", "cut off", "burst"),
    "failed": ("✕", "failed", "bad"),
    "unreachable": ("✕", "unreachable", "bad"),
}
_SOURCES: dict[str, tuple[str, str, Role]] = {
    "replay": ("▶", "replay", "flow"),
    "watch": ("◉", "watching", "flow"),
    "ended": ("✓", "it has ended", "good"),
    "killed": ("✕", "it was killed", "bad"),
}


def state_of(phase: Phase, source: Source = "live") -> tuple[str, str, Role]:
    """(glyph, words, role). A replay and a watcher say so in place of the phase, but for a stall of what they look at."""
    if phase.name == "stalled" and source not in ("ended", "killed"):
        return "◌", f"no chunk for {int(phase.seconds)} s", "burst"
    return _SOURCES.get(source) or _STATES[phase.name]
