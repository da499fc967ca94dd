"""A sweep in words before it begins: how many runs of what, what each variant changes, and that the server is put back. Pure."""

from __future__ import annotations

import json
import shlex
from typing import Any

from sparktui.core.config import SweepConfig, VariantConfig
from sparktui.core.scrub import mask_secrets
from sparktui.core.sweepplan import sort_of, together
from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown

_LEAST_NAME, _WIDEST_NAME = 8, 24

NOTHING = (
    "config.yml lists no variants. For example:",
    "",
    "sweep:",
    "  prompt: code",
    "  variants:",
    "    - {name: as it is}",
    "    - {name: cooler, params: {temperature: 0.2}}",
    "    - {name: no draft, load: {draft_model: {draft_mode: disabled}}}",
    "",
    "The help (? and tab) has loads, commands and restarts by hand.",
)


def sweep_words(sweep: SweepConfig, most: int, max_tokens: int | None = None) -> tuple[str, ...]:
    """What is going to happen, in `most` lines or as few more as it takes. `max_tokens`: where the sweep does not say."""
    context = f" after {numbers.count(sweep.context_tokens)} tokens of context" if sweep.context_tokens else ""
    limit = sweep.max_tokens or max_tokens
    asked = f"{sweep.prompt}{context}, T {numbers.temperature(sweep.temperature)}"
    asked += f", max {numbers.count(limit)} tokens" if limit else ""
    total = sweep.runs * sum(together(variant) for variant in sweep.variants)
    warm = f", {sweep.warmup} to warm up after each change" if sweep.warmup else ""
    head = (shown(asked), f"{total} runs: {sweep.runs} of each variant, {sweep.order}{warm}")
    return (*head, "", *_variants(sweep, most - len(head) - 4), "", *_way_back(sweep))


def change_words(variant: VariantConfig) -> str:
    """What a variant changes: "load draft_num_tokens 3"."""
    changed = ""
    if variant.load is not None:
        changed = f"load {', '.join(_settings(variant.load))}".strip()
    elif variant.command is not None:
        changed = f"command {mask_secrets(shlex.join(variant.command))}"
    elif variant.manual is not None:
        changed = f"by hand: {variant.manual}"
    sent = ", ".join(_settings(variant.params or {}))
    return "; ".join(part for part in (changed, f"sends {sent}" if sent else "") if part) or "as it is"


def _variants(sweep: SweepConfig, most: int) -> list[str]:
    """One a line, the baseline marked; those for which there is no room are counted."""
    baseline = sweep.baseline or sweep.variants[0].name
    names = [shown(variant.name) for variant in sweep.variants]
    width = max(_LEAST_NAME, min(_WIDEST_NAME, max(len(name) for name in names)))
    lines = []
    for variant, name in zip(sweep.variants, names, strict=True):
        marked = " (the others are held against it)" if variant.name == baseline else ""
        lines.append(f"{name.ljust(width)}  {shown(change_words(variant))}{marked}")
    room = max(1, most)
    return lines if len(lines) <= room else [*lines[: room - 1], f"… and {len(lines) - room + 1} more"]


def _way_back(sweep: SweepConfig) -> tuple[str, ...]:
    sorts = {sort_of(variant) for variant in sweep.variants}
    if "load" in sorts:
        return ("What the server has loaded now is loaded again at the end,", "also after a cancel or a failure.")
    if "command" in sorts:
        if sweep.restore.command is None:
            return ("No sweep.restore.command: the server stays as the last variant has it.",)
        return (shown(f"At the end, also after a cancel: {mask_secrets(shlex.join(sweep.restore.command))}"),)
    if "manual" in sorts:
        return ("Each change is done by hand; the server stays as the last one leaves it.",)
    return ("Nothing of the server is changed.",)


def _settings(values: dict[str, Any]) -> list[str]:
    """ "draft_num_tokens 3" for each value, maps within named by their inner keys."""
    found = []
    for name, value in values.items():
        if isinstance(value, dict):
            found += _settings(value)
        else:
            said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            found.append(mask_secrets(f"{name} {said}"))
    return found
