"""The app of the guided tour: the live screen on the simulated server, and what the tour asks for done by the worker."""

from __future__ import annotations

from textual.screen import Screen

from sparktui.core.commands import CancelRun, Run
from sparktui.core.events import AnyEvent, Joined, Reply, RunDone, RunStarted
from sparktui.core.figures.state import RunState
from sparktui.core.records import RunParams, RunRecord
from sparktui.core.replay import as_streamed
from sparktui.errors import SparkError
from sparktui.report import numbers
from sparktui.tui.options import Options
from sparktui.tui.screens.guided import GuidedScreen
from sparktui.tui.screens.lanes import LanesScreen
from sparktui.tui.showing.recordings import playing
from sparktui.tui.showing.tour import TOKENS, Tour
from sparktui.tui.terminal import Report, Started, TerminalApp
from sparktui.tui.workers.link import Connect

_LABEL = "tour"


class GuidedApp(TerminalApp):
    """`loop`: the tour begins again when it is through, for a stand."""

    def __init__(self, connect: Connect, options: Options, *, report: Report, started: Started, loop: bool = False) -> None:
        super().__init__(connect, options, report=report, started=started)
        self.tour = Tour(loop=loop, command=options.command)
        self._done: dict[str, RunRecord] = {}
        self._streams: dict[str, RunState] = {}
        self._asked = ""
        self._lanes: LanesScreen | None = None

    def get_default_screen(self) -> Screen[None]:
        return GuidedScreen()

    def tick(self) -> None:
        super().tick()
        if not self.tour.over and self.screen_stack:
            self._guide()

    def end_tour(self) -> None:
        """The user has seen enough: what runs for the tour is cancelled."""
        if self._asked and self._asked not in self._done and self.session.active:
            self.send(CancelRun(everything=True))
        self.tour.end()
        self._told()

    def _guide(self) -> None:
        server = self.session.server
        ready = server is not None and server.state == "ready"
        lanes = self._lanes
        ended = lanes is not None and bool(lanes.children) and lanes.player.transport.ended(self.clock_ns())
        before = self.tour.step
        do = self.tour.advance(self.clock_ns() / 1e9, ready=ready, done=self._done, lanes_ended=ended)
        if do is not None:
            {"run": lambda: self._run(do.prompt), "lanes": self._open_lanes, "close": self._close_lanes}[do.what]()
        if self.tour.step != before:
            self._told()

    def _told(self) -> None:
        rates = {name: numbers.tok_s(record.client_tok_s) for name, record in self._done.items()}
        below = self.screen_stack[0]
        if isinstance(below, GuidedScreen):
            below.tell(self.tour.caption(rates), over=self.tour.over)

    def _run(self, prompt: str) -> None:
        if prompt == "story":
            self._done.clear()
            self._streams.clear()
        self._asked = prompt
        params = RunParams(temperature=0, max_tokens=TOKENS[prompt])
        spec = self.options.prompts.get(prompt)
        if spec is None or not self.send(Run(prompt=spec, params=params, label=_LABEL), self._answered):
            self.tour.end(f"the {prompt} prompt cannot be sent")
            self._told()

    def _answered(self, reply: Reply) -> None:
        if not reply.ok:
            self.tour.end((reply.error or {}).get("title", "the run was refused"))
            self._told()

    def _take(self, event: AnyEvent) -> None:
        super()._take(event)
        if isinstance(event, RunStarted) and event.label == _LABEL:
            self._streams.setdefault(event.run_id, RunState())
        run_id = getattr(event, "run_id", "")
        if run_id in self._streams:
            self._streams[run_id].fold(event)
            if isinstance(event, RunDone | Joined):
                self._done[event.record.prompt.name] = as_streamed(event.record, self._streams[run_id])

    def _open_lanes(self) -> None:
        try:
            recordings = playing([self._done["code"], self._done["story"]])
        except SparkError as error:
            self.tour.end(error.title)
            return
        self._lanes = LanesScreen(recordings, caption=self.tour.caption({}))
        self.push_screen(self._lanes, lambda _: self._lanes_left())

    def _close_lanes(self) -> None:
        lanes, self._lanes = self._lanes, None
        if lanes is not None and self.screen is lanes:
            lanes.dismiss()

    def _lanes_left(self) -> None:
        """Left by hand before they were through."""
        if self._lanes is not None:
            self._lanes = None
            self.end_tour()
