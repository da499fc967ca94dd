"""`sparktui watch`: look on, read-only, while something is measured in another terminal."""

from __future__ import annotations

import argparse
import os
from datetime import datetime

from sparktui.cli.options import add_config_options, add_looks_options, loader
from sparktui.cli.parser import Parser, text_argument
from sparktui.cli.screen import require_terminal
from sparktui.errors import EXIT_OK, UsageError
from sparktui.io.paths import journal_dir
from sparktui.io.store.findsession import purpose_of, running, session_named
from sparktui.io.store.sessions import Session, sessions

_LISTED = 20
_NOTHING = "Start one in another terminal (sparktui bench), or name a session that is over: sparktui watch --list"


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "session", nargs="?", type=text_argument, metavar="SESSION", help="a session's id or its journal; default: the newest that runs"
    )
    parser.add_argument("--list", action="store_true", help="list the sessions there are, running ones first")
    add_looks_options(parser)
    add_config_options(parser)


def run(args: argparse.Namespace) -> int:
    """Open the watcher's screen, or list sessions. Raises UsageError where there is nothing to watch."""
    if args.list:
        return _list()
    require_terminal(os.environ)
    session = chosen(args.session)
    args.loaded = loader(args)()
    from sparktui.tui.showing.watch import main

    return main(args, session.path)


def chosen(reference: str | None) -> Session:
    """The session asked for, else the newest that runs. Raises UsageError where there is none."""
    if reference is not None:
        return session_named(reference)
    found = running()
    if not found:
        raise UsageError("Nothing is being measured now.", hint=_NOTHING)
    return found[0]


def _list() -> int:
    found = sessions(journal_dir())
    for session in found[:_LISTED]:
        began = session.hello.wall if session.hello is not None else ""
        when = datetime.fromisoformat(began).astimezone().strftime("%Y-%m-%d %H:%M:%S") if began else "–"
        reason = f" ({session.reason})" if session.reason else ""
        print(f"{session.name}  {when}  {purpose_of(session):<7} {session.state}{reason}")
    if not found:
        print("no sessions yet")
    return EXIT_OK
