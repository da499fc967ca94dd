"""Which screen plays which runs: two side by side, any other number in turn."""

from __future__ import annotations

from collections.abc import Sequence

from textual.screen import Screen

from sparktui.core.records import RunRecord
from sparktui.core.replay import NotReplayableError, Recording, recording_of
from sparktui.errors import UsageError
from sparktui.tui.screens.lanes import LanesScreen
from sparktui.tui.screens.replay import ReplayScreen

_NO_TIMELINE = "Runs of the history have one; exports only with --timeline (sparktui history export --timeline)."


def playing(records: Sequence[RunRecord]) -> list[Recording]:
    """Two runs as two recordings, to be seen side by side; any other number as one, in turn. Raises UsageError as `recorded` does."""
    return [recorded([record]) for record in records] if len(records) == 2 else [recorded(records)]


def recorded(records: Sequence[RunRecord]) -> Recording:
    """`records` in turn. Raises UsageError for one that cannot be played."""
    try:
        return recording_of(records)
    except NotReplayableError as error:
        lacking = next(record for record in records if not record.timeline)
        raise UsageError(f"The run {lacking.id} cannot be played: {error}.", hint=_NO_TIMELINE) from error


def screen_for(recordings: Sequence[Recording], *, speed: float = 1.0, loop: bool = False) -> Screen[None]:
    """The screen that plays one recording, or two side by side."""
    if len(recordings) == 2:
        return LanesScreen(recordings, speed=speed, loop=loop)
    return ReplayScreen(recordings[0], speed=speed, loop=loop)
