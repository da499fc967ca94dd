"""The key that sweeps settings: it asks first, goes on where something is done by hand, and shows the verdict so far."""

from __future__ import annotations

from collections.abc import Callable

from sparktui.core.commands import Continue, Sweep
from sparktui.core.config import SweepConfig
from sparktui.core.events import Plan, Reply, Server
from sparktui.core.records import RunRecord
from sparktui.core.sweepplan import sort_of
from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.screens.live_actions import LiveActions

_BY_HAND = "by hand: "
_NO_VARIANTS = (
    "config.yml lists no variants. Write under sweep: for example",
    "variants: [{name: as it is}, {name: cool, params: {temperature: 0.2}}]",
    "sweeps in the help (? and tab) has loads, commands and restarts by hand",
)


def waits_for_hand(server: Server) -> bool:
    """Whether a sweep waits for somebody to switch the server."""
    return server.state == "loading" and server.cause.startswith(_BY_HAND)


class SweepActions(LiveActions):
    """`act_sweep` of the live screen."""

    def act_sweep(self) -> None:
        """Begin one, or show how the one of this session stands, or go on with what was waited for."""
        server, verdict = self.spark.session.server, self._swept()
        answers: dict[str, tuple[str, Callable[[], None]]] = {}
        lines: tuple[str, ...]
        if server is not None and waits_for_hand(server):
            answers["enter"] = ("it is done, go on", self._send_continue)
            title, lines = "Done by hand?", (shown(server.cause.removeprefix(_BY_HAND).removesuffix("; then continue")),)
        elif self._sweeping():
            title, lines = "A sweep is running", ("x cancels it; the server is put back first",)
        else:
            sweep = self._variants()
            title, lines = ("Sweep these settings?", _words(sweep)) if sweep.variants else ("Nothing to sweep", _NO_VARIANTS)
            if sweep.variants:
                answers["enter"] = ("start", lambda: self._send_sweep(resume=False))
                answers["r"] = ("go on with the one that was interrupted", lambda: self._send_sweep(resume=True))
        if verdict:
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
        session = self.spark.session
        over = session.progress is not None and session.progress.finished
        return session.plan is not None and session.plan.kind == "sweep" and not over

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
        self.spark.send(Sweep(resume=resume), self._sweep_answered)

    def _sweep_answered(self, reply: Reply) -> None:
        if not reply.ok and reply.error is not None:
            self.say(f"{reply.error['title']} {reply.error['hint']}", severity="warning", title="sweep")
        elif reply.ok:
            self.say("S shows the verdict as it comes; x cancels, and the server is put back")

    def _show_verdict(self) -> None:
        from sparktui.tui.runview.verdict_rows import verdict_rows
        from sparktui.tui.screens.reading import ReadingScreen

        plan, runs = self._last_sweep(), self._swept()
        if plan is None or not runs:
            return
        names = [str(cell.get("label", "")) for cell in plan.cells]
        baseline = self._variants().baseline or names[0]
        self.app.push_screen(ReadingScreen("Verdict", f"{len(runs)} runs", lambda width: verdict_rows(runs, names, baseline, width)))


def _words(sweep: SweepConfig) -> tuple[str, ...]:
    """What is going to happen, a line each."""
    names = ", ".join(variant.name for variant in sweep.variants)
    changes = {sort_of(variant) for variant in sweep.variants} - {"as it is"}
    context = f" after {numbers.count(sweep.context_tokens)} tokens of context" if sweep.context_tokens else ""
    back = "; at the end, also when cancelled, the server is put back" if changes else ""
    return (
        shown(f"{len(sweep.variants)} variants: {names}"),
        shown(f"{sweep.prompt}{context}, {sweep.runs} runs of each, {sweep.order}"),
        f"changes: {', '.join(sorted(changes)) or 'request parameters only'}{back}",
    )
