"""The options of the screen's command line, for a process that it starts."""

from __future__ import annotations

import argparse


def worker_options(args: argparse.Namespace) -> list[str]:
    """The same server options, no secret among them: a key travels by the name of its variable."""
    named = {
        "--config": args.config, "--base-url": args.base_url, "--model": args.model, "--kind": args.kind, "--log": args.log,
        "--api-key-env": args.api_key_env, "--idle-timeout": args.idle_timeout, "--demo-speed": args.demo_speed,
    }  # fmt: skip
    options = [f"{name}={value}" for name, value in named.items() if value is not None]
    return [*options, *(name for name, on in (("--trust-config", args.trust_config), ("--no-history", args.no_history)) if on)]
