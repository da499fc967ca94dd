"""`sparktui history`: list, show, export, compare, label, rm, import."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from datetime import datetime

from sparktui.cli.parser import text_argument, whole
from sparktui.cli.streams import is_terminal, say
from sparktui.core.records import RunRecord
from sparktui.errors import EXIT_OK, ConfigError, UsageError
from sparktui.io.store.history import NEWEST_FIRST, History

_FILTER_HELP = (
    "words in label, prompt, model or note; label:shipped prompt:code status:ok T:0 model:x flag:not_idle since:2026-11-30 client:>50; "
    "- before one turns it round"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The subcommands; none of them is `list`."""
    parser.set_defaults(act=_list, filter=[], where="", sort=NEWEST_FIRST, limit=_SHORT_LIST, cells=False, json=False)
    commands = parser.add_subparsers(title="what to do (default: list)", metavar="WHAT")
    _list_arguments(commands.add_parser("list", help="runs, the newest first", description=f"Lists runs. FILTER: {_FILTER_HELP}"))
    show = commands.add_parser("show", help="one run: every figure, its burst timeline")
    show.add_argument("run", type=text_argument, help="an id, the beginning of one, or `last`")
    show.add_argument("--text", action="store_true", help="also the prompt and what the model said")
    show.add_argument("--json", action="store_true", help="the whole record as JSON")
    show.set_defaults(act=_show)
    from sparktui.cli import history_compare, history_export

    history_export.add_arguments(commands.add_parser("export", help="runs to a .md, .csv, .json or .jsonl file"))
    history_compare.add_arguments(commands.add_parser("compare", help="A against B: labels, run ids or filters"))
    label = commands.add_parser("label", help="give runs another label")
    add_selection(label)
    label.add_argument("label", type=text_argument, metavar="LABEL", help="the new label")
    label.set_defaults(act=_label)
    remove = commands.add_parser("rm", help="delete runs for good")
    add_selection(remove)
    remove.add_argument("--yes", action="store_true", help="do not ask")
    remove.set_defaults(act=_remove)
    bring = commands.add_parser("import", help="add the runs of exports; `reference` is the published ones")
    kinds = ".json, .jsonl, another history, a journal, or `reference`"
    bring.add_argument("files", nargs="+", type=text_argument, metavar="FILE", help=kinds)
    bring.set_defaults(act=_import)


def run(args: argparse.Namespace) -> int:
    """Open the history, take in what killed sessions left, do what was asked. Raises SparkError."""
    with History.open() as history:
        _tidy(history)
        for note in history.notes:
            say(note)
        return int(args.act(args, history))


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Runs by id, or by a filter."""
    parser.add_argument("runs", nargs="*", type=text_argument, metavar="RUN", help="an id, the beginning of one, or `last`")
    parser.add_argument("--filter", dest="where", default="", type=text_argument, metavar="FILTER", help=_FILTER_HELP)


def selected(args: argparse.Namespace, history: History) -> list[str]:
    """The ids a command names, each once, in their order. Raises UsageError where it names none."""
    ids = [history.resolve(reference) for reference in args.runs]
    if args.where:
        ids += [record.id for record in history.stream(args.where, sort="started_at")]
        if not ids:
            raise UsageError(f"No run fits the filter {args.where!r}.")
    if not ids:
        raise UsageError("Which runs?", hint="Name run ids, `last`, or --filter FILTER.")
    return list(dict.fromkeys(ids))


_SHORT_LIST = 30


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("filter", nargs="*", type=text_argument, metavar="FILTER")
    parser.add_argument("--filter", dest="where", default="", type=text_argument, metavar="FILTER", help="the same, where it begins with -")
    parser.add_argument("--sort", default=NEWEST_FIRST, metavar="COLUMN", help="when, label, client, ttft …; - before it: largest first")
    parser.add_argument("--limit", type=whole(0, 10_000_000), default=_SHORT_LIST, help=f"how many at most (default {_SHORT_LIST}; 0: all)")
    parser.add_argument("--cells", action="store_true", help="medians per label, server, model, prompt and parameters")
    parser.add_argument("--json", action="store_true", help="one run a line, without texts")
    parser.set_defaults(act=_list)


def _list(args: argparse.Namespace, history: History) -> int:
    text = " ".join([args.where, *(_quoted(word) for word in args.filter)]).strip()
    records = history.query(text, args.sort, None if args.cells else args.limit or None)
    if args.json:
        from sparktui.report.export_json import render_jsonl

        sys.stdout.write(render_jsonl(records, text=False).decode())
        return EXIT_OK
    _print_list(records, cells=args.cells)
    total = history.count(text)
    if total > len(records):
        say(f"{len(records)} of {total:,} runs; --limit 0 shows all.")
    elif not total:
        say("No run fits." if text else "The history is empty. Measure something: sparktui bench")
    return EXIT_OK


def _print_list(records: list[RunRecord], *, cells: bool) -> None:
    from sparktui.report.comparing import cell_table, cells_side
    from sparktui.report.console import Out
    from sparktui.report.runtable import history_table

    if not records:
        return
    table = cell_table(cells_side(records)) if cells else history_table(records, datetime.now().astimezone())
    Out.to(sys.stdout).table(table)


def _show(args: argparse.Namespace, history: History) -> int:
    record = history.get(args.run, timeline=True)
    if args.json:
        from sparktui.report.export_json import render_jsonl

        sys.stdout.write(render_jsonl([record], timeline=True).decode())
        return EXIT_OK
    from sparktui.report.console import Out, print_run

    print_run(record, Out.to(sys.stdout), text=args.text)
    return EXIT_OK


def _label(args: argparse.Namespace, history: History) -> int:
    if not args.label.strip():
        raise UsageError("A label must not be empty.")
    changed = history.label(selected(args, history), args.label)
    say(f"{_runs(changed)} labelled {args.label!r}.")
    return EXIT_OK


def _remove(args: argparse.Namespace, history: History) -> int:
    ids = selected(args, history)
    if not args.yes:
        _confirm(ids)
    say(f"{_runs(history.delete(ids))} deleted.")
    return EXIT_OK


def _confirm(ids: list[str]) -> None:
    """Ask on the terminal. Raises UsageError where nobody can be asked, or the answer is not yes."""
    what = f"{_runs(len(ids))}: {', '.join(ids[:5])}{' …' if len(ids) > 5 else ''}"
    if not is_terminal(sys.stdin) or not is_terminal(sys.stderr):
        raise UsageError(f"Deleting {what} needs a yes.", hint="Say --yes.")
    print(f"Delete {what}? This cannot be undone. [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError("Nothing was deleted.")


def _import(args: argparse.Namespace, history: History) -> int:
    from sparktui.io.store.importing import import_file

    for source in args.files:
        say(f"{source}: {import_file(history, source).summary()}")
    return EXIT_OK


def _tidy(history: History) -> None:
    """Take in what killed sessions left. A config that cannot be read is no reason not to show the history."""
    from sparktui.io.config.configfile import load_config
    from sparktui.io.paths import journal_dir
    from sparktui.io.store.recovery import tidy

    if not journal_dir().is_dir():
        return
    try:
        settings = load_config(None, os.environ, {}).config.history
    except ConfigError as error:
        say(f"Journals were not looked through: {error.title}")
        return
    added = tidy(history, journal_dir(), keep_text=settings.keep_text, days=settings.journal_days, megabytes=settings.journal_mb)
    if added:
        say(f"{_runs(len(added))} recovered from journals of sessions that ended early: {_names(added)}")


def _names(records: Iterable[RunRecord]) -> str:
    return ", ".join(f"{record.id} ({record.status.replace('_', ' ')})" for record in records)


def _quoted(word: str) -> str:
    """A shell word with blanks is one phrase."""
    return f'"{word}"' if " " in word and '"' not in word and ":" not in word else word


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count:,} runs"
