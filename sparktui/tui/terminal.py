"""The app on a real terminal: priority, garbage collection, signals, and a crash report without anybody's variables."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from textual.events import Event

from sparktui.core.commands import CancelRun
from sparktui.errors import EXIT_INTERNAL, EXIT_OK
from sparktui.tui.app import SparkApp
from sparktui.tui.drawing.frame import PaintClock
from sparktui.tui.drawing.glyphs import glyphs_for
from sparktui.tui.drawing.themes import theme_named
from sparktui.tui.options import Options
from sparktui.tui.pasting import PasteTail
from sparktui.tui.screens.live import LiveScreen
from sparktui.tui.workers.link import Connect

_NICER = 10
_EXIT_OF = {signal.SIGTERM: 143, signal.SIGHUP: 129}

Report = Callable[[BaseException], Path | None]
Started = Callable[["TerminalApp"], None]


class TerminalApp(SparkApp):
    """`report` writes a crash report and returns its path. `started` is called once, after the first frame."""

    def __init__(self, connect: Connect, options: Options, *, report: Report, started: Started) -> None:
        _trust_the_terminals_size()
        super().__init__(connect, options)
        self._report = report
        self._started = started
        self.crash = ""
        self._once_ready: list[Callable[[], object]] = []
        self._paste_tail = PasteTail()

    def run_here(self, *, mouse: bool) -> int:
        """Run until it is left; the exit code. A crash was reported, and is told in one line."""
        self.run(mouse=mouse)
        if self.crash:
            print(self.crash, file=sys.stderr)
            return EXIT_INTERNAL
        return self.return_code or EXIT_OK

    async def on_event(self, event: Event) -> None:
        taken = event if event.is_forwarded else self._paste_tail.take(event)
        if taken is not None:
            await super().on_event(taken)

    def _begin(self) -> None:
        loop = asyncio.get_running_loop()
        for number in _EXIT_OF:
            loop.add_signal_handler(number, self._leave, number)
        super()._begin()
        self._settle()

    def tick(self) -> None:
        super().tick()
        server = self.session.server
        if self._once_ready and server is not None and server.state == "ready":
            waiting, self._once_ready = self._once_ready, []
            for work in waiting:
                work()

    def terminal_behind(self) -> bool:
        """Frames that the terminal's writer has not got rid of: it waits for a terminal that takes them slower than they are painted."""
        writer = getattr(self._driver, "_writer_thread", None)
        return writer is not None and writer._queue.qsize() > 0

    def once_ready(self, work: Callable[[], object]) -> None:
        """Call `work` as soon as there is a server to send runs to."""
        self._once_ready.append(work)

    def use_options(self, options: Options) -> None:
        """Other options from now on (the config file changed)."""
        before, self.options = self.options, options
        if options.ui.theme != before.ui.theme:
            self.theme = theme_named(options.ui.theme, self.available_themes)
        if options.ui.glyphs != before.ui.glyphs:
            self.glyphs = glyphs_for(options.ui.glyphs)
        for screen in self.screen_stack:
            if isinstance(screen, LiveScreen):
                # what was set by a key stays, unless the configuration itself says something else now
                if options.temperature != before.temperature:
                    screen.temperature = options.temperature
                if options.max_tokens != before.max_tokens:
                    screen.max_tokens = options.max_tokens
        if options.ui.fps != before.ui.fps:
            self.paint_clock = PaintClock(options.ui.fps)
            self._set_timer()
        self.restyle()

    def _settle(self) -> None:
        """After the first frame: what was imported is never garbage, and painting must not take the worker's time."""
        gc.collect()
        gc.freeze()
        gc.enable()
        if sys.platform.startswith("linux"):
            os.nice(_NICER)
        self._started(self)

    def _leave(self, number: signal.Signals) -> None:
        if self.link is not None:
            self.link.send(CancelRun(everything=True))
        self.exit(_EXIT_OF[number], return_code=_EXIT_OF[number])

    def _handle_exception(self, error: Exception) -> None:
        # Textual's own report prints the local variables of every frame, API keys included
        self._return_code = EXIT_INTERNAL
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
            where = self._report(error)
            place = f"report: {where}" if where else "no report could be written"
            self.crash = f"sparktui: internal error ({type(error).__name__}); {place}"
        self._close_messages_no_wait()


def _trust_the_terminals_size() -> None:
    """An exported COLUMNS or LINES would hide the terminal's real size, and every resize; only a page in a browser is sized that way."""
    if "TEXTUAL_DRIVER" not in os.environ:
        for name in ("COLUMNS", "LINES"):
            os.environ.pop(name, None)
