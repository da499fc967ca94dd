"""`sparktui bench`: prompts × temperatures × runs, a table at the end, exports."""

from __future__ import annotations

import argparse
from pathlib import Path

from sparktui.cli.away import add_away_options, here_or_away, stopped
from sparktui.cli.options import add_looks_options, add_server_options, load
from sparktui.cli.parser import Parser, comma_list, temperatures, text_argument, whole
from sparktui.cli.results import Files, add_result_options, files_asked_for
from sparktui.core.config import Config
from sparktui.core.plans import BenchPlan, PromptSpec
from sparktui.engine.plans.bench import Bench, for_parallel
from sparktui.errors import UsageError
from sparktui.io.config.prompts import read_prompt_file, resolve_prompt


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
    out = add_result_options(parser)
    out.add_argument("--live", action="store_true", help="the same bench on the live screen")
    add_away_options(parser, "bench")
    add_looks_options(parser)
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Run the bench; the exit code says how it went. Raises SparkError before the first run for anything that cannot work."""
    if (code := stopped(args, "bench")) is not None:
        return code
    if args.fps is not None and not args.live:
        raise UsageError("--fps is for the live screen.", hint="Add --live, or leave --fps out.")
    loaded = load(args)
    plan = plan_of(args, loaded.config)
    files = files_asked_for(args)
    if args.live:
        return _live(args, plan)
    return here_or_away(args, "bench", lambda: _headless(args, plan, files))


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

    if args.detach:
        raise UsageError("--live and --detach exclude each other.", hint="Detach it, then look on: sparktui watch")
    if args.out:
        raise UsageError("--live and --out exclude each other.", hint="Export on the screen with `e`, or later: sparktui history export.")
    return open_screen(args, plan)


def _headless(args: argparse.Namespace, plan: BenchPlan, files: Files) -> int:
    from sparktui.cli.headless import run_plan

    return run_plan(
        args, "bench", files, max_tokens=plan.max_tokens,
        make=lambda kit: Bench(kit.target, plan, kit.session.emitter, kit.cancel, server=kit.config.server, measure=kit.measuring.run),
    )  # fmt: skip
