"""What replay screens share: the keys of the transport, and what stands for the app while a recording is what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec

from sparktui.core.commands import AnyCommand
from sparktui.core.session import SessionState
from sparktui.tui.options import Options
from sparktui.tui.screens.base import SparkScreen
from sparktui.tui.showing.player import Player

if TYPE_CHECKING:
    from sparktui.tui.app import SparkApp

_SECOND_NS = 1_000_000_000


class Stand:
    """The app as a replay's screen sees it: the recording's session and clock, nobody to send commands to; all else is the app's."""

    def __init__(self, app: SparkApp, player: Player, session: SessionState) -> None:
        self._app = app
        self._player = player
        self.session = session

    @property
    def options(self) -> Options:
        return msgspec.structs.replace(self._app.options, source="replay")

    @property
    def now_ns(self) -> int:
        return self._player.now_ns

    def send(self, command: AnyCommand, answered: object = None) -> int:
        """A recording answers no command."""
        return 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._app, name)


class TransportKeys(SparkScreen):
    """The `act_…` methods of a screen that has a `player`."""

    player: Player

    @property
    def moves(self) -> bool:
        """While it plays."""
        return bool(self.children) and self.player.transport.playing and not self.player.transport.ended(self.moment_ns())

    def moment_ns(self) -> int:
        """Now, on the clock that the transport runs by."""
        return cast("SparkApp", self.app).clock_ns()

    def leave(self) -> None:
        """Back to where the replay was opened; where it is all there is, out."""
        if len(self.app.screen_stack) > 1:
            self.dismiss()
        else:
            self.app.exit(0)

    def act_play(self) -> None:
        self.player.transport.toggle(self.moment_ns())

    def act_forward(self) -> None:
        self.player.transport.skip(_SECOND_NS, self.moment_ns())

    def act_backward(self) -> None:
        self.player.transport.skip(-_SECOND_NS, self.moment_ns())

    def act_faster(self) -> None:
        self.player.transport.change_speed(1, self.moment_ns())

    def act_slower(self) -> None:
        self.player.transport.change_speed(-1, self.moment_ns())

    def act_step(self) -> None:
        self.player.step(1, self.moment_ns())

    def act_step_back(self) -> None:
        self.player.step(-1, self.moment_ns())

    def act_restart(self) -> None:
        self.player.transport.seek(0, self.moment_ns())

    def act_to_end(self) -> None:
        self.player.transport.seek(self.player.length_ns, self.moment_ns())

    def act_loop(self) -> None:
        now_ns = self.moment_ns()
        transport = self.player.transport
        at_ns = transport.position(now_ns)
        transport.loop = not transport.loop
        transport.seek(at_ns, now_ns)

    def act_back(self) -> None:
        self.leave()

    def act_quit(self) -> None:
        """Out of the program; a screen below with a run in flight asks first."""
        below = self.app.screen_stack[0]
        quit_below = getattr(below, "act_quit", None)
        if below is not self and quit_below is not None:
            quit_below()
        else:
            self.app.exit(0)

    def act_interrupt(self) -> None:
        """Ctrl+C: nothing runs here that could be cancelled."""
        self.leave()

    def act_help(self) -> None:
        """Help, the keys of this screen first."""
        from sparktui.tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(kind=self.KIND))
