"""The demo server's command line. Keys come from the environment, never from an argument."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from sparktui.demo.settings import DEFAULT_CONTEXT, LARGEST_CONTEXT, Options
from sparktui.errors import UsageError

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Every option of the simulated server."""
    add = parser.add_argument
    add("--host", choices=LOOPBACK, default="127.0.0.1", help="address to listen on; this machine only")
    add("--port", type=_whole(0, 65_535), default=0, metavar="N", help="port; 0 takes a free one and prints it")
    add("--log", type=Path, metavar="PATH", help="write a log as TabbyAPI does, to this file or a new one in this folder")
    add("--speed", type=_real(0.05, 100_000), default=1.0, metavar="N", help="every time is N times as short, every rate as high")
    add("--api-key-env", metavar="NAME", help="ask for the API key that is in this environment variable")
    add("--admin-key-env", metavar="NAME", help="the admin key, likewise")
    add("--seed", type=_whole(0, 2**31), default=1, metavar="N", help="another seed gives other runs")
    add("--no-draft", action="store_true", help="no speculative decoding: 29 tok/s whatever the text")
    add("--newer-usage", action="store_true", help="draft counters in usage, as newer TabbyAPI; else only in the log")
    add("--ctx", type=_whole(1_024, LARGEST_CONTEXT), default=DEFAULT_CONTEXT, metavar="N", help="context length in tokens")
    add("--max-batch-size", type=_whole(1, 16), default=1, metavar="N", help="requests decoded at once; the others wait")
    add("--loading", type=_real(0, 3_600), default=0.0, metavar="S", help="503 for the first S seconds, as while a model loads")
    add("--ping", type=_real(0, 3_600), default=15.0, metavar="S", help="seconds between keep-alive comments; 0 = none")
    add("--with-parent", action="store_true", help="end when standard input ends")
    add("--scratch", action="store_true", help="at the end remove the log, and its folder if nothing else is in it")


def options_from(args: argparse.Namespace, env: Mapping[str, str] = os.environ) -> Options:
    """The options as values. Raises UsageError for a key variable that is not set."""
    return Options(
        host=args.host,
        port=args.port,
        log=args.log,
        speed=args.speed,
        api_key=_key(args.api_key_env, "--api-key-env", env),
        admin_key=_key(args.admin_key_env, "--admin-key-env", env),
        seed=args.seed,
        draft=not args.no_draft,
        newer_usage=args.newer_usage,
        max_seq_len=args.ctx,
        max_batch_size=args.max_batch_size,
        loading_s=args.loading,
        ping_s=args.ping,
        with_parent=args.with_parent,
        scratch=args.scratch,
    )


def _key(name: str | None, option: str, env: Mapping[str, str]) -> str:
    if name is None:
        return ""
    if not env.get(name):
        raise UsageError(f"{option} {name}: it is not set.", hint="It takes the name of an environment variable, not the key.")
    return env[name]


def _whole(low: int, high: int) -> Callable[[str], int]:
    read = _real(low, high)

    def whole(text: str) -> int:
        value = read(text)
        if value != int(value):
            raise argparse.ArgumentTypeError(f"not a whole number: {text!r}")
        return int(value)

    return whole


def _real(low: float, high: float) -> Callable[[str], float]:
    def real(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"not a number: {text!r}") from None
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"between {low} and {high}, not {text}")
        return value

    return real
