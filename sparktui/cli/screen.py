"""No command: the live screen. Refused without a usable terminal before anything heavy is imported."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from importlib import import_module

from sparktui.cli.options import add_server_options, loader
from sparktui.cli.parser import Parser, seconds
from sparktui.cli.streams import is_terminal
from sparktui.core.plans import BenchPlan
from sparktui.errors import UsageError

HEADLESS = "Without one: sparktui bench, ask, needle, history, log, doctor (sparktui --help)."


def add_arguments(parser: Parser) -> None:
    add_server_options(parser)
    group = parser.add_argument_group("another machine")
    group.add_argument("--ssh", metavar="HOST", help="measure on HOST over ssh, show the screen here")
    lingering = "let HOST measure on for S seconds after a lost line"
    group.add_argument("--linger", type=seconds(0, 86_400), default=600.0, metavar="S", help=lingering)


def run(args: argparse.Namespace) -> int:
    """Open the screen and return its exit code. Raises UsageError without a usable terminal, ConfigError."""
    return open_screen(args)


def open_screen(args: argparse.Namespace, plan: BenchPlan | None = None) -> int:
    """Hand over to the screen. It finds on `args`: `loaded` (LoadedConfig), `reload` (reads it again), `plan` (a bench to begin with)."""
    require_terminal(os.environ)
    args.reload = loader(args)
    args.loaded = args.reload()
    args.plan = plan
    for name, value in (("ssh", None), ("linger", 600.0)):
        if not hasattr(args, name):
            setattr(args, name, value)
    return int(import_module("sparktui.tui.start").main(args))


def require_terminal(env: Mapping[str, str]) -> None:
    """Raise UsageError where no screen can be painted. A served session (the web view) brings a driver of its own and no terminal."""
    if env.get("TEXTUAL_DRIVER"):
        return
    if not is_terminal(sys.stdin) or not is_terminal(sys.stdout):
        missing = "stdin" if not is_terminal(sys.stdin) else "stdout"
        raise UsageError(f"The screen needs a terminal, and {missing} is none.", hint=HEADLESS)
    if env.get("TERM", "") in {"", "dumb", "unknown"}:
        raise UsageError(f"The screen needs a terminal that can be painted; TERM is {env.get('TERM') or 'not set'}.", hint=HEADLESS)
