"""`sparktui doctor`: every setting with its origin, then one line a check: ok, warn or fail, and the fix."""

from __future__ import annotations

import argparse
import os
import sys

from sparktui.cli.options import add_server_options, loader
from sparktui.cli.parser import Parser
from sparktui.cli.streams import shown
from sparktui.cli.terminalcheck import check_terminal
from sparktui.engine.checks.check import Check, exit_code_of
from sparktui.engine.checks.doctor import examine, settings
from sparktui.io.config.configfile import LoadedConfig


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--no-settings", action="store_true", help="checks only, not the list of settings")
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print settings and checks; 1 when a check failed, 3 when the server is unreachable or refuses. Raises ConfigError, UsageError."""
    loaded = loader(args)()
    args.loaded = loaded
    if not args.no_settings:
        _print_settings(loaded)
    checks = []
    for check in examine(loaded, demo=args.demo, demo_speed=args.demo_speed):
        _print(check)
        checks.append(check)
    for check in check_terminal(os.environ):
        _print(check)
        checks.append(check)
    return exit_code_of(checks)


def _print_settings(loaded: LoadedConfig) -> None:
    rows = list(settings(loaded))
    key_width = max(len(key) for key, _, _ in rows)
    value_width = min(32, max(len(value) for _, value, _ in rows))
    for key, value, origin in rows:
        _line(f"{key:<{key_width}}  {value:<{value_width}}  {origin}")
    _line("")


def _print(check: Check) -> None:
    fix = f"  → {check.fix}" if check.fix and check.state != "ok" else ""
    _line(f"{check.state:<4}  {check.name}: {check.text}{fix}")


def _line(text: str) -> None:
    print(shown(text, sys.stdout), flush=True)
