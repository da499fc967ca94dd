"""`sparktui share`: one run as a small file that plays anywhere, as a picture of its screen, or as an asciinema cast."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sparktui.cli.options import add_config_options, loader
from sparktui.cli.parser import Parser, seconds, text_argument
from sparktui.cli.streams import say
from sparktui.core.records import RunRecord
from sparktui.core.replay import NotReplayableError, recording_of
from sparktui.errors import EXIT_OK, StorageError, UsageError
from sparktui.io.atomic import check_writable, write_atomic
from sparktui.io.sharefile import pack_share
from sparktui.io.store.runsource import find_runs
from sparktui.report.share import share_name

_SIZE = (120, 36)
_START_S, _REST_S = 4.0, 2.0


def add_arguments(parser: Parser) -> None:
    runs = "an id, `last` (the default), or a file; two side by side for a picture or a cast"
    parser.add_argument("runs", nargs="*", type=text_argument, metavar="RUN", help=runs)
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to; default: a name made of prompt, model and rate")
    parser.add_argument("--force", action="store_true", help="replace a file that exists")
    parser.add_argument("--no-prompt", action="store_true", help="name the prompt, do not tell its text")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--svg", action="store_true", help="a picture of the finished screen instead, 120×36")
    kind.add_argument("--cast", action="store_true", help="an asciinema cast of the replay instead (takes as long as the run)")
    parser.add_argument("--at", type=seconds(0, 86_400), metavar="S", help="with --svg: the screen S seconds after the send")
    add_config_options(parser)


def run(args: argparse.Namespace) -> int:
    """Write the file and print its path. Raises UsageError, StorageError."""
    records = find_runs(args.runs or ["last"])
    if len(records) > (2 if args.svg or args.cast else 1):
        raise UsageError("One file holds one run.", hint="--svg and --cast take two, side by side.")
    if args.at is not None and not args.svg:
        raise UsageError("--at is for --svg.")
    try:
        length_s = max(recording_of([record]).length_ns for record in records) / 1e9
    except NotReplayableError as error:
        raise UsageError(f"This run cannot be shared: {error}.", hint="Runs of the history have a timeline.") from error
    suffix = ".svg" if args.svg else ".cast" if args.cast else ".spark"
    path = check_writable(args.out or Path(share_name(records[0], suffix)), force=args.force)
    if args.svg:
        data = _picture(args, records)
    else:
        data = _cast(records, length_s) if args.cast else pack_share(records[0], prompt=not args.no_prompt)
    print(write_atomic(path, data, force=args.force))
    if not (args.svg or args.cast):
        say(f"{len(data) / 1000:.1f} kB; anywhere: sparktui replay {path}")
    return EXIT_OK


def _picture(args: argparse.Namespace, records: Sequence[RunRecord]) -> bytes:
    from sparktui.tui.drawing.picture import svg_of
    from sparktui.tui.start import options_of

    return svg_of(records, options_of(loader(args)()), at_s=args.at, size=_SIZE).encode()


def _cast(records: Sequence[RunRecord], length_s: float) -> bytes:
    from sparktui.io.castfile import record_cast

    with tempfile.TemporaryDirectory(prefix="sparktui-cast-") as folder:
        files = []
        for number, record in enumerate(records):
            files.append(Path(folder) / f"{number}.spark")
            files[-1].write_bytes(pack_share(record))
        argv = [sys.executable, "-m", "sparktui", "replay", *map(str, files)]
        env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "PYTHONUTF8": "1"}
        try:
            text = record_cast(argv, env, size=_SIZE, title=share_name(records[0], ""), seconds=length_s + _START_S + _REST_S)
        except OSError as error:
            raise StorageError(f"The cast cannot be recorded: {error.strerror or error}.") from error
    return text.encode()
