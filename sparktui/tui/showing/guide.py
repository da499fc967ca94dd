"""Does on an app what a tour asks for: the runs by its worker, the captions on its live screen, the two lanes over that."""

from __future__ import annotations

from collections.abc import Callable

from sparktui.core.commands import CancelRun, Run
from sparktui.core.events import AnyEvent, Joined, Reply, RunDone, RunStarted
from sparktui.core.figures.state import RunState
from sparktui.core.records import RunParams, RunRecord
from sparktui.core.replay import as_streamed
from sparktui.errors import SparkError
from sparktui.tui.app import SparkApp
from sparktui.tui.screens.lanes import LanesScreen
from sparktui.tui.screens.live import LiveScreen
from sparktui.tui.showing.recordings import playing
from sparktui.tui.showing.tour import BURSTS, TOKENS, Tour

_LABEL = "tour"

Request = Callable[[str], Run | None]


class Guide:
    """`request(prompt)`: the command that runs it, None where there is no such prompt. From `begin` on the app calls `step` and `take`."""

    def __init__(self, app: SparkApp, tour: Tour, request: Request) -> None:
        self.tour = tour
        self._app, self._request = app, request
        self._done: dict[str, RunRecord] = {}
        self._streams: dict[str, RunState] = {}
        self._asked: Run | None = None
        self._lanes: LanesScreen | None = None

    def begin(self) -> Guide:
        self._app.guide = self
        self.tell()
        return self

    def end(self) -> None:
        """The user has seen enough: what runs for the tour is cancelled."""
        asked = self._asked
        if asked is not None and asked.prompt.name not in self._done and self._app.session.active:
            self._app.send(CancelRun(everything=True))
        self.tour.end()
        self.tell()

    def step(self) -> None:
        """One frame."""
        app = self._app
        if self.tour.over or not app.screen_stack:
            return
        server = app.session.server
        ready = server is not None and server.state == "ready"
        lanes = self._lanes
        ended = lanes is not None and bool(lanes.children) and lanes.player.transport.ended(app.clock_ns())
        before = self.tour.step
        do = self.tour.advance(app.clock_ns() / 1e9, ready=ready, done=self._done, lanes_ended=ended)
        if do is not None:
            {"run": lambda: self._run(do.prompt), "lanes": self._open_lanes, "close": self._close_lanes}[do.what]()
        if self.tour.step != before:
            self.tell()

    def take(self, event: AnyEvent) -> None:
        """An event of the session: what belongs to the tour's runs is kept."""
        asked = self._asked
        if isinstance(event, RunStarted) and asked is not None and (event.label, event.prompt.name) == (asked.label, asked.prompt.name):
            self._streams.setdefault(event.run_id, RunState())
        run_id = getattr(event, "run_id", "")
        if run_id in self._streams:
            self._streams[run_id].fold(event)
            if isinstance(event, RunDone | Joined):
                self._done[event.record.prompt.name] = as_streamed(event.record, self._streams[run_id])

    def tell(self) -> None:
        """The caption of this step, on the live screen."""
        below = self._app.screen_stack[0] if self._app.screen_stack else None
        if isinstance(below, LiveScreen) and below.is_attached:
            below.tell(self.tour.caption(self._done), self.tour.words, over=self.tour.over)
        if self.tour.over and self._app.guide is self:
            self._app.guide = None

    def _run(self, prompt: str) -> None:
        if prompt == "story":
            self._done.clear()
            self._streams.clear()
        self._asked = self._request(prompt)
        if self._asked is None or not self._app.send(self._asked, self._answered):
            self.tour.end(f"the {prompt} prompt cannot be sent")
            self.tell()

    def _answered(self, reply: Reply) -> None:
        if not reply.ok:
            self.tour.end((reply.error or {}).get("title", "the run was refused"))
            self.tell()

    def _open_lanes(self) -> None:
        try:
            recordings = playing([self._done["code"], self._done["story"]])
        except SparkError as error:
            self.tour.end(error.title)
            return
        self._lanes = LanesScreen(recordings, caption=self.tour.caption(self._done))
        self._app.push_screen(self._lanes, lambda _: self._lanes_left())

    def _close_lanes(self) -> None:
        lanes, self._lanes = self._lanes, None
        if lanes is not None and self._app.screen is lanes:
            lanes.dismiss()

    def _lanes_left(self) -> None:
        """Left by hand before they were through."""
        if self._lanes is not None:
            self._lanes = None
            self.end()


def guided_tour(app: SparkApp, *, loop: bool) -> Guide:
    """The tour on the simulated server, from the app's first frame on."""

    def request(name: str) -> Run | None:
        prompt = app.options.prompts.get(name)
        if prompt is None:
            return None
        return Run(prompt=prompt, params=RunParams(temperature=0, max_tokens=TOKENS[name]), label=_LABEL)

    return Guide(app, Tour(loop=loop, command=app.options.command), request).begin()


def bursts(app: SparkApp, request: Request) -> Guide:
    """Prose and code on the server there is, by the runs that `request` asks for; the two lanes stay until they are left."""
    return Guide(app, Tour(BURSTS, stays=True), request).begin()
