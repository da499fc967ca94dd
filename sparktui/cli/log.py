"""`sparktui log`: a server's log as JSON lines, one a generation."""

from __future__ import annotations

import argparse
import queue
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from sparktui.cli.interrupts import interrupts
from sparktui.cli.options import add_config_options, load
from sparktui.cli.parser import Parser, text_argument
from sparktui.cli.streams import say
from sparktui.core.log.join import is_requeued
from sparktui.core.log.logrecord import Generation, LogRecord
from sparktui.engine.running.cancel import Cancel
from sparktui.errors import EXIT_INTERRUPTED, EXIT_OK, StorageError, UsageError
from sparktui.io.log.logcommand import CommandSource
from sparktui.io.log.logopen import open_source
from sparktui.io.log.logpath import PathSource, file_meant
from sparktui.io.log.logpipe import StdinSource
from sparktui.io.log.logsource import Begin, Data, Item, LogSource
from sparktui.servers.grammar import GRAMMARS, LogReader

_BLOCK_BYTES = 256 * 1024
_QUIET_S = 0.1
_FIGURES = (
    "completion_tokens", "total_s", "queue_s", "cached_tokens", "new_tokens", "prompt_tokens", "prefill_tok_s", "server_tok_s",
    "draft_accepted", "draft_proposed", "acceptance_rate", "mean_acceptance_length", "scope", "grammar",
)  # fmt: skip


def add_arguments(parser: Parser) -> None:
    parser.add_argument("path", nargs="?", type=text_argument, metavar="PATH", help="file, folder, glob or FIFO; - reads stdin to its end")
    parser.add_argument("--once", action="store_true", help="read the file from its start to its end, then stop; else it is followed")
    parser.add_argument("--from-start", action="store_true", help="follow from the first line instead of the last 256 KB")
    parser.add_argument("--all", action="store_true", help="every record, not only generations")
    parser.add_argument("--grammar", choices=GRAMMARS, default="auto", help="whose log it is, where it is not recognised")
    parser.add_argument(
        "--command", nargs=argparse.REMAINDER, metavar="ARGV", help="follow what this command prints: --command docker logs -f NAME"
    )
    add_config_options(parser)
    parser.epilog = (
        "Without PATH: the log of the config. One JSON object a line: time, level, request_id (or task), tokens, times in seconds, rates "
        "in tokens/s; a figure the line does not give is null. flags: partial_acceptance where the server restarted its counters."
    )


def run(args: argparse.Namespace) -> int:
    """Print until the input ends (0) or an interrupt (4). Raises UsageError, ConfigError, StorageError."""
    printer = _Printer(every=args.all)
    if args.once and args.path != "-":
        _read_once(args, printer)
        return EXIT_OK
    source, secrets = _source(args)
    return _follow(source, LogReader(args.grammar, secrets), printer)


def _source(args: argparse.Namespace) -> tuple[LogSource, tuple[str, ...]]:
    if args.command is not None:
        if args.path is not None or not args.command:
            raise UsageError("--command takes the place of PATH and needs a command.", hint="sparktui log --command docker logs -f NAME")
        return CommandSource(args.command), ()
    if args.path == "-":
        return StdinSource(), ()
    if args.path is not None:
        return PathSource(args.path, start=0 if args.from_start else None), ()
    loaded = load(args)
    source = open_source(loaded.config.log)
    if source is None:
        raise UsageError("No log is configured and none was named.", hint="sparktui log PATH, or set log.source in config.yml.")
    return source, loaded.secrets


def _read_once(args: argparse.Namespace, printer: _Printer) -> None:
    if args.path is None or args.command is not None or args.from_start:
        raise UsageError("--once reads one file: it needs PATH and neither --command nor --from-start.")
    path = file_meant(args.path)
    if path is None:
        raise StorageError(f"No log matches {args.path}.")
    reader = LogReader(args.grammar)
    _read_file(path, reader, printer)
    printer.records(reader.end())


def _read_file(path: Path, reader: LogReader, printer: _Printer) -> None:
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                printer.records(reader.feed(block))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise StorageError(f"The log {path} cannot be read: {error.strerror}.", hint="Without --once it is waited for.") from error


def _follow(source: LogSource, reader: LogReader, printer: _Printer) -> int:
    items: queue.Queue[Item | None] = queue.Queue(maxsize=64)
    cancel, stop = Cancel(), threading.Event()

    def read() -> None:
        source.run(put, stop)
        put(None)

    def put(item: Item | None) -> None:
        while not stop.is_set():
            try:
                items.put(item, timeout=_QUIET_S)
            except queue.Full:
                continue
            return

    thread = threading.Thread(target=read, name="log-source", daemon=True)
    with interrupts(cancel):
        thread.start()
        try:
            _print_items(items, reader, printer, cancel)
        finally:
            stop.set()
            thread.join(5)
    return EXIT_INTERRUPTED if cancel.is_set() else EXIT_OK


def _print_items(items: queue.Queue[Item | None], reader: LogReader, printer: _Printer, cancel: Cancel) -> None:
    while not cancel.is_set():
        try:
            item = items.get(timeout=_QUIET_S)
        except queue.Empty:
            if not reader.partial:
                printer.records(reader.quiet())
            continue
        if item is None:
            break
        if isinstance(item, Data):
            printer.records(reader.feed(item.data, item.channel))
        elif isinstance(item, Begin):
            printer.records(reader.begin(item.channel, mid_file=item.mid_file, keep_partial=item.keep_partial))
        else:
            say(": ".join(part for part in (item.state, item.name, item.reason) if part))
    printer.records(reader.end())


class _Printer:
    """JSON lines to stdout, written out at once."""

    def __init__(self, *, every: bool) -> None:
        self._every = every
        self._encode = msgspec.json.Encoder().encode

    def records(self, records: Iterable[LogRecord]) -> None:
        lines = [self._encode(row) for record in records if (row := self._row(record)) is not None]
        if lines:
            sys.stdout.buffer.write(b"\n".join([*lines, b""]))
            sys.stdout.buffer.flush()

    def _row(self, record: LogRecord) -> dict[str, Any] | None:
        if record.generation is not None and (self._every or record.generation.note != "live"):
            return generation_row(record, record.generation)
        return {"time": record.time or None, "level": record.level or None, "text": record.text} if self._every else None


def generation_row(record: LogRecord, generation: Generation) -> dict[str, Any]:
    """The object printed for one generation: absent figures are None. `task`, `choice`, `running`, `waiting`, `note` and `flags` only
    where there is something to say."""
    row: dict[str, Any] = {"time": record.time or None, "level": record.level or None, "request_id": generation.request_id}
    extras = {name: value for name in ("task", "choice", "running", "waiting") if (value := getattr(generation, name)) is not None}
    row.update(extras)
    row.update({name: getattr(generation, name) for name in _FIGURES})
    flags = [*(["partial_acceptance"] if is_requeued(generation) else []), *(["truncated"] if generation.truncated else [])]
    row.update({name: value for name, value in (("note", generation.note), ("flags", flags)) if value})
    return row
