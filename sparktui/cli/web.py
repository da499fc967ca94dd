"""`sparktui web`: the screen in a browser on this machine."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec

from sparktui.cli.options import add_looks_options, add_server_options, loader
from sparktui.cli.parser import Parser, whole
from sparktui.errors import EXIT_OK, UsageError
from sparktui.tui.workers.workerargs import worker_options


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--port", type=whole(1, 65_535), default=8700, metavar="N", help="the port on 127.0.0.1 (default 8700)")
    add_looks_options(parser)
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C. Raises UsageError where the extra is missing or the port is taken, ConfigError for an unusable config."""
    if find_spec("textual_serve") is None:
        raise UsageError("The web view needs the extra `web`.", hint="./run.sh web installs it; else: pip install 'sparktui[web]'")
    loader(args)()
    from sparktui.tui.webview import serve

    demo = ["--demo"] if args.demo else []
    rate = [] if args.fps is None else [f"--fps={args.fps}"]
    serve([sys.executable, "-m", "sparktui", *demo, *rate, *worker_options(args)], args.port)
    return EXIT_OK
