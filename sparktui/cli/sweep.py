"""`sparktui sweep`: the variants of the config one against another, the server put back at the end, and the verdict."""

from __future__ import annotations

import argparse

import msgspec

from sparktui.cli.away import add_away_options, here_or_away, stopped
from sparktui.cli.options import add_server_options, load
from sparktui.cli.parser import Parser, comma_list, text_argument, whole
from sparktui.cli.results import Files, add_result_options, files_asked_for
from sparktui.cli.streams import say
from sparktui.core.config import Config
from sparktui.core.sweepplan import SweepPlan, check, only, sort_of
from sparktui.engine.sweeping.sweepjob import SweepJob, configured_sweep
from sparktui.errors import EXIT_OK, EXIT_RUN_FAILED, UsageError


def add_arguments(parser: Parser) -> None:
    group = parser.add_argument_group("what is compared (default: `sweep` of the config)")
    group.add_argument("--variants", type=comma_list, metavar="NAMES", help="only these, separated by commas")
    group.add_argument("--baseline", type=text_argument, metavar="NAME", help="the variant the others are held against")
    group.add_argument("--prompt", type=text_argument, metavar="NAME", help="story, code, json, or one of the config's")
    group.add_argument("--runs", type=whole(1, 1000), metavar="N", help="counted runs per variant")
    group.add_argument("--warmup", type=whole(0, 100), metavar="N", help="runs after each change of the server, not counted")
    group.add_argument("--context-tokens", type=whole(0, 2_000_000), metavar="N", help="so many tokens of text before every prompt")
    group.add_argument("--max-tokens", type=whole(1, 1_000_000), metavar="N", help="longest answer")
    group.add_argument("--order", choices=("interleaved", "shuffled"), help="how drift is spread over the variants")
    group.add_argument("--seed", type=whole(0, 2**31), metavar="N", help="of the shuffled order and of the context")
    again = parser.add_argument_group("after an interruption")
    again.add_argument("--resume", action="store_true", help="go on with the last sweep of this plan where it stopped")
    again.add_argument("--restore", action="store_true", help="only put the server back that an interrupted sweep left changed")
    again.add_argument("--as-it-is", action="store_true", help="start from what is loaded now, whatever an earlier sweep left")
    add_result_options(parser)
    add_away_options(parser, "sweep")
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Sweep and judge; 0 when every run went well and the server is as it was. Raises SparkError before the first run."""
    if (code := stopped(args, "sweep")) is not None:
        return code
    loaded = load(args)
    if args.restore:
        return _restore(args)
    plan = plan_of(args, loaded.config)
    check(plan)
    if args.resume and args.no_history:
        raise UsageError("--resume needs the history, where the finished runs are.", hint="Leave out --no-history.")
    if args.detach and any(sort_of(variant) == "manual" for variant in plan.variants):
        raise UsageError("--detach leaves nobody to switch the server by hand.", hint="Sweep in the foreground, or on the screen.")
    files = files_asked_for(args)
    return here_or_away(args, "sweep", lambda: _headless(args, plan, files))


def plan_of(args: argparse.Namespace, config: Config) -> SweepPlan:
    """The sweep that config and options ask for; of the simulated server the published one, where the config lists no variants.

    Raises UsageError, ConfigError.
    """
    if args.demo and not config.sweep.variants:
        from sparktui.demo.sweepprofile import published_sweep

        config = msgspec.structs.replace(config, sweep=published_sweep())
    plan = configured_sweep(config, prompt=args.prompt, max_tokens=args.max_tokens)
    names = ("runs", "warmup", "context_tokens", "order", "seed")
    given = {name: value for name in names if (value := getattr(args, name)) is not None}
    return only(msgspec.structs.replace(plan, **given), args.variants or (), args.baseline)


def _headless(args: argparse.Namespace, plan: SweepPlan, files: Files) -> int:
    from sparktui.cli.headless import code_of, talking
    from sparktui.cli.pausing import pause_on_terminal
    from sparktui.cli.sweepresult import export_sweep, show_sweep

    with talking(args, "sweep") as kit:
        kit.warn_of_length(plan.max_tokens)
        job = SweepJob(
            kit.target, kit.measuring, kit.config, plan, emitter=kit.session.emitter, cancel=kit.cancel, pause=pause_on_terminal(),
            say=kit.note, keep=not args.no_history, resume=args.resume, as_it_is=args.as_it_is,
        )  # fmt: skip
        job.run()
    sweep, records = job.sweep, job.records
    for name, why in sweep.failed.items():
        say(f"{name}: not measured. {why}")
    written = export_sweep(args, plan, records, files, settings=job.switch.settings, memory=job.switch.memory)
    show_sweep(plan, records, job.switch.settings, job.switch.memory)
    if not sweep.complete and not args.no_history:
        say("The sweep is not complete: the same command with --resume goes on with it.")
    return code_of(job, kit) or written or (EXIT_RUN_FAILED if sweep.failed or not sweep.restored else EXIT_OK)


def _restore(args: argparse.Namespace) -> int:
    from sparktui.cli.headless import talking
    from sparktui.engine.sweeping.variants import restore
    from sparktui.io.sweepstate import left_changed, write_state

    with talking(args, "sweep") as kit:
        left = left_changed(kit.target.info.base_url)
        if left is None:
            raise UsageError("No sweep left this server changed.", hint="There is nothing to put back.")
        done = restore(kit.target, kit.config.server, left.original, kit.session.emitter, kit.note)
        if done:
            write_state(msgspec.structs.replace(left, changed=False))
    return EXIT_OK if done else EXIT_RUN_FAILED
