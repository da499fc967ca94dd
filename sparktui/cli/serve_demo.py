"""`sparktui serve-demo`: the simulated server alone, until it is stopped."""

from __future__ import annotations

import argparse
import json

from sparktui.cli.parser import Parser
from sparktui.cli.streams import say
from sparktui.demo import options, server


def add_arguments(parser: Parser) -> None:
    options.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until a signal. One JSON line on stdout says port, pid and log; a sentence on stderr says how to use it. Raises SparkError."""
    chosen = options.options_from(args)

    def announce(line: dict[str, object]) -> None:
        print(json.dumps(line), flush=True)
        host = f"[{chosen.host}]" if ":" in chosen.host else chosen.host
        say(f"DEMO SERVER: simulated, nothing here is measured.  sparktui --base-url http://{host}:{line['port']}   (Ctrl-C stops it)")

    return server.serve(chosen, announce)
