"""No command: the live screen. Refused without a usable terminal before anything heavy is imported."""

from __future__ import annotations

import argparse
import gc
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from importlib import import_module

from sparktui.cli.options import add_looks_options, add_server_options, loader, looks
from sparktui.cli.parser import Parser, seconds
from sparktui.cli.streams import is_terminal
from sparktui.core.plans import BenchPlan
from sparktui.errors import UsageError
from sparktui.io.config.configfile import LoadedConfig, load_config

HEADLESS = "Without one: sparktui bench, ask, needle, history, log, doctor (sparktui --help)."


def add_arguments(parser: Parser) -> None:
    add_server_options(parser)
    group = parser.add_argument_group("another machine")
    group.add_argument("--ssh", metavar="HOST", help="measure on HOST over ssh, show the screen here")
    elsewhere = "the command that is the worker, in one string; with --ssh it runs at HOST (default there: sparktui worker)"
    group.add_argument("--worker-command", type=shell_words, metavar="ARGV", help=elsewhere)
    lingering = "let HOST measure on for S seconds after a lost line"
    group.add_argument("--linger", type=seconds(0, 86_400), default=600.0, metavar="S", help=lingering)
    add_looks_options(parser)


def run(args: argparse.Namespace) -> int:
    """Open the screen and return its exit code. Raises UsageError without a usable terminal, ConfigError."""
    return open_screen(args)


def open_screen(args: argparse.Namespace, plan: BenchPlan | None = None) -> int:
    """Hand over to the screen. It finds on `args`: `loaded` (LoadedConfig), `reload` (reads it again), `plan` (a bench to begin with)."""
    require_terminal(os.environ)
    for name, value in (("ssh", None), ("worker_command", None), ("linger", 600.0), ("tour", False), ("loop", False)):
        if not hasattr(args, name):
            setattr(args, name, value)
    if args.ssh is not None and (not args.ssh or args.ssh.startswith("-")):
        raise UsageError("--ssh wants a host, as you would give it to ssh.")
    args.remote = args.ssh is not None or args.worker_command is not None
    args.reload = _looks_only(args) if args.remote else loader(args)
    args.loaded = args.reload()
    args.plan = plan
    # on again after the first frame
    gc.disable()
    return int(import_module("sparktui.tui.start").main(args))


def _looks_only(args: argparse.Namespace) -> Callable[[], LoadedConfig]:
    """Of a worker elsewhere this machine's config tells the looks only; which server, log and bench is its own config's affair."""
    laid = looks(args)
    return lambda: load_config(None, os.environ, laid)


def shell_words(text: str) -> list[str]:
    """For argparse: a command line as a shell would split it."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {str(error).lower()}") from error
    if not words:
        raise argparse.ArgumentTypeError("wants a command")
    return words


def require_terminal(env: Mapping[str, str]) -> None:
    """Raise UsageError where no screen can be painted. A served session (the web view) brings a driver of its own and no terminal."""
    if env.get("TEXTUAL_DRIVER"):
        return
    if not is_terminal(sys.stdin) or not is_terminal(sys.stdout):
        missing = "stdin" if not is_terminal(sys.stdin) else "stdout"
        raise UsageError(f"The screen needs a terminal, and {missing} is none.", hint=HEADLESS)
    if env.get("TERM", "") in {"", "dumb", "unknown"}:
        raise UsageError(f"The screen needs a terminal that can be painted; TERM is {env.get('TERM') or 'not set'}.", hint=HEADLESS)
