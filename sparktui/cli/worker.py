"""`sparktui worker`: the measuring process a screen talks to, JSON lines on stdin and stdout."""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterable

import msgspec

from sparktui.cli.options import add_server_options, loader
from sparktui.cli.parser import Parser, seconds
from sparktui.core.commands import Attach, decode_command
from sparktui.core.config import HistoryConfig
from sparktui.engine.hosting.linger import Screens
from sparktui.engine.hosting.session import Session
from sparktui.engine.hosting.worker import Worker
from sparktui.errors import EXIT_OK, SparkError
from sparktui.io.linesocket import knock, lines_of


def add_arguments(parser: Parser) -> None:
    add_server_options(parser)
    group = parser.add_argument_group("screen")
    lingering = "measure on for S seconds when the screen is lost, and wait for its first command before anything else; 0 ends at once"
    group.add_argument("--linger", type=seconds(0, 86_400), default=0.0, metavar="S", help=lingering)


def run(args: argparse.Namespace) -> int:
    """Serve until `shutdown` or the end of stdin. Raises StorageError when the history cannot be opened at all."""
    # stdout is the protocol's alone: whatever else prints there would be noise in it
    out = os.dup(1)
    os.dup2(2, 1)
    lines: Iterable[bytes] = lines_of(0)
    if args.linger:
        lines = iter(lines)
        first = next(lines, b"")
        line = _wanted(first)
        if line is not None:
            return _pass_on(line, first, lines, out)
        lines = itertools.chain([first], lines)
    return _serve(args, lines, out)


def _serve(args: argparse.Namespace, lines: Iterable[bytes], out: int) -> int:
    read = loader(args)
    try:
        loaded = read()
        settings, masked = loaded.config.history, loaded.secrets
    except SparkError:
        # told again, with its place, in the reply to `configure`
        settings, masked = HistoryConfig(), ()
    screens = Screens(out)
    session = Session("worker", settings, store=not args.no_history, masked=masked, sinks=(screens,))
    worker = Worker(session, screens, read, demo_speed=args.demo_speed, store=not args.no_history)
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        if args.linger:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            _open_door(screens, session)
        reason = worker.serve(screens.lines(lines, args.linger))
    except SystemExit:
        reason = "terminated"
        worker.close()
    unsaved = session.close(reason)
    if unsaved:
        print(f"{len(unsaved)} of the runs could not be stored: {'; '.join(session.notes)}", file=sys.stderr)
    screens.close()
    return EXIT_OK


def _open_door(screens: Screens, session: Session) -> None:
    if not session.keeps_journal:
        print("without a journal a lost screen cannot be told what it missed: this worker ends with its screen", file=sys.stderr)
        return
    try:
        screens.open_door(session.hello, session.since)
    except SparkError as error:
        print(f"this worker ends with its screen: {error.title}", file=sys.stderr)


def _wanted(first: bytes) -> socket.socket | None:
    """The line to the lingering worker that the first command asks for; None for any other command, or when that worker is gone."""
    try:
        command = decode_command(first)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return knock(command.session) if isinstance(command, Attach) else None


def _pass_on(line: socket.socket, first: bytes, lines: Iterable[bytes], out: int) -> int:
    """Be nothing but a pipe between this process's screen and another worker."""

    def to_worker() -> None:
        try:
            for text in itertools.chain([first], lines):
                line.sendall(text + b"\n")
            line.shutdown(socket.SHUT_WR)
        except OSError:
            return

    threading.Thread(target=to_worker, name="to-worker", daemon=True).start()
    try:
        while block := line.recv(64 * 1024):
            view = memoryview(block)
            while view:
                view = view[os.write(out, view) :]
    except OSError:
        # one of the two is gone; the worker waits for the next screen
        line.close()
    return EXIT_OK


def _leave(_number: int, _frame: object) -> None:
    raise SystemExit(143)
