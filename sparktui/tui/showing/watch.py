"""The screen of a watcher: a journal's events folded at 30 Hz, painted by the paint clock, and what is said when its writer is gone."""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec

from sparktui.core.events import AnyEvent, Hello
from sparktui.io.config.configfile import LoadedConfig
from sparktui.io.crashreport import write_crash_report
from sparktui.tui.options import Options
from sparktui.tui.start import options_of
from sparktui.tui.terminal import Report, TerminalApp
from sparktui.tui.workers.journal_link import JournalLink
from sparktui.tui.workers.remember import dress, follow_theme

# at the paint clock's 10 Hz an event would be up to 100 ms old before it is known here
_FOLD_S = 1 / 30
_ENDED = "Its runs are in the history. q leaves."
_KILLED = "What had arrived is shown; it enters the history when sparktui is started next. q leaves."


def main(args: argparse.Namespace, journal: Path) -> int:
    """Watch `journal` until the screen is left; the exit code."""
    loaded: LoadedConfig = args.loaded
    app = WatchApp(
        JournalLink(journal), options_of(loaded), report=lambda error: write_crash_report(error, "watch", loaded.secrets)
    )  # fmt: skip
    dress(app)
    return app.run_here(mouse=loaded.config.ui.mouse)


class WatchApp(TerminalApp):
    """The live screen, read-only, on a journal."""

    def __init__(self, journal: JournalLink, options: Options, *, report: Report) -> None:
        super().__init__(lambda: journal, msgspec.structs.replace(options, source="watch"), report=report, started=follow_theme)
        self.journal = journal

    @property
    def now_ns(self) -> int:
        """The writer's now: this machine's clock where both run here; the last stamp once it is gone."""
        if self.journal.end:
            return self.journal.last_ns
        return self.clock_ns() if self.journal.same_clock else super().now_ns

    def take_in(self) -> None:
        """Fold what was written since the last call, and say it once when the writer is gone."""
        if self._take_in() and self.paint_clock.stir():
            self._set_timer()
        if self.journal.end and self.options.source == "watch":
            self._tell_end()

    def tick(self) -> None:
        super().tick()
        if self.journal.end and self.options.source == "watch":
            self._tell_end()

    def _begin(self) -> None:
        super()._begin()
        self.set_interval(_FOLD_S, self.take_in, name="fold")

    def _take(self, event: AnyEvent) -> None:
        super()._take(event)
        if isinstance(event, Hello):
            self.title = f"sparktui watch {event.session}"

    def _tell_end(self) -> None:
        journal = self.journal
        what = journal.hello.purpose if journal.hello is not None else "session"
        ended = journal.end == "ended"
        self.options = msgspec.structs.replace(self.options, source="ended" if ended else "killed")
        self.restyle()
        text = f"{journal.reason}. {_ENDED}" if ended else f"{journal.reason}. {_KILLED}"
        title = f"The {what} has ended" if ended else f"The {what} was killed"
        self.notify(text[:1].upper() + text[1:], title=title, severity="information" if ended else "error", markup=False, timeout=15)
