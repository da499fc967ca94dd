"""The screen of a replay on its own: one run or several in turn on the live screen, or two side by side."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import msgspec
from textual.screen import Screen

from sparktui.core.commands import AnyCommand
from sparktui.core.events import AnyEvent
from sparktui.core.records import RunRecord
from sparktui.core.replay import Recording
from sparktui.io.config.configfile import LoadedConfig
from sparktui.io.crashreport import write_crash_report
from sparktui.tui.options import Options
from sparktui.tui.showing.recordings import playing, screen_for
from sparktui.tui.start import options_of
from sparktui.tui.terminal import Report, TerminalApp
from sparktui.tui.workers.remember import dress, follow_theme


def main(args: argparse.Namespace, records: Sequence[RunRecord]) -> int:
    """Play `records` until the screen is left; the exit code. Raises UsageError for a run that cannot be played."""
    loaded: LoadedConfig = args.loaded
    app = RecordedApp(
        playing(records), options_of(loaded), speed=args.speed, loop=args.loop,
        report=lambda error: write_crash_report(error, "replay", loaded.secrets),
    )  # fmt: skip
    dress(app)
    return app.run_here(mouse=loaded.config.ui.mouse)


class NoWorker:
    """The link of a screen that needs none."""

    state = "up"
    reason = ""

    def events(self) -> list[AnyEvent]:
        return []

    def send(self, command: AnyCommand) -> int:
        return 0

    def close(self) -> int | None:
        return None


class RecordedApp(TerminalApp):
    """The app whose first screen is a replay."""

    def __init__(
        self, recordings: Sequence[Recording], options: Options, *, report: Report, speed: float = 1.0, loop: bool = False
    ) -> None:
        super().__init__(NoWorker, msgspec.structs.replace(options, source="replay"), report=report, started=follow_theme)
        self._recordings, self._speed, self._looped = recordings, speed, loop

    def get_default_screen(self) -> Screen[None]:
        return screen_for(self._recordings, speed=self._speed, loop=self._looped)
