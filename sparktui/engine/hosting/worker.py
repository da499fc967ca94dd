"""The measuring process behind a screen: commands in, events out. Whatever goes wrong is told; whatever was measured is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from sparktui.core import commands
from sparktui.core.commands import AnyCommand, decode_command, reply_id
from sparktui.core.config import HistoryConfig
from sparktui.core.events import ErrorEvent, Reply, RunDone, Server
from sparktui.core.plans import RunSpec
from sparktui.core.sweepplan import BY_HAND
from sparktui.engine.hosting.desk import answer_edit, answer_get, answer_query
from sparktui.engine.hosting.jobs import JobQueue
from sparktui.engine.hosting.session import Session
from sparktui.engine.hosting.setup import configured_needle, configured_plan, describe_setup
from sparktui.engine.plans.bench import Bench, for_parallel
from sparktui.engine.plans.planrun import Planned
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Sink
from sparktui.engine.running.measuring import Measuring
from sparktui.engine.running.sampling import sampler_for
from sparktui.engine.running.ticker import MemorySampler
from sparktui.engine.server.keeper import ServerKeeper, Wanted, at_address
from sparktui.engine.server.target import Target
from sparktui.errors import SparkError, UnreachableError, UsageError
from sparktui.io.config import consent
from sparktui.io.config.configfile import LoadedConfig
from sparktui.io.linesocket import waiting
from sparktui.io.paths import journal_dir
from sparktui.io.store.history import History
from sparktui.io.store.recovery import tidy

_IDLE_MEMORY_S = 5.0
_CLOSE_S = 5.0
_PUT_BACK_S = 900.0
_PAUSE_POLL_S = 0.2

Load = Callable[[], LoadedConfig]


class Worker:
    """Serves one client. `send` takes replies and must not block; `session` has it (or its like) among its sinks for events."""

    def __init__(self, session: Session, send: Sink, load: Load, *, demo_speed: float = 1.0, store: bool = True) -> None:
        self._session = session
        self._emitter = session.emitter
        self._send = send
        self._load = load
        self._demo_speed = demo_speed
        self._loaded: LoadedConfig | None = None
        self._no_history: SparkError = UsageError("This session keeps no history.", hint="Start without --no-history.")
        self._history = self._opened() if store else None
        self._measuring: Measuring | None = None
        self._memory: MemorySampler | None = None
        self._planned: Planned | None = None
        self._continue = threading.Event()
        self._keeper = ServerKeeper(self._emitter, self._server_ready)
        self._jobs = JobQueue(self._crashed)
        self._closing = threading.Event()
        self._idle_memory = threading.Thread(target=self._sample_idle, name="memory", daemon=True)
        self._idle_memory.start()
        threading.Thread(target=self._recover, name="recover", daemon=True).start()
        self._answers: dict[type, Callable[[Any], object]] = {
            commands.HelloCommand: lambda _: {"session": session.id, "waiting": waiting()},
            commands.Attach: _not_here,
            commands.Configure: self._configure,
            commands.Run: self._run,
            commands.Bench: self._run_bench,
            commands.Needle: self._run_needle,
            commands.Sweep: self._run_sweep,
            commands.Continue: lambda _: self._continue.set(),
            commands.CancelRun: self._cancel,
            commands.RetryServer: self._retry_server,
            commands.HistoryQuery: lambda command: answer_query(self._stored(), command),
            commands.RunGet: lambda command: answer_get(self._stored(), command),
            commands.RunEdit: lambda command: answer_edit(self._stored(), command),
        }

    def serve(self, lines: Iterable[bytes]) -> str:
        """Answer commands until `shutdown` or the end of `lines` (the client is gone); returns which, and has saved and closed all."""
        reason = "the client is gone"
        for line in lines:
            if not line.strip():
                continue
            try:
                command = decode_command(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                self._reply(reply_id(line), UsageError("The worker does not know this command.", detail=str(error)))
                continue
            if isinstance(command, commands.Shutdown):
                reason = "shutdown"
                break
            self._answer(command)
        self.close()
        return reason

    def close(self) -> None:
        """Cancel what runs, keep what arrived, and let go of server, log and history."""
        self._closing.set()
        # a sweep puts the server back first, and a load takes its time
        sweeps = hasattr(self._planned, "changes_server")
        self._jobs.close(_PUT_BACK_S if sweeps else _CLOSE_S)
        if self._measuring is not None:
            self._measuring.close()
        self._keeper.close()
        if self._history is not None:
            self._history.close()

    def _answer(self, command: AnyCommand) -> None:
        try:
            self._reply(command.id, self._answers[type(command)](command))
        except SparkError as error:
            self._reply(command.id, error)
        except Exception as error:  # noqa: BLE001 - the border of the worker: a fault in one command must not end the others
            self._reply(command.id, SparkError(f"A fault in the worker: {type(error).__name__}.", hint="Please report it."))

    def _reply(self, number: int, outcome: object) -> None:
        if isinstance(outcome, SparkError):
            error = {"title": outcome.title, "detail": outcome.detail, "hint": outcome.hint}
            self._send(Reply(id=number, ok=False, error=error))
        else:
            self._send(Reply(id=number, ok=True, data=outcome))

    def _opened(self) -> History | None:
        """The history; where there can be none (a home that is read-only) that is told, and runs are measured all the same."""
        try:
            return History.open()
        except SparkError as error:
            self._no_history = error
            self._crashed(error)
            return None

    def _stored(self) -> History:
        if self._history is None:
            raise self._no_history
        return self._history

    def _configure(self, command: commands.Configure) -> object:
        loaded = self._load()
        if command.trust and loaded.path is not None and loaded.unconfirmed:
            consent.agree(loaded.path, loaded.unconfirmed)
            loaded = self._load()
        setup = describe_setup(loaded)
        before, self._loaded = self._loaded, loaded
        origin = "the demo was asked for" if command.demo else loaded.origins.get("server.base_url", "")
        wanted = Wanted(config=loaded.config, demo=command.demo, origin=origin, demo_speed=self._demo_speed)
        current = self._keeper.wanted
        if before is None or current is None or _what_it_opens(before, current.demo) != _what_it_opens(loaded, command.demo):
            self._open(wanted)
        return setup

    def _open(self, wanted: Wanted) -> None:
        if self._jobs.busy:
            raise UsageError("A run is in flight; the server stays as it is.", hint="Cancel it, or wait for its end, then try again.")
        self._keeper.close()
        self._drop_measuring()
        if not wanted.demo:
            # before anybody looks for the server: one that answers at once must find the log followed, or it is followed twice
            self._measuring = self._make_measuring(None)
        self._keeper.use(wanted)

    def _drop_measuring(self) -> None:
        measuring, self._measuring = self._measuring, None
        if measuring is not None:
            measuring.close()

    def _make_measuring(self, target: Target | None) -> Measuring:
        assert self._loaded is not None
        config, secrets = self._loaded.config, self._loaded.secrets
        return Measuring(target, self._emitter, config, history=self._history, memory=self._memory, masked=secrets)

    def _server_ready(self, target: Target) -> None:
        """In the keeper's thread. The log of a configured source is followed already, the demo's own is known only now."""
        self._memory = sampler_for(target)
        if self._measuring is None or target.demo is not None:
            self._drop_measuring()
            self._measuring = self._make_measuring(target)
        self._measuring.memory = self._memory

    def _ready(self) -> tuple[Target, Measuring]:
        target, measuring = self._keeper.target, self._measuring
        if target is None or measuring is None:
            raise UnreachableError("There is no server to send it to yet.", hint="See what the header says about the server.")
        return target, measuring

    def _run(self, command: commands.Run) -> object:
        self._ready()
        spec = RunSpec(prompt=command.prompt, params=command.params, label=command.label)

        def work(cancel: Cancel) -> None:
            target, measuring = self._ready()
            record = measuring.run(target, spec, self._emitter, cancel)
            if record.status == "failed" and not record.chunks:
                self._look_at_server(target)

        return {"before": self._jobs.submit(work)}

    def _run_bench(self, command: commands.Bench) -> object:
        self._ready()
        assert self._loaded is not None
        plan = for_parallel(command.plan or configured_plan(self._loaded.config, command.max_tokens))

        def bench(target: Target, measuring: Measuring, cancel: Cancel) -> Planned:
            return Bench(target, plan, self._emitter, cancel, server=self._wanted_server(), measure=measuring.run)

        return self._submit(bench, plan.total)

    def _run_needle(self, command: commands.Needle) -> object:
        from sparktui.engine.plans.needle import NeedleSearch

        self._ready()
        assert self._loaded is not None
        plan = command.plan or configured_needle(self._loaded.config, command.max_tokens)

        def search(target: Target, measuring: Measuring, cancel: Cancel) -> Planned:
            return NeedleSearch(target, plan, self._emitter, cancel, measure=measuring.run, rates=measuring.rates)

        return self._submit(search, plan.total)

    def _run_sweep(self, command: commands.Sweep) -> object:
        from sparktui.core.sweepplan import check, only
        from sparktui.demo.sweepprofile import published_sweep
        from sparktui.engine.sweeping.sweepjob import SweepJob, configured_sweep, left_of_sweeps

        assert self._loaded is not None
        config, keep = self._loaded.config, self._history is not None
        target, _ = self._ready()
        if target.simulated and not config.sweep.variants:
            config = msgspec.structs.replace(config, sweep=published_sweep())
        plan = only(configured_sweep(config, max_tokens=command.max_tokens), command.variants, command.baseline)
        check(plan)
        if command.look:
            return {"total": plan.total, **left_of_sweeps(plan, target, self._history)}

        def sweep(target: Target, measuring: Measuring, cancel: Cancel) -> Planned:
            return SweepJob(
                target, measuring, msgspec.structs.replace(config, server=self._wanted_server()), plan,
                emitter=self._emitter, cancel=cancel, pause=self._pause, say=self._say, keep=keep, resume=command.resume,
            )  # fmt: skip

        return self._submit(sweep, plan.total)

    def _pause(self, text: str, cancel: Cancel) -> bool:
        """Tell what is to be done by hand, and wait for `continue`."""
        target = self._keeper.target
        self._continue.clear()
        info = target.info if target is not None else None
        self._emitter.emit(Server(state="loading", info=info, cause=f"{BY_HAND}{text}; then continue"))
        while not cancel.is_set():
            if self._continue.wait(_PAUSE_POLL_S):
                return True
        return False

    def _say(self, text: str) -> None:
        self._emitter.emit(ErrorEvent(title=text, exit_code=0))

    def _submit(self, make: Callable[[Target, Measuring, Cancel], Planned], total: int) -> object:
        """Put a plan in line; its current run can be cancelled alone."""

        def work(cancel: Cancel) -> None:
            target, measuring = self._ready()
            planned = self._planned = make(target, measuring, cancel)
            try:
                planned.run()
            finally:
                self._planned = None
            if planned.stopped is not None:
                self._look_at_server(target)

        return {"before": self._jobs.submit(work), "total": total}

    def _wanted_server(self) -> Any:
        wanted = self._keeper.wanted
        assert wanted is not None
        return wanted.config.server

    def _look_at_server(self, target: Target) -> None:
        """After a run that brought nothing: is the server still there? If not, the keeper tells so and tries again."""
        try:
            target.client.warm()
        except SparkError:
            self._keeper.lost()

    def _cancel(self, command: commands.CancelRun) -> object:
        if command.everything:
            return {"cancelled": self._jobs.cancel_all()}
        planned = self._planned
        if planned is not None:
            planned.cancel_current()
            return {"cancelled": 1}
        return {"cancelled": int(self._jobs.cancel_current())}

    def _retry_server(self, command: commands.RetryServer) -> object:
        wanted = self._keeper.wanted
        if wanted is None:
            raise UsageError("No server was configured yet.")
        if command.demo or command.base_url:
            self._open(at_address(wanted, command.base_url) if command.base_url else msgspec.structs.replace(wanted, demo=True))
        else:
            self._keeper.retry()
        return {}

    def _crashed(self, error: BaseException) -> None:
        title = error.title if isinstance(error, SparkError) else f"A fault in the worker ended the job: {type(error).__name__}."
        self._emitter.emit(ErrorEvent(title=title, hint=error.hint if isinstance(error, SparkError) else "Please report it."))

    def _recover(self) -> None:
        """Runs that sessions which were killed left in their journals: into the history, and told."""
        if self._history is None:
            return
        try:
            settings = self._load().config.history
        except SparkError:
            # told in the reply to `configure`
            settings = HistoryConfig()
        try:
            found = tidy(
                self._history, journal_dir(), keep_text=settings.keep_text, days=settings.journal_days, megabytes=settings.journal_mb
            )  # fmt: skip
        except SparkError as error:
            self._crashed(error)
            return
        for record in found:
            self._emitter.emit(RunDone(run_id=record.id, status=record.status, record=record, error=record.error))

    def _sample_idle(self) -> None:
        while not self._closing.wait(_IDLE_MEMORY_S):
            sampler = self._memory
            sample = sampler() if sampler is not None and not self._jobs.busy else None
            if sample is not None:
                self._emitter.emit(sample)


def _what_it_opens(loaded: LoadedConfig, demo: bool) -> tuple[object, ...]:
    config = loaded.config
    return demo, config.server, config.log, config.baseline_tok_s


def _not_here(command: commands.Attach) -> object:
    raise UsageError(f"The session {command.session} is over.", hint="What it measured is in the history.")


