"""The key that sweeps settings: it asks first, goes on where something is done by hand, and shows the verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sparktui.core.commands import Continue, Sweep
from sparktui.core.config import SweepConfig
from sparktui.core.events import Plan, Reply, Server
from sparktui.core.figures.phase import planned
from sparktui.core.records import RunRecord
from sparktui.core.sweepplan import BY_HAND
from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.live.cards import hand_words
from sparktui.tui.screens.live_actions import LiveActions

_AROUND_LINES = 9
_GONE = "the measuring process is gone; nothing was sent"


def waits_for_hand(server: Server) -> bool:
    """Whether a sweep waits for somebody to switch the server."""
    return server.state == "loading" and server.cause.startswith(BY_HAND)


class SweepActions(LiveActions):
    """`act_sweep` of the live screen, and the verdict once a sweep that was begun here is over."""

    _begun_rev: int | None = None

    def act_sweep(self) -> None:
        """Begin one, or show how the one of this session stands, or go on with what was waited for."""
        server = self.spark.session.server
        if server is not None and waits_for_hand(server):
            self._ask_sweep("Done by hand?", (hand_words(server.cause),), {"enter": ("it is done, go on", self._send_continue)})
        elif self._sweeping():
            self._ask_sweep("A sweep is running.", (self._progress_words(), "x cancels it; the server is put back first."), {})
        elif not self._variants().variants:
            self._ask_sweep("Nothing to sweep.", _nothing(), {})
        elif not self.spark.send(Sweep(look=True), self._looked):
            self.say(_GONE, severity="error")

    def sweep_over(self) -> None:
        """Show the verdict of a sweep that was begun here and is over; called with every frame."""
        session, begun_rev = self.spark.session, self._begun_rev
        if begun_rev is None or self.app.screen is not self or session.rev.plan <= begun_rev:
            return
        if self._last_sweep() is None or planned(session):
            return
        self._begun_rev = None
        if any(not run.warmup for run in self._swept()):
            self._show_verdict()

    def _looked(self, reply: Reply) -> None:
        """What there is to go on with is known: ask."""
        if self.app.screen is not self:
            return
        if not reply.ok:
            error = reply.error or {}
            self._ask_sweep("This sweep cannot be run.", (shown(error.get("title", "")), shown(error.get("hint", ""))), {})
            return
        answers: dict[str, tuple[str, Callable[[], None]]] = {"enter": ("start", lambda: self._send_sweep(resume=False))}
        notes = [shown(note) for note in reply.data.get("notes", [])]
        found = reply.data.get("interrupted")
        if found is not None:
            begun = numbers.when(found["started_at"], self.spark.wall_clock().astimezone())
            words = f"go on with the one of {begun}, {found['done']} of {reply.data['total']} runs are there"
            answers["r"] = (words, lambda: self._send_sweep(resume=True))
        from sparktui.tui.live.sweep_words import sweep_words

        room = self.app.size.height - _AROUND_LINES - len(answers) - len(notes)
        lines = sweep_words(self._variants(), room, self.max_tokens)
        self._ask_sweep("Sweep these settings?", (*lines, *notes), answers)

    def _ask_sweep(self, title: str, lines: tuple[str, ...], answers: dict[str, tuple[str, Callable[[], None]]]) -> None:
        """The question; with a sweep in this session also its verdict."""
        if self._swept():
            answers["v"] = ("the verdict so far" if self._sweeping() else "the verdict of the last one", self._show_verdict)
        self._ask(title, lines, answers)

    def _variants(self) -> SweepConfig:
        """What the worker would sweep: of the simulated server the published sweep, where the config lists nothing."""
        configured = self.spark.options.sweep
        if configured.variants or not self.spark.session.simulated:
            return configured
        from sparktui.demo.sweepprofile import published_sweep

        return published_sweep()

    def _sweeping(self) -> bool:
        return self._last_sweep() is not None and planned(self.spark.session)

    def _progress_words(self) -> str:
        progress, plan = self.spark.session.progress, self._last_sweep()
        total = plan.total if plan is not None else 0
        left = f", {numbers.eta(progress.eta_s)}" if progress is not None and progress.eta_s is not None else ""
        return f"{progress.done if progress is not None else 0} of {total} runs{left}"

    def _swept(self) -> list[RunRecord]:
        """The runs of this session's last sweep."""
        plan = self._last_sweep()
        return [run for run in self.spark.session.records if plan is not None and run.bench_id == plan.plan_id]

    def _last_sweep(self) -> Plan | None:
        plan = self.spark.session.plan
        return plan if plan is not None and plan.kind == "sweep" else None

    def _send_continue(self) -> None:
        self.spark.send(Continue())

    def _send_sweep(self, *, resume: bool) -> None:
        self._begun_rev = self.spark.session.rev.plan
        if not self.spark.send(Sweep(resume=resume), self._sweep_answered):
            self.say(_GONE, severity="error")

    def _sweep_answered(self, reply: Reply) -> None:
        if not reply.ok and reply.error is not None:
            self._begun_rev = None
            self.say(f"{reply.error['title']} {reply.error['hint']}", severity="warning", title="sweep")
        elif reply.ok:
            self.say("S shows the verdict as it comes; x cancels, and the server is put back")

    def _show_verdict(self) -> None:
        from sparktui.tui.runview.verdict_rows import verdict_rows
        from sparktui.tui.screens.reading import ReadingScreen

        plan, runs, outcome = self._last_sweep(), self._swept(), self._outcome()
        if plan is None or not runs:
            return
        names = [str(cell.get("label", "")) for cell in plan.cells]
        baseline = self._variants().baseline or names[0]
        about = f"{sum(not run.warmup for run in runs)} of {plan.total} runs"
        self.app.push_screen(ReadingScreen("Verdict", about, lambda width: verdict_rows(runs, names, baseline, width, outcome)))

    def _outcome(self) -> dict[str, Any]:
        progress = self.spark.session.progress
        return (progress.outcome or {}) if progress is not None else {}


def _nothing() -> tuple[str, ...]:
    from sparktui.tui.live.sweep_words import NOTHING

    return NOTHING
