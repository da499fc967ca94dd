"""A sweep from its plan to its end: the book opened, the server prepared, the runs made, the server put back, the book closed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sparktui.core.config import Config
from sparktui.core.plans import PromptSpec
from sparktui.core.records import RunRecord
from sparktui.core.sweepplan import SweepPlan, check
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.running.measuring import Measuring
from sparktui.engine.server.target import Target
from sparktui.engine.sweeping.sweep import Sweep
from sparktui.engine.sweeping.sweepbook import SweepBook
from sparktui.engine.sweeping.variants import Pause, ServerSwitch
from sparktui.errors import SparkError
from sparktui.io.config.prompts import resolve_prompt
from sparktui.io.store.history import History
from sparktui.io.sweepstate import find_state, left_changed


class SweepJob:
    """One sweep of `target`. `say` takes sentences for a person, `pause` waits for one (None = nobody is there).

    `keep`: it is written down, so that it can go on (`resume`). `as_it_is`: whatever an earlier sweep left counts as the server's own.
    Raises UsageError, UnreachableError before anything is changed.
    """

    def __init__(
        self, target: Target, measuring: Measuring, config: Config, plan: SweepPlan, *, emitter: Emitter, cancel: Cancel,
        pause: Pause | None, say: Callable[[str], object], keep: bool = True, resume: bool = False, as_it_is: bool = False,
    ) -> None:  # fmt: skip
        check(plan)
        ours = target.demo is not None
        self._book = SweepBook(_digest(plan, target), target.info.base_url, keep=keep, say=say)
        bench_id, earlier = self._book.earlier(resume=resume)
        # a simulated server of our own is new every time
        original = None if ours else self._book.state.original
        self.switch = ServerSwitch(
            target, config.server, plan, emitter, pause=pause, say=say, original=original, memory=measuring.memory
        )  # fmt: skip
        try:
            self.switch.prepare(*(() if as_it_is or ours else (self._book.check_left,)))
            if self._book.state.changed and not ours:
                self.switch.resume_from_changed()
            self.sweep = Sweep(
                target, plan, emitter, cancel, self.switch, server=config.server, measure=measuring.run, bench_id=bench_id,
                earlier=earlier, on_change=self._book.note_change, settle=measuring.hold_against_baseline,
            )  # fmt: skip
        except BaseException:
            self.switch.close()
            raise

    @property
    def records(self) -> list[RunRecord]:
        return self.sweep.records

    @property
    def changes_server(self) -> bool:
        """The server is in another configuration than its own at the moment."""
        return self.switch.changed

    @property
    def stopped(self) -> SparkError | None:
        return self.sweep.stopped

    def cancel_current(self) -> None:
        """Cancel the run in flight; the sweep goes on with the next."""
        self.sweep.cancel_current()

    def run(self) -> list[RunRecord]:
        """Make the runs and put the server back."""
        try:
            self._book.begin(self.sweep.id, self.switch.original)
            self.sweep.run()
            self._book.end(complete=self.sweep.complete)
        finally:
            self.switch.close()
        return self.records


def left_of_sweeps(plan: SweepPlan, target: Target, history: History | None) -> dict[str, Any]:
    """What earlier sweeps of `target` left: core.commands.Sweep, `look`. Raises StorageError where that cannot be read."""
    state = find_state(_digest(plan, target)) if history is not None else None
    done = history.count(f'bench:"{state.bench_id}" status:ok warmup:no') if history is not None and state is not None else 0
    left = left_changed(target.info.base_url) if history is not None and target.demo is None else None
    notes = [] if left is None else [f"The sweep of {left.started_at} left this server changed: `sparktui sweep --restore` puts it back."]
    return {"interrupted": None if state is None else {"started_at": state.started_at, "done": done}, "notes": notes}


def _digest(plan: SweepPlan, target: Target) -> str:
    """A simulated server of our own is the same one whatever its port."""
    return plan.digest("demo" if target.demo is not None else target.info.base_url, target.info.model)


def configured_sweep(config: Config, *, prompt: str | None = None, max_tokens: int | None = None) -> SweepPlan:
    """The sweep that `sweep:` of the config asks for; `prompt` (a name) and `max_tokens` beat it. Raises UsageError, ConfigError."""
    sweep = config.sweep
    chosen: PromptSpec = resolve_prompt(config, prompt or sweep.prompt)
    return SweepPlan(
        prompt=chosen, variants=sweep.variants, runs=sweep.runs, warmup=sweep.warmup, temperature=sweep.temperature,
        max_tokens=max_tokens or sweep.max_tokens or config.defaults.max_tokens, baseline=sweep.baseline,
        context_tokens=sweep.context_tokens, order=sweep.order, seed=sweep.seed, restore=sweep.restore,
    )  # fmt: skip
