"""What a screen needs to know of the configuration where the worker runs: no keys, no paths that only matter there."""

from __future__ import annotations

from typing import Any

from sparktui.core.config import Config
from sparktui.core.needleplan import NeedlePlan
from sparktui.core.plans import BenchPlan
from sparktui.core.scrub import mask_url
from sparktui.errors import SparkError
from sparktui.io.config.configfile import LoadedConfig
from sparktui.io.config.consent import shown
from sparktui.io.config.prompts import resolve_prompt, resolve_prompts


def configured_plan(config: Config, max_tokens: int | None = None) -> BenchPlan:
    """The bench that `bench:` of the config asks for; `max_tokens` beats `defaults.max_tokens`.

    Raises UsageError, ConfigError for a prompt that is not there.
    """
    bench = config.bench
    return BenchPlan(
        prompts=tuple(resolve_prompt(config, name) for name in dict.fromkeys(bench.prompts)),
        temps=bench.temps,
        runs=bench.runs,
        warmup=bench.warmup,
        parallel=bench.parallel,
        max_tokens=max_tokens or config.defaults.max_tokens,
        label=bench.label,
    )


def configured_needle(config: Config, max_tokens: int | None = None) -> NeedlePlan:
    """The search that `needle:` of the config asks for; `max_tokens` beats `defaults.max_tokens`."""
    needle = config.needle
    return NeedlePlan(
        lengths=needle.lengths, depths=needle.depths, seed=needle.seed, max_tokens=max_tokens or config.defaults.max_tokens,
        label=config.bench.label,
    )  # fmt: skip


def describe_setup(loaded: LoadedConfig) -> dict[str, Any]:
    """`{path, notes, unconfirmed, prompts, defaults, bench, needle, sweep, baseline_tok_s, address, address_origin, plan,
    plan_error, log}`.

    `unconfirmed`: commands that wait for the user's consent; `address`: "" where the server is looked for.
    """
    config = loaded.config
    plan: BenchPlan | None = None
    plan_error = ""
    try:
        plan = configured_plan(config)
    except SparkError as error:
        plan_error = str(error)
    return {
        "path": str(loaded.path) if loaded.path else None,
        "notes": list(loaded.notes),
        "unconfirmed": list(shown(loaded.unconfirmed)),
        "prompts": list(resolve_prompts(config).values()),
        "defaults": config.defaults,
        "bench": config.bench,
        "needle": config.needle,
        "sweep": config.sweep,
        "baseline_tok_s": config.baseline_tok_s,
        "address": "" if config.server.base_url == "auto" else mask_url(config.server.base_url),
        "address_origin": loaded.origins.get("server.base_url", ""),
        "plan": plan,
        "plan_error": plan_error,
        "log": bool(config.log.source or config.log.command or config.log.tabbyapi_dir),
    }
