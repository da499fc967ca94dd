"""`sparktui report`: chosen runs as one self-contained page, .html or .md."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from sparktui.cli.parser import Parser, text_argument
from sparktui.cli.streams import say
from sparktui.core.records import RunRecord
from sparktui.errors import EXIT_OK, UsageError

_STRIPS = ("median", "all", "none")


def add_arguments(parser: Parser) -> None:
    what = "a run (id, its beginning, `last`), `last N`, a label, a filter, a session, a file, or `reference`; default: the last bench"
    parser.add_argument("runs", nargs="*", type=text_argument, metavar="WHAT", help=what)
    parser.add_argument("--filter", dest="where", default="", type=text_argument, metavar="FILTER", help="as in `history list`")
    parser.add_argument("--out", action="append", default=[], metavar="FILE", help=".html or .md; repeatable; - is stdout")
    parser.add_argument("--format", metavar="FORMAT", help="html or md, whatever the suffix says")
    parser.add_argument("--title", default="", type=text_argument, help="the page's title")
    parser.add_argument("--baseline", default="", type=text_argument, metavar="LABEL", help="what others are held against")
    parser.add_argument("--strips", choices=_STRIPS, default="median", help="timelines of each cell's median run (default), all or none")
    parser.add_argument("--no-prompt", action="store_true", help="name the prompts, do not tell their text")
    parser.add_argument("--force", action="store_true", help="replace files that exist")


def run(args: argparse.Namespace) -> int:
    """Write every file and print its path. All paths are checked before the first is written. Raises UsageError, StorageError."""
    from sparktui.cli.reportruns import runs_of
    from sparktui.report.export import check_writable, now_utc, write_atomic
    from sparktui.report.page.content import page_of
    from sparktui.report.page.render import form_of, render_page

    given = [(target, form_of("" if target == "-" else target, args.format)) for target in args.out]
    records = runs_of(args.runs, args.where)
    targets = given or [(_name(records, form), form) for form in [form_of("", args.format or "html")]]
    paths = [None if target == "-" else check_writable(target, force=args.force) for target, _ in targets]
    if args.no_prompt:
        records = [msgspec.structs.replace(record, prompt=msgspec.structs.replace(record.prompt, text=None)) for record in records]
    page = page_of(records, made_at=now_utc(), title=args.title, baseline=args.baseline, strips=args.strips)
    for (_, form), path in zip(targets, paths, strict=True):
        data = render_page(page, form)
        if path is None:
            sys.stdout.buffer.write(data)
            continue
        print(write_atomic(path, data, force=args.force))
        say(f"{len(records):,} run{'' if len(records) == 1 else 's'}, {len(page.sections)} sections, {len(data) / 1000:,.0f} kB")
    return EXIT_OK


def _name(records: Sequence[RunRecord], form: str) -> Path:
    """report-LABEL-MODEL-TIME.html"""
    from sparktui.report.export import default_name

    if not records:
        raise UsageError("There is no run to report on.", hint="Measure something first: sparktui bench")
    return Path(f"report-{default_name(records, form)}")
