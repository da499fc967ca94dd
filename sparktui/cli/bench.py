"""`sparktui bench`: prompts × temperatures × runs, a table at the end, exports."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from sparktui.cli.options import add_server_options, load
from sparktui.cli.parser import Parser, comma_list, temperatures, text_argument, whole
from sparktui.cli.streams import say
from sparktui.core.config import Config
from sparktui.core.plans import BenchPlan, PromptSpec
from sparktui.core.records import RunRecord
from sparktui.engine.bench import Bench, for_parallel
from sparktui.errors import EXIT_INTERRUPTED, EXIT_OK, EXIT_RUN_FAILED, SparkError, UsageError
from sparktui.io.prompts import read_prompt_file, resolve_prompt


def add_arguments(parser: Parser) -> None:
    group = parser.add_argument_group("what is measured (default: `bench` of the config)")
    group.add_argument("--prompts", type=comma_list, metavar="NAMES", help="names, separated by commas: story, code, or from config")
    group.add_argument("--prompt", type=text_argument, metavar="TEXT", help="this text instead")
    group.add_argument("--prompt-file", metavar="FILE", help="the text in this file instead; - reads stdin")
    group.add_argument("--temps", type=temperatures, metavar="LIST", help="temperatures, e.g. 1.0,0; unset sends none")
    group.add_argument("--runs", type=whole(1, 1000), metavar="N", help="counted runs per prompt and temperature")
    group.add_argument("--warmup", type=whole(0, 100), metavar="N", help="runs before them, recorded but not counted")
    group.add_argument("--parallel", type=whole(1, 16), metavar="N", help="N equal requests at once")
    group.add_argument("--max-tokens", type=whole(1, 1_000_000), metavar="N", help="longest answer")
    group.add_argument("--label", type=text_argument, metavar="TEXT", help="history groups runs by it")
    out = parser.add_argument_group("results")
    out.add_argument("--out", action="append", default=[], type=Path, metavar="FILE", help=".md .csv .json or .jsonl; repeatable")
    out.add_argument("--force", action="store_true", help="replace files that exist")
    out.add_argument("--no-text", action="store_true", help="leave prompts' answers out of exports")
    out.add_argument("--timeline", action="store_true", help="put every chunk's time into .json and .jsonl")
    out.add_argument("--live", action="store_true", help="the same bench on the live screen")
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Run the bench; the exit code says how it went. Raises SparkError before the first run for anything that cannot work."""
    loaded = load(args)
    plan = plan_of(args, loaded.config)
    formats = _formats(args)
    if args.live:
        return _live(args, plan)
    return _headless(args, plan, formats)


def _formats(args: argparse.Namespace) -> list[tuple[Path, str]]:
    """The files asked for and their formats, each checked to be writable."""
    if not args.out:
        return []
    from sparktui.report.export import check_writable, format_of

    formats = [(path, format_of(path)) for path in args.out]
    for path, _ in formats:
        check_writable(path, force=args.force)
    return formats


def plan_of(args: argparse.Namespace, config: Config) -> BenchPlan:
    """The plan that config and options ask for. Raises UsageError, ConfigError."""
    bench = config.bench
    plan = BenchPlan(
        prompts=_prompts(args, config),
        temps=bench.temps if args.temps is None else args.temps,
        runs=args.runs or bench.runs,
        warmup=bench.warmup if args.warmup is None else args.warmup,
        parallel=args.parallel or bench.parallel,
        max_tokens=args.max_tokens or config.defaults.max_tokens,
        label=args.label or bench.label,
    )
    return for_parallel(plan)


def _prompts(args: argparse.Namespace, config: Config) -> tuple[PromptSpec, ...]:
    given = [name for name in ("prompts", "prompt", "prompt_file") if getattr(args, name) is not None]
    if len(given) > 1:
        raise UsageError("--prompts, --prompt and --prompt-file exclude each other.", hint="Give one of them.")
    if args.prompt is not None:
        if not args.prompt.strip():
            raise UsageError("The prompt is empty.", hint="Write one, or use --prompts story.")
        return (PromptSpec(name="prompt", text=args.prompt),)
    if args.prompt_file == "-":
        return (PromptSpec(name="stdin", text=read_prompt_file(Path("/dev/stdin"))),)
    if args.prompt_file is not None:
        path = Path(args.prompt_file).expanduser()
        return (PromptSpec(name=path.stem, text=read_prompt_file(path)),)
    return tuple(resolve_prompt(config, name) for name in dict.fromkeys(args.prompts or config.bench.prompts))


def _live(args: argparse.Namespace, plan: BenchPlan) -> int:
    from sparktui.cli.screen import open_screen

    if args.out:
        raise UsageError("--live and --out exclude each other.", hint="Export on the screen with `e`, or later: sparktui history export.")
    return open_screen(args, plan)


def _headless(args: argparse.Namespace, plan: BenchPlan, formats: Sequence[tuple[Path, str]]) -> int:
    from sparktui.cli.benchtalk import talk_to
    from sparktui.cli.measure import measuring

    talk = talk_to()
    try:
        with measuring(args, args.loaded, "bench", talk) as kit:
            kit.warn_of_length(plan.max_tokens)
            bench = Bench(
                kit.target, plan, kit.session.emitter, kit.cancel, server=kit.config.server, measure=kit.measuring.run
            )  # fmt: skip
            bench.run()
    finally:
        talk.close()
    records = bench.records
    written = _export(args, records, formats)
    _show(records)
    if bench.stopped is not None:
        say(f"sparktui: {bench.stopped}")
    code = exit_code(records, interrupted=kit.cancel.is_set(), stopped=bench.stopped, last=kit.measuring.last_error)
    return code or written


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


def _show(records: Sequence[RunRecord]) -> None:
    from sparktui.report.console import Out, print_bench

    if records and sys.stdout is not None:
        print_bench(records, Out.to(sys.stdout))


def _export(args: argparse.Namespace, records: Sequence[RunRecord], formats: Sequence[tuple[Path, str]]) -> int:
    """Write every file asked for and return an exit code; one that fails does not keep the others from being written."""
    from sparktui.report.export import render, write_atomic

    code = EXIT_OK
    for path, format in formats:
        if not records:
            continue
        try:
            data = render(records, None, format, text=not args.no_text, timeline=args.timeline)
            say(f"written: {write_atomic(path, data, force=args.force)}")
        except SparkError as error:
            say(f"sparktui: {error}")
            code = error.exit_code
    if formats and not records:
        say("nothing was measured, so nothing was written")
    return code
