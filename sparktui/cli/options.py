"""The options every command that talks to a server has, and the config they give."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from sparktui.cli.parser import Parser, seconds, text_argument, whole
from sparktui.cli.streams import is_terminal, say
from sparktui.core.config import KINDS
from sparktui.errors import UsageError
from sparktui.io.config import consent
from sparktui.io.config.configfile import LoadedConfig, Override, load_config


def add_config_options(parser: Parser) -> None:
    """--config and --trust-config."""
    group = parser.add_argument_group("settings")
    group.add_argument("--config", type=Path, metavar="FILE", help="this config file instead of ./config.yml")
    group.add_argument("--trust-config", action="store_true", help="let commands of a config in the current folder run without asking")


def add_server_options(parser: Parser) -> None:
    """Which server, which model, which key, which log; and the config options."""
    group = parser.add_argument_group("server")
    group.add_argument("--demo", action="store_true", help="measure the embedded simulated server")
    group.add_argument("--demo-speed", type=seconds(0.1, 1000), default=1.0, metavar="N", help="run the simulated server N times as fast")
    group.add_argument("--base-url", type=text_argument, metavar="URL", help="the server's address, with or without /v1")
    group.add_argument("--model", type=text_argument, metavar="NAME", help="the model to ask for; without it the server is asked")
    group.add_argument("--kind", choices=KINDS, help="the server's kind, where it is not recognised")
    group.add_argument("--api-key-env", metavar="NAME", help="the environment variable that holds the API key")
    group.add_argument("--idle-timeout", type=seconds(0, 86_400), metavar="S", help="give up after S seconds without a chunk; 0 = never")
    group.add_argument("--log", type=text_argument, metavar="SOURCE", help="the server's log: file, folder, glob or -")
    group.add_argument("--no-history", action="store_true", help="store nothing")
    add_config_options(parser)


def overrides(args: argparse.Namespace, env: Mapping[str, str]) -> dict[str, Override]:
    """The settings given as options, by their dotted key. Raises UsageError for a key variable that is not set."""
    found = {
        "server.base_url": (args.base_url, "option --base-url"),
        "server.model": (args.model, "option --model"),
        "server.kind": (args.kind, "option --kind"),
        "server.idle_timeout_s": (args.idle_timeout, "option --idle-timeout"),
        "log.source": (args.log, "option --log"),
    }
    laid = {key: Override(value, origin) for key, (value, origin) in found.items() if value is not None}
    if args.api_key_env is not None:
        value = env.get(args.api_key_env)
        if not value:
            raise UsageError(f"--api-key-env {args.api_key_env}: it is not set.", hint="It takes a variable's name, not the key.")
        laid["server.api_key"] = Override(value, f"environment {args.api_key_env}")
    if args.demo and args.base_url:
        raise UsageError("--demo and --base-url name two servers.", hint="Give one of them.")
    return laid


def loader(args: argparse.Namespace, env: Mapping[str, str] | None = None) -> Callable[[], LoadedConfig]:
    """A function that reads the config as these options ask for it, as often as it is called (live reload)."""
    environment = os.environ if env is None else env
    laid = {**(overrides(args, environment) if hasattr(args, "base_url") else {}), **looks(args)}
    return lambda: load_config(args.config, environment, laid, trust=args.trust_config)


def add_looks_options(parser: Parser) -> None:
    """--fps, for every command that has a screen."""
    group = parser.add_argument_group("looks")
    group.add_argument("--fps", type=frame_rate, metavar="N", help="paint at most N times a second; auto slows down with the terminal")


def looks(args: argparse.Namespace) -> dict[str, Override]:
    """The looks given as options, by their dotted key; none for a command without a screen."""
    fps = getattr(args, "fps", None)
    return {} if fps is None else {"ui.fps": Override(fps, "option --fps")}


def frame_rate(text: str) -> int | Literal["auto"]:
    """For argparse: 1 to 30 a second, or auto."""
    return "auto" if text == "auto" else whole(1, 30)(text)


def load(args: argparse.Namespace) -> LoadedConfig:
    """The config for a headless command. Notes go to stderr; commands that need consent are asked about on a terminal, else left out.

    Kept as `args.loaded` too. Raises ConfigError, UsageError.
    """
    read = loader(args)
    loaded = read()
    if loaded.unconfirmed and loaded.path is not None:
        if _asked(loaded.path, loaded.unconfirmed):
            consent.agree(loaded.path, loaded.unconfirmed)
            loaded = read()
        else:
            commands = "; ".join(consent.shown(loaded.unconfirmed))
            say(f"note: commands in {loaded.path} are left out (--trust-config lets them run): {commands}")
    for note in loaded.notes:
        say(f"note: {note}")
    args.loaded = loaded
    return loaded


def _asked(path: Path, commands: tuple[tuple[str, ...], ...]) -> bool:
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        return False
    say(f"{path} wants to run:")
    for command in consent.shown(commands):
        say(f"  {command}")
    print("Allow this, now and later? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
