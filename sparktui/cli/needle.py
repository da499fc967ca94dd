"""`sparktui needle`: long-context retrieval at lengths × depths, with prefill rate and memory."""

from __future__ import annotations

import argparse
import re

import msgspec

from sparktui.cli.away import add_away_options, here_or_away, stopped
from sparktui.cli.options import add_server_options, load
from sparktui.cli.parser import Parser, comma_list, text_argument, whole
from sparktui.cli.results import Files, add_result_options, files_asked_for
from sparktui.core.config import Config
from sparktui.core.needleplan import NeedlePlan, spread
from sparktui.engine.hosting.setup import configured_needle
from sparktui.errors import UsageError

_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}
_SHORTEST, _LONGEST = 100, 2_000_000
_MOST_NEEDLES = 50


def add_arguments(parser: Parser) -> None:
    group = parser.add_argument_group("what is searched (default: `needle` of the config)")
    group.add_argument("--lengths", type=lengths, metavar="LIST", help="prompt lengths in tokens: 100000,300000 or 100k,1M")
    group.add_argument("--depths", type=depths, metavar="LIST", help="where the needle stands, 0 the beginning, 1 the end; a prompt each")
    several = whole(1, _MOST_NEEDLES)
    group.add_argument("--needles", type=several, metavar="N", help="so many needles in one prompt, spread evenly or at --depths")
    group.add_argument("--seed", type=whole(0, 2**31), metavar="N", help="another seed gives other texts and codes")
    group.add_argument("--warm", action="store_true", help="send every prompt twice, to measure the server's prompt cache")
    group.add_argument("--max-tokens", type=whole(1, 1_000_000), metavar="N", help="longest answer; room for it is kept in the context")
    group.add_argument("--label", type=text_argument, metavar="TEXT", help="history groups runs by it")
    add_result_options(parser)
    add_away_options(parser, "needle")
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Search; 0 when every prompt was answered (found or not), 1 when one failed or did not fit. Raises SparkError before the first run."""
    if (code := stopped(args, "needle")) is not None:
        return code
    loaded = load(args)
    plan = plan_of(args, loaded.config)
    files = files_asked_for(args)
    return here_or_away(args, "needle", lambda: _headless(args, plan, files))


def plan_of(args: argparse.Namespace, config: Config) -> NeedlePlan:
    """The plan that config and options ask for. Raises UsageError."""
    plan = configured_needle(config, args.max_tokens)
    given = {"lengths": args.lengths, "depths": args.depths, "seed": args.seed, "label": args.label}
    plan = msgspec.structs.replace(plan, warm=args.warm, **{name: value for name, value in given.items() if value is not None})
    if args.needles is None or args.needles == 1 == len(plan.depths):
        return plan
    if args.depths is not None and len(args.depths) != args.needles:
        raise UsageError(
            f"--needles {args.needles} and {len(args.depths)} depths do not go together.",
            hint="Give one depth for each needle, or none: then they are spread evenly.",
        )
    return msgspec.structs.replace(plan, together=True, depths=args.depths or spread(args.needles))


def lengths(text: str) -> tuple[int, ...]:
    """`100000,300k,1M` → token counts, each once. For argparse."""
    return tuple(dict.fromkeys(_length(part) for part in comma_list(text)))


def depths(text: str) -> tuple[float, ...]:
    """`0,0.5,1` → depths, each once. For argparse."""
    return tuple(dict.fromkeys(_depth(part) for part in comma_list(text)))


def _length(text: str) -> int:
    match = re.fullmatch(r"(\d[\d_]*(?:\.\d+)?)([kKmM]?)", text)
    tokens = round(float(match[1].replace("_", "")) * _UNITS[match[2].lower()]) if match else -1
    if not _SHORTEST <= tokens <= _LONGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is no length between {_SHORTEST} and {_LONGEST:,} tokens (100000, 100k, 1M)")
    return tokens


def _depth(text: str) -> float:
    try:
        depth = float(text)
    except ValueError:
        depth = -1
    if not 0 <= depth <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no depth between 0 and 1")
    return depth


def _headless(args: argparse.Namespace, plan: NeedlePlan, files: Files) -> int:
    from sparktui.cli.headless import run_plan
    from sparktui.engine.plans.needle import NeedleSearch

    return run_plan(
        args, "needle", files, max_tokens=plan.max_tokens,
        make=lambda kit: NeedleSearch(
            kit.target, plan, kit.session.emitter, kit.cancel, measure=kit.measuring.run, rates=kit.measuring.rates
        ),
    )  # fmt: skip
