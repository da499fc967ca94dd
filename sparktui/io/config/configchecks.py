"""What types alone do not say about a config: ranges, and names that must exist."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sparktui.core.config import Config
from sparktui.core.nearest import did_you_mean
from sparktui.errors import ConfigError
from sparktui.io.config.prompts import prompt_names

_RANGES: Mapping[str, tuple[float, float]] = {
    "server.connect_timeout_s": (0.1, 600),
    "server.idle_timeout_s": (0, 86_400),
    "defaults.temperature": (0, 5),
    "defaults.max_tokens": (1, 1_000_000),
    "bench.temps[]": (0, 5),
    "bench.runs": (1, 1000),
    "bench.warmup": (0, 100),
    "bench.parallel": (1, 16),
    "baseline_tok_s": (0.001, 1_000_000),
    "needle.lengths[]": (100, 2_000_000),
    "needle.depths[]": (0, 1),
    "sweep.runs": (1, 1000),
    "sweep.warmup": (0, 100),
    "sweep.temperature": (0, 5),
    "sweep.max_tokens": (1, 1_000_000),
    "sweep.context_tokens": (0, 2_000_000),
    "sweep.variants[].health_wait_s": (1, 86_400),
    "history.journal_days": (0, 36_500),
    "history.journal_mb": (0, 1_000_000),
    "ui.fps": (1, 30),
}

Where = Callable[[str], str]


def check(config: Config, where: Where) -> None:
    """Raise ConfigError for the first value that cannot be; `where(path)` says where a key stands (`config.yml:12`)."""
    for path, value in _numbers(config):
        low, high = _RANGES.get(re.sub(r"\[\d+\]", "[]", path), (float("-inf"), float("inf")))
        if not low <= value <= high:
            raise ConfigError(f"{where(path)}: `{path}` must lie between {low:,g} and {high:,g}.", hint=f"It is {value:,g} now.")
    _check_prompts(config, where)
    _check_variants(config, where)


def _check_prompts(config: Config, where: Where) -> None:
    for name, prompt in config.prompts.items():
        path = f"prompts.{name}"
        if (prompt.text is None) == (prompt.file is None):
            raise ConfigError(f"{where(path)}: `{path}` needs either `text` or `file`.", hint="Write one of the two.")
        if prompt.text is not None and not prompt.text.strip():
            raise ConfigError(f"{where(path)}: `{path}.text` is empty.", hint="Write the prompt, or delete the key.")
    names = prompt_names(config)
    asked = [(f"bench.prompts[{i}]", name) for i, name in enumerate(config.bench.prompts)]
    for path, name in [*asked, ("sweep.prompt", config.sweep.prompt)]:
        if name not in names:
            hint = did_you_mean(name, names) or f"Known: {', '.join(names)}. Add your own under `prompts`."
            raise ConfigError(f"{where(path)}: `{path}` names a prompt that does not exist.", hint=hint)
    for path, values in (("bench.prompts", config.bench.prompts), ("bench.temps", config.bench.temps)):
        if not values:
            raise ConfigError(f"{where(path)}: `{path}` is an empty list.", hint="Write at least one value, or delete the key.")


def _check_variants(config: Config, where: Where) -> None:
    seen: set[str] = set()
    for i, variant in enumerate(config.sweep.variants):
        path = f"sweep.variants[{i}]"
        if not variant.name.strip() or variant.name in seen:
            raise ConfigError(f"{where(path)}: `{path}.name` is empty or taken.", hint="Give every variant a name of its own.")
        seen.add(variant.name)
        if variant.command is not None and variant.manual is not None:
            raise ConfigError(f"{where(path)}: `{path}` has both `command` and `manual`.", hint="Keep one of them.")
        if variant.load is not None and (variant.command is not None or variant.manual is not None):
            raise ConfigError(f"{where(path)}: `{path}` has `load` beside `command` or `manual`.", hint="Keep one of them.")
    names = tuple(variant.name for variant in config.sweep.variants)
    if config.sweep.baseline is not None and config.sweep.baseline not in names:
        hint = did_you_mean(config.sweep.baseline, names) or f"The variants are: {', '.join(names) or 'none yet'}."
        raise ConfigError(f"{where('sweep.baseline')}: `sweep.baseline` names no variant.", hint=hint)


def _numbers(value: Any, path: str = "") -> Iterator[tuple[str, int | float]]:
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield path, value
    elif isinstance(value, tuple):
        for i, item in enumerate(value):
            yield from _numbers(item, f"{path}[{i}]")
    elif hasattr(value, "__struct_fields__"):
        for name in value.__struct_fields__:
            yield from _numbers(getattr(value, name), f"{path}.{name}" if path else name)
