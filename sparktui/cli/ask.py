"""`sparktui ask`: one prompt, its text to stdout as it arrives, the figures to stderr."""

from __future__ import annotations

import argparse
import sys

from sparktui.cli.options import add_server_options, load
from sparktui.cli.parser import Parser, temperature, text_argument, whole
from sparktui.cli.results import exit_code
from sparktui.cli.streams import say
from sparktui.core.config import Config
from sparktui.core.plans import PromptSpec, RunSpec
from sparktui.core.records import RunParams
from sparktui.errors import EXIT_INTERRUPTED, UsageError
from sparktui.io.config.prompts import resolve_prompt


def add_arguments(parser: Parser) -> None:
    parser.add_argument("text", nargs="?", type=text_argument, metavar="TEXT", help="the prompt; - reads stdin")
    parser.add_argument("--prompt", metavar="NAME", help="a named prompt instead: story, code, or one of the config's")
    parser.add_argument("--temperature", type=_temperature, metavar="T", help="0 to 5, or unset to send none")
    parser.add_argument("--max-tokens", type=whole(1, 1_000_000), metavar="N", help="longest answer")
    parser.add_argument("--label", type=text_argument, default="ask", metavar="TEXT", help="history groups runs by it")
    parser.add_argument("--reasoning", choices=("show", "hide"), default="show", help="reasoning goes to stderr, or nowhere")
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Ask, and return 0 when the answer came whole. Raises SparkError."""
    from sparktui.cli.asktalk import AskTalk
    from sparktui.cli.measure import measuring

    loaded = load(args)
    spec = _spec(args, loaded.config)
    talk = AskTalk(show_reasoning=args.reasoning == "show")
    try:
        with measuring(args, loaded, "ask", talk) as kit:
            talk.on_broken = kit.cancel.set
            kit.warn_of_length(spec.params.max_tokens)
            record = kit.measuring.run(kit.target, spec, kit.session.emitter, kit.cancel)
    finally:
        talk.close()
    error = kit.measuring.last_error
    if kit.cancel.is_set():
        say("sparktui: stopped; what arrived is kept")
        return EXIT_INTERRUPTED
    if record.status != "ok":
        say(f"sparktui: {error or record.error or record.status}")
    return exit_code([record], interrupted=False, stopped=None, last=error)


def _spec(args: argparse.Namespace, config: Config) -> RunSpec:
    chosen = config.defaults.temperature if args.temperature is None else args.temperature
    params = RunParams(
        temperature=None if chosen == "unset" else chosen,
        max_tokens=args.max_tokens or config.defaults.max_tokens,
    )
    return RunSpec(prompt=_prompt(args, config), params=params, label=args.label)


def _prompt(args: argparse.Namespace, config: Config) -> PromptSpec:
    if (args.text is None) == (args.prompt is None):
        raise UsageError("`ask` wants a prompt: a text, - for stdin, or --prompt NAME.", hint='sparktui ask "Why is the sky blue?"')
    if args.prompt is not None:
        return resolve_prompt(config, args.prompt)
    text = sys.stdin.buffer.read().decode("utf-8-sig", "replace").rstrip("\r\n") if args.text == "-" else args.text
    if not text.strip():
        raise UsageError("The prompt is empty.", hint='sparktui ask "Why is the sky blue?"')
    return PromptSpec(name="ask", text=text)


def _temperature(text: str) -> int | float | str:
    return text if text == "unset" else temperature(text)
