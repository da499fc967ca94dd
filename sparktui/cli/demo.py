"""`sparktui demo`: a minute's guided tour on the simulated server, whatever the config says; afterwards the screen is yours."""

from __future__ import annotations

import argparse

from sparktui.cli.options import add_looks_options, add_server_options
from sparktui.cli.parser import Parser
from sparktui.cli.screen import open_screen
from sparktui.errors import UsageError


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--loop", action="store_true", help="the tour again and again, for a stand; nothing is stored")
    parser.add_argument("--no-tour", action="store_true", help="the screen at once, as `sparktui --demo`")
    add_looks_options(parser)
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Open the screen on the simulated server and return its exit code."""
    if args.base_url:
        raise UsageError("`demo` measures the simulated server; --base-url names another.", hint="Leave --base-url out.")
    if args.loop and args.no_tour:
        raise UsageError("--loop is for the tour.", hint="Leave --no-tour out.")
    args.demo = True
    args.tour = not args.no_tour
    args.no_history = args.no_history or args.loop
    return open_screen(args)
