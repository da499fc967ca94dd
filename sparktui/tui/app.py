"""The app: puts session, link, paint clock, theme and screens together. What they do is theirs."""

from __future__ import annotations

import gc
import time
from collections import deque
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Protocol

from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.events import Paste
from textual.markup import escape
from textual.screen import ModalScreen, Screen
from textual.timer import Timer

from sparktui.core.commands import AnyCommand
from sparktui.core.events import AnyEvent, ErrorEvent, Hello, MemoryNow, Reply
from sparktui.core.session import SessionState
from sparktui.tui.clocks import WorkerClock
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.frame import Due, PaintClock
from sparktui.tui.drawing.glyphs import glyphs_for
from sparktui.tui.drawing.roles import Roles
from sparktui.tui.drawing.themes import SPARK_LIGHT, theme_named
from sparktui.tui.options import Options
from sparktui.tui.screens.base import SparkScreen
from sparktui.tui.screens.live import LiveScreen
from sparktui.tui.workers.link import Connect, Link

Answered = Callable[[Reply], None]


class Guiding(Protocol):
    """Whoever leads through the screen for a while."""

    def step(self) -> None: ...

    def take(self, event: AnyEvent) -> None: ...

    def tell(self) -> None: ...

    def end(self) -> None: ...


_TAKE_IN_NS = 40_000_000
_LOOK_EVERY = 32
_BREATH_S = 0.025


class SparkApp(App[int]):
    """`connect` is called once the first frame is on the screen; `link` is None until then. Tests inject the clocks."""

    TITLE = "sparktui"
    # whole, because a relative path would be looked for beside the file of a subclass
    CSS_PATH = Path(__file__).with_name("styles") / "app.tcss"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = []

    _roles: Roles | None = None

    def __init__(
        self,
        connect: Connect,
        options: Options | None = None,
        *,
        clock_ns: Callable[[], int] = time.perf_counter_ns,
        wall_clock: Callable[[], datetime] = datetime.now,
    ) -> None:
        self.options = options or Options()
        super().__init__()
        self._goes_on = False
        self.clock_ns = clock_ns
        self.wall_clock = wall_clock
        self.session = SessionState()
        self.worker_clock = WorkerClock()
        self.paint_clock = PaintClock(self.options.ui.fps)
        self.glyphs = glyphs_for(self.options.ui.glyphs)
        self.link: Link | None = None
        self.guide: Guiding | None = None
        self._connect = connect
        self._answers: dict[int, Answered] = {}
        self._backlog: deque[AnyEvent] = deque()
        self._timer: Timer | None = None
        self._owed = Due(False, False)
        self.register_theme(SPARK_LIGHT)
        self.theme = theme_named(self.options.ui.theme, self.available_themes)

    @property
    def roles(self) -> Roles:
        """The colours of the current theme."""
        if self._roles is None:
            self._roles = Roles(self.theme_variables, dark=self.current_theme.dark, colourless=self.no_color)
        return self._roles

    def get_css_variables(self) -> dict[str, str]:
        """Textual's, and our mixed colours as `$role-…`."""
        variables = super().get_css_variables()
        self._roles = None
        roles = Roles(variables, dark=self.current_theme.dark)
        return {**variables, **{f"role-{role}": colour.css for role, colour in roles.colours.items()}}

    @property
    def now_ns(self) -> int:
        """Now, on the worker's clock."""
        return self.worker_clock.now(self.clock_ns())

    def get_default_screen(self) -> Screen[None]:
        return LiveScreen()

    def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, lambda theme: self.restyle())
        self.call_after_refresh(self._begin)

    def restyle(self) -> None:
        """Dress every screen anew."""
        self._roles = None
        for screen in self.screen_stack:
            if isinstance(screen, SparkScreen):
                screen.restyle()

    def send(self, command: AnyCommand, answered: Answered | None = None) -> int:
        """Send a command; `answered` is called with its reply. Returns 0 when there is nobody to send it to."""
        number = self.link.send(command) if self.link is not None else 0
        if self.paint_clock.stir():
            self._set_timer()
        if number and answered is not None:
            self._answers[number] = answered
        return number

    def tick(self) -> None:
        """One frame: take in what arrived, let the screen on top paint what changed, also beneath a question."""
        if not self.is_running:
            # on the way out screens are taken apart piece by piece
            return
        due = self.paint_clock.begin(self.clock_ns() / 1e9)
        screen = self._painting()
        busy = self._take_in() or bool(self.session.active) or (isinstance(screen, SparkScreen) and screen.moves)
        if self.terminal_behind():
            self._owed |= due
            changed = self.paint_clock.held_up()
        else:
            if isinstance(screen, SparkScreen) and screen.is_attached:
                screen.paint(due | self._owed)
            self._owed = Due(False, False)
            changed = self.paint_clock.end(self.clock_ns() / 1e9)
        if self.guide is not None:
            self.guide.step()
        if (self.paint_clock.stir() if busy else self.paint_clock.rest()) or changed:
            self._set_timer()

    def _painting(self) -> Screen[Any] | None:
        """The screen on top, or the one that is seen around questions on top of it: a run does not stand still while one is open."""
        return next((screen for screen in reversed(self.screen_stack) if not isinstance(screen, ModalScreen)), None)

    def _take_in(self) -> bool:
        """Events for as long as a frame may wait for them; what is left over comes once the frame is painted.

        Whether any came that may be the first of many.
        """
        if self.link is not None:
            self._backlog.extend(self.link.events())
        # memory is told every few seconds for as long as the screen is open: no reason to look more often
        came = any(not isinstance(event, MemoryNow) for event in self._backlog)
        until_ns = self.clock_ns() + _TAKE_IN_NS
        while self._backlog:
            self._take(self._backlog.popleft())
            if len(self._backlog) % _LOOK_EVERY == 0 and self.clock_ns() > until_ns:
                break
        if self._backlog and not self._goes_on:
            # not at once: painting takes several turns of the event loop, and would come when the last event is in
            self._goes_on = True
            self.set_timer(_BREATH_S, self._go_on)
        return came

    def _go_on(self) -> None:
        self._goes_on = False
        self.tick()

    def terminal_behind(self) -> bool:
        """Whether an earlier frame is still on its way; painting more would only make every later one older."""
        return False

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette: every key that works now, the configured prompts, and the themes."""
        if isinstance(screen, SparkScreen):
            for key in screen.working_keys():
                if key.action != "palette" and (handler := screen.handler(key)) is not None:
                    yield SystemCommand(key.text, key.name, handler)
            for text, word, action in screen.more_commands():
                # the palette reads what it lists as markup
                yield SystemCommand(escape(shown(text)), escape(shown(word)), action)
        yield SystemCommand("theme", "choose the colours", self.action_change_theme)

    def act_palette(self) -> None:
        self.action_command_palette()

    def act_suspend(self) -> None:
        self.action_suspend_process()

    def on_paste(self, event: Paste) -> None:
        """Text pasted while no line has the focus is a prompt."""
        if isinstance(self.screen, LiveScreen):
            self.screen.paste_prompt(event.text)

    def _begin(self) -> None:
        self.link = self._connect()
        # what is alive now stays: a full collection would stop the screen for tens of milliseconds
        gc.freeze()
        self._set_timer()
        self.tick()

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_interval(self.paint_clock.period_s, self.tick, name="paint")

    def _take(self, event: AnyEvent) -> None:
        if isinstance(event, Hello):
            self.worker_clock.forget()
        self.worker_clock.see(event.t_ns, self.clock_ns())
        self.session.fold(event)
        if self.guide is not None:
            self.guide.take(event)
        if isinstance(event, Reply):
            answered = self._answers.pop(event.id, None)
            if answered is not None:
                answered(event)
            elif not event.ok and event.error is not None:
                self.session.fold(ErrorEvent(title=event.error["title"], detail=event.error["detail"], hint=event.error["hint"]))
