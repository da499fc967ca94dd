"""What every command that measures does with its runs: options for files, the table on stdout, exports, the exit code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sparktui.cli.parser import Parser
from sparktui.cli.streams import say
from sparktui.core.records import RunRecord
from sparktui.errors import EXIT_INTERRUPTED, EXIT_OK, EXIT_RUN_FAILED, SparkError

Files = Sequence[tuple[Path, str]]


def add_result_options(parser: Parser) -> argparse._ArgumentGroup:
    """--out and what belongs to it; returns the group, for more."""
    out = parser.add_argument_group("results")
    out.add_argument("--out", action="append", default=[], type=Path, metavar="FILE", help=".md .csv .json or .jsonl; repeatable")
    out.add_argument("--force", action="store_true", help="replace files that exist")
    out.add_argument("--no-text", action="store_true", help="leave prompts' answers out of exports")
    out.add_argument("--timeline", action="store_true", help="put every chunk's time into .json and .jsonl")
    return out


def files_asked_for(args: argparse.Namespace) -> Files:
    """The files asked for and their formats, each checked to be writable. Raises UsageError, StorageError."""
    if not args.out:
        return []
    from sparktui.report.export import check_writable, format_of

    files = [(path, format_of(path)) for path in args.out]
    for path, _ in files:
        check_writable(path, force=args.force)
    return files


def show(records: Sequence[RunRecord]) -> None:
    """The runs as tables on stdout."""
    from sparktui.report.console import Out, print_bench

    if records and sys.stdout is not None:
        print_bench(records, Out.to(sys.stdout))


def export(
    args: argparse.Namespace, records: Sequence[RunRecord], files: Files, *,
    extra: Mapping[str, Any] | None = None, page: Sequence[str] = (),
) -> int:  # fmt: skip
    """Write every file asked for and return an exit code; one that fails does not keep the others from being written.

    `extra` and `page`: what report.export.render adds to .json and .md.
    """
    from sparktui.report.export import render, write_atomic

    code = EXIT_OK
    for path, format in files:
        if not records:
            continue
        try:
            data = render(records, None, format, text=not args.no_text, timeline=args.timeline, extra=extra, page=page)
            say(f"written: {write_atomic(path, data, force=args.force)}")
        except SparkError as error:
            say(f"sparktui: {error}")
            code = error.exit_code
    if files and not records:
        say("nothing was measured, so nothing was written")
    return code


def exit_code(records: Sequence[RunRecord], *, interrupted: bool, stopped: SparkError | None, last: SparkError | None) -> int:
    """4 interrupted; else the code of what ended the bench; else 0 if every run went well, the error's code if none did, 1 otherwise."""
    if interrupted:
        return EXIT_INTERRUPTED
    good = sum(record.status == "ok" for record in records)
    if good == len(records) and stopped is None:
        return EXIT_OK
    if not good and last is not None:
        return last.exit_code
    return stopped.exit_code if stopped is not None else EXIT_RUN_FAILED
