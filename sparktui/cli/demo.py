"""`sparktui demo`: the live screen on the simulated server, whatever the config says."""

from __future__ import annotations

import argparse

from sparktui.cli.options import add_server_options
from sparktui.cli.parser import Parser
from sparktui.cli.screen import open_screen
from sparktui.errors import UsageError


def add_arguments(parser: Parser) -> None:
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Open the screen on the simulated server and return its exit code."""
    if args.base_url:
        raise UsageError("`demo` measures the simulated server; --base-url names another.", hint="Leave --base-url out.")
    args.demo = True
    return open_screen(args)
