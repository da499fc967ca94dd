"""The options of a command that can go on without its terminal, and be ended from another one."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from sparktui.cli.parser import Parser, text_argument
from sparktui.errors import UsageError


def add_away_options(parser: Parser, name: str) -> None:
    """--detach and --stop of the command `name`."""
    away = parser.add_argument_group("without a terminal")
    away.add_argument("--detach", action="store_true", help="go on after the terminal is gone; `sparktui watch` finds it again")
    away.add_argument(
        "--stop", nargs="?", const="", type=text_argument, metavar="SESSION", help=f"end a {name} that runs (default: the newest) and save"
    )


def stopped(args: argparse.Namespace, name: str) -> int | None:
    """The exit code of `--stop`; None where it was not asked for. Raises UsageError where there is nothing to stop."""
    if args.stop is None:
        return None
    from sparktui.cli.stop import stop

    return stop(args.stop, name)


def here_or_away(args: argparse.Namespace, name: str, work: Callable[[], int]) -> int:
    """Do the work here, or with --detach in a process of its own. Raises UsageError where nobody would find that again."""
    if not args.detach:
        return work()
    if args.no_history:
        raise UsageError("--detach and --no-history exclude each other.", hint=f"A detached {name} is found again by its journal.")
    from sparktui.cli.detach import detached

    return detached(name, work)
