"""A screen here of a worker elsewhere: the line to it, its setup as this screen's options, and the offer of a session left measuring."""

from __future__ import annotations

import argparse
import itertools
import os
from typing import Any

import msgspec

from sparktui import __version__
from sparktui.core.commands import Configure, HelloCommand
from sparktui.core.config import BenchConfig, DefaultsConfig, NeedleConfig, SweepConfig
from sparktui.core.events import Reply
from sparktui.core.plans import PromptSpec
from sparktui.io.link import WorkerLink, spawn
from sparktui.io.ssh import ssh_argv
from sparktui.tui.options import Options
from sparktui.tui.screens.confirm import Answer, Confirm
from sparktui.tui.terminal import TerminalApp
from sparktui.tui.workers.remote import RemoteLink
from sparktui.tui.workers.spawner import Spawner
from sparktui.tui.workers.workerargs import worker_options


class Elsewhere:
    """`connect` is the app's; set `app` before it runs."""

    def __init__(self, spawner: Spawner, args: argparse.Namespace) -> None:
        self._spawner = spawner
        self._args = args
        self._argv = worker_argv(args)
        self._ids = itertools.count(1)
        self._link: RemoteLink | None = None
        self._offered = False
        self.place = str(args.ssh or args.worker_command[0])
        self.app: TerminalApp | None = None

    def connect(self) -> RemoteLink:
        greeting = (HelloCommand(client_version=__version__), Configure(demo=self._args.demo))
        # without a journal there is nothing a lost screen could be told from
        linger_s = 0.0 if self._args.no_history else self._args.linger
        self._link = RemoteLink(self._line, self.place, greeting, linger_s=linger_s, greeted=self._greeted)
        return self._link

    def _line(self) -> WorkerLink:
        return WorkerLink(self._spawner(lambda: spawn(self._argv, {**os.environ, "PYTHONUTF8": "1"})), self._ids)

    def _greeted(self, reply: Reply) -> None:
        app, data = self.app, reply.data
        if app is None or not isinstance(data, dict):
            return
        if "prompts" in data:
            app.use_options(options_there(app.options, data))
            self._tell(app, data)
        if data.get("waiting") and not self._offered:
            self._offered = True
            app.call_later(self._offer, str(data["waiting"][0]))

    def _tell(self, app: TerminalApp, data: dict[str, Any]) -> None:
        """What the configuration there has to say, once."""
        notes = [*data.get("notes", ()), data.get("plan_error", "")]
        if data.get("unconfirmed"):
            commands = "; ".join(data["unconfirmed"])
            notes.append(f"Commands in {data.get('path')} wait for consent (--trust-config gives it): {commands}")
        for note in filter(None, notes):
            app.notify(str(note), title=self.place, markup=False, timeout=10)

    def _offer(self, session: str) -> None:
        app, link = self.app, self._link
        if app is None or link is None:
            return
        lines = (f"Session {session} lost its screen and measured on.", "Its finished runs are in the history in any case.")
        answers = (Answer(("g",), "g", "go on with it"), Answer(("n",), "n", "leave it, stay with the new session"))

        def answered(shown: str | None) -> None:
            if shown == "g":
                link.go_on_with(session)

        app.push_screen(Confirm(f"A worker at {self.place} is still there.", lines, answers), answered)


def worker_argv(args: argparse.Namespace) -> list[str]:
    """The command that makes the line: ssh to a host, or whatever leads to a worker."""
    options = [*worker_options(args), f"--linger={args.linger:g}"]
    if args.ssh is not None:
        return ssh_argv(args.ssh, options, os.environ, args.worker_command or ())
    return [*args.worker_command, *options]


def options_there(options: Options, data: dict[str, Any]) -> Options:
    """`options` with what the worker's configuration says (engine.setup); the looks stay."""
    prompts = msgspec.convert(data["prompts"], list[PromptSpec])
    defaults = msgspec.convert(data["defaults"], DefaultsConfig)
    bench = msgspec.convert(data["bench"], BenchConfig)
    return msgspec.structs.replace(
        options,
        prompts={prompt.name: prompt for prompt in prompts},
        temperature=defaults.temperature,
        max_tokens=defaults.max_tokens,
        label=bench.label,
        bench=bench,
        needle=msgspec.convert(data["needle"], NeedleConfig) if "needle" in data else options.needle,
        sweep=msgspec.convert(data["sweep"], SweepConfig) if "sweep" in data else options.sweep,
        baseline_tok_s=data.get("baseline_tok_s"),
        address=data.get("address", ""),
        address_origin=data.get("address_origin", ""),
    )
