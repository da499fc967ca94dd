"""From the command line to the running screen: options, link to a worker, config reload, and the way out."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from sparktui.core.commands import AnyCommand, Bench, Configure, HelloCommand, HistoryQuery
from sparktui.core.events import Reply
from sparktui.core.figures.phase import planned
from sparktui.core.plans import BenchPlan
from sparktui.core.records import RunRecord
from sparktui.errors import EXIT_INTERNAL, EXIT_OK, SparkError
from sparktui.io.calledas import called_as
from sparktui.io.config.configfile import LoadedConfig
from sparktui.io.config.prompts import resolve_prompts
from sparktui.io.crashreport import write_crash_report
from sparktui.io.link import WorkerLink, spawn
from sparktui.tui.options import Options
from sparktui.tui.terminal import TerminalApp
from sparktui.tui.workers.elsewhere import Elsewhere
from sparktui.tui.workers.link import Connect
from sparktui.tui.workers.reload import ConfigWatch
from sparktui.tui.workers.remember import dress, follow_theme
from sparktui.tui.workers.spawner import Spawner
from sparktui.tui.workers.supervisor import SupervisedLink
from sparktui.tui.workers.workerargs import worker_options

_HISTORY_SHOWN = 500
# 0.7 kB each, and the first thing on the line
_HISTORY_OVER_A_LINE = 100
_HISTORY_TRIES = 3


def main(args: argparse.Namespace) -> int:
    """Run the screen until it is left; its exit code. `args` as cli.screen makes them."""
    loaded: LoadedConfig = args.loaded
    spawner = Spawner()
    home = Home(args)
    if args.remote:
        there = Elsewhere(spawner, args)
        app = there.app = TerminalApp(there.connect, Options(ui=loaded.config.ui), report=home.report, started=home.started)
    else:
        connect = local_connect(spawner, args, (Configure(demo=args.demo),))
        app = TerminalApp(connect, options_of(loaded), report=home.report, started=home.started)
        if args.tour:
            from sparktui.tui.showing.guide import guided_tour

            guided_tour(app, loop=args.loop)
    dress(app)
    try:
        app.run(mouse=loaded.config.ui.mouse)
    finally:
        home.close()
        code = _closed(app)
    if app.crash:
        print(app.crash, file=sys.stderr)
        return EXIT_INTERNAL
    if code not in (0, None, -15, 143):
        print(f"sparktui: the measuring process ended with code {code}: {app.link.reason if app.link else ''}", file=sys.stderr)
    return app.return_code or EXIT_OK


def _closed(app: TerminalApp) -> int | None:
    """The measuring process's exit code once it has saved; a sweep puts its server back first, which takes as long as a load."""
    if app.link is None:
        return 0
    plan = app.session.plan
    if plan is not None and plan.kind == "sweep" and planned(app.session):
        print("sparktui: the sweep ends and puts its server back first (Ctrl-C: it does so without being waited for)", file=sys.stderr)
    try:
        return app.link.close()
    except KeyboardInterrupt:
        return 0


def options_of(loaded: LoadedConfig) -> Options:
    """What the screen needs of a configuration. Raises ConfigError for a prompt file that cannot be read."""
    config = loaded.config
    return Options(
        prompts=resolve_prompts(config),
        temperature=config.defaults.temperature,
        max_tokens=config.defaults.max_tokens,
        label=config.bench.label,
        bench=config.bench,
        needle=config.needle,
        sweep=config.sweep,
        ui=config.ui,
        baseline_tok_s=config.baseline_tok_s,
        command=called_as(),
        address="" if config.server.base_url == "auto" else config.server.base_url,
        address_origin=loaded.origins.get("server.base_url", ""),
    )


def local_connect(spawner: Spawner, args: argparse.Namespace, greeting: Sequence[AnyCommand]) -> Connect:
    """Connects to a worker on this machine, started with the options this command was given."""
    argv = [sys.executable, "-m", "sparktui", "worker", *worker_options(args)]
    env = {**os.environ, "PYTHONUTF8": "1"}
    from sparktui import __version__

    hello = HelloCommand(client_version=__version__)

    ids = itertools.count(1)

    def start() -> WorkerLink:
        return WorkerLink(spawner(lambda: spawn(argv, env)), ids)

    return lambda: SupervisedLink(start, (hello, *greeting))


class Home:
    """What surrounds the running app: history at the start, config reload, crash reports."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._args = args
        self._loaded: LoadedConfig = args.loaded
        self._read: Callable[[], LoadedConfig] = args.reload
        self._plan: BenchPlan | None = args.plan
        self._watch: ConfigWatch | None = None
        self._app: TerminalApp | None = None
        self._history_asked = 0

    def started(self, app: TerminalApp) -> None:
        """After the first frame."""
        self._app = app
        follow_theme(app)
        self._ask_history()
        if self._loaded.path is not None:
            self._watch = ConfigWatch(self._loaded.path, lambda: app.call_from_thread(self.reload))
            self._watch.start()
        for note in self._loaded.notes:
            app.notify(note, markup=False, timeout=10)
        if self._plan is not None:
            app.once_ready(lambda: app.send(Bench(plan=self._plan)))

    def report(self, error: BaseException) -> Path | None:
        return write_crash_report(error, "screen", self._loaded.secrets)

    def close(self) -> None:
        if self._watch is not None:
            self._watch.stop()

    def reload(self) -> None:
        """The config file changed: use it, or keep the old values and say which line is wrong."""
        app = self._app
        assert app is not None
        try:
            loaded = self._read()
            options = msgspec.structs.replace(app.options, ui=loaded.config.ui) if self._args.remote else options_of(loaded)
        except SparkError as error:
            app.notify(f"{error}\nThe old values stay.", title="config not reloaded", severity="error", markup=False, timeout=15)
            return
        changed = loaded.config != self._loaded.config
        self._loaded = loaded
        app.use_options(options)
        if not self._args.remote:
            app.send(Configure(demo=self._args.demo), self._configured)
        what = "config reloaded" if changed else "config read again: nothing changed"
        app.notify(f"{what}: {loaded.path.name if loaded.path else ''}", markup=False)

    def _configured(self, reply: Reply) -> None:
        if not reply.ok and reply.error is not None and self._app is not None:
            self._app.notify(f"{reply.error['title']} {reply.error['hint']}", title="config", severity="warning", markup=False)

    def _ask_history(self) -> None:
        if self._app is not None:
            limit = _HISTORY_OVER_A_LINE if self._args.remote else _HISTORY_SHOWN
            self._app.send(HistoryQuery(limit=limit), self._history_came)

    def _history_came(self, reply: Reply) -> None:
        app = self._app
        if app is None or app.link is None:
            return
        if reply.ok:
            app.session.put_records(msgspec.convert(reply.data["runs"], list[RunRecord]))
        elif app.link.state != "down" and self._history_asked < _HISTORY_TRIES:
            self._history_asked += 1
            self._ask_history()
