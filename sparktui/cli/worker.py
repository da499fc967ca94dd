"""`sparktui worker`: the measuring process a screen talks to, JSON lines on stdin and stdout."""

from __future__ import annotations

import argparse
import os
import signal
import sys

from sparktui.cli.options import add_server_options, loader
from sparktui.cli.parser import Parser
from sparktui.core.config import HistoryConfig
from sparktui.engine.outbox import Outbox
from sparktui.engine.session import Session
from sparktui.engine.worker import Worker, lines_of
from sparktui.errors import EXIT_OK, SparkError


def add_arguments(parser: Parser) -> None:
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until `shutdown` or the end of stdin. Raises StorageError when the history cannot be opened at all."""
    # stdout is the protocol's alone: whatever else prints there would be noise in it
    out = os.dup(1)
    os.dup2(2, 1)
    read = loader(args)
    try:
        loaded = read()
        settings, masked = loaded.config.history, loaded.secrets
    except SparkError:
        # told again, with its place, in the reply to `configure`
        settings, masked = HistoryConfig(), ()
    outbox = Outbox(out)
    session = Session("worker", settings, store=not args.no_history, masked=masked, sinks=(outbox,))
    worker = Worker(session, outbox, read, demo_speed=args.demo_speed, store=not args.no_history)
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        reason = worker.serve(lines_of(0))
    except SystemExit:
        reason = "terminated"
        worker.close()
    unsaved = session.close(reason)
    if unsaved:
        print(f"{len(unsaved)} of the runs could not be stored: {'; '.join(session.notes)}", file=sys.stderr)
    outbox.close()
    return EXIT_OK


def _leave(_number: int, _frame: object) -> None:
    raise SystemExit(143)
