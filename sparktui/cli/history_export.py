"""`sparktui history export`: chosen runs to files, or to stdout."""

from __future__ import annotations

import argparse
import sys

from sparktui.cli.streams import say
from sparktui.errors import EXIT_OK, UsageError
from sparktui.io.store.history import History


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which runs, where to, how."""
    from sparktui.cli.history import add_selection

    add_selection(parser)
    parser.add_argument("--all", action="store_true", help="the whole history")
    parser.add_argument("--out", action="append", default=[], metavar="FILE", help="format by suffix; repeatable; - is stdout")
    parser.add_argument("--format", metavar="FORMAT", help="md, csv, json or jsonl, whatever the suffix says")
    parser.add_argument("--timeline", action="store_true", help="with every chunk's time, kind, characters and tokens (json, jsonl)")
    parser.add_argument("--no-text", action="store_true", help="leave prompts and answers out")
    parser.add_argument("--answers", action="store_true", help="put the answers into a Markdown page")
    parser.add_argument("--force", action="store_true", help="replace files that exist")
    parser.set_defaults(act=export)


def export(args: argparse.Namespace, history: History) -> int:
    """Write the runs. Every path is checked before the first is written. Raises UsageError and StorageError."""
    from sparktui.cli.history import selected
    from sparktui.report.export import check_writable, default_name, format_of, render, write_atomic

    if args.all:
        args.where, args.runs = "", [record.id for record in history.stream(sort="started_at")]
        if not args.runs:
            raise UsageError("The history is empty.")
    ids = args.runs if args.all else selected(args, history)
    records = [history.get(run_id, timeline=args.timeline) for run_id in ids]
    targets = args.out or [default_name(records, format_of("", args.format))] if args.format else args.out
    if not targets:
        raise UsageError("Where to?", hint="Name a file: --out runs.md, or --out - --format csv for stdout.")
    formats = [format_of("" if target == "-" else target, args.format) for target in targets]
    paths = [None if target == "-" else check_writable(target, force=args.force) for target in targets]
    for path, format in zip(paths, formats, strict=True):
        data = render(records, None, format, timeline=args.timeline, text=not args.no_text, answers=args.answers)
        if path is None:
            sys.stdout.buffer.write(data)
        else:
            say(f"{len(records)} run{'' if len(records) == 1 else 's'} → {write_atomic(path, data, force=args.force)}")
    return EXIT_OK
