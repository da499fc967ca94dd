"""What a sweep asks for: variants of the server's settings, the order of their runs, and what may stand beside what."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from sparktui.core.config import RestoreConfig, VariantConfig
from sparktui.core.nearest import did_you_mean
from sparktui.core.plans import PromptSpec, RunSpec
from sparktui.core.records import RunParams
from sparktui.errors import UsageError

Sort = Literal["load", "command", "manual", "as it is"]

MOST_PARALLEL = 16
# how the server's state says what a sweep is at; screens read it
BY_HAND = "by hand: "
PUTTING_BACK = "putting the server back"


class SweepPlan(Struct, frozen=True, kw_only=True):
    """`runs` counted runs of every variant, after `warmup` ones whenever the server was changed. A temperature of None sends none."""

    prompt: PromptSpec
    variants: tuple[VariantConfig, ...]
    runs: int = 3
    warmup: int = 1
    temperature: int | float | None = 0
    max_tokens: int | None = 800
    baseline: str | None = None
    context_tokens: int = 0
    order: Literal["interleaved", "shuffled"] = "interleaved"
    seed: int = 1
    restore: RestoreConfig = field(default_factory=RestoreConfig)

    @property
    def baseline_name(self) -> str:
        """The variant the others are held against: the named one, else the first."""
        return self.baseline or self.variants[0].name

    def params(self, variant: VariantConfig) -> RunParams:
        """What a variant's requests send: the plan's parameters, and over them the variant's."""
        extra = dict(variant.params or {})
        extra.pop("parallel", None)
        temperature = extra.pop("temperature", self.temperature)
        max_tokens = extra.pop("max_tokens", self.max_tokens)
        return RunParams(temperature=temperature, max_tokens=max_tokens, extra={**self.prompt.params, **extra})

    def digest(self, server: str, model: str) -> str:
        """A short name for this plan against this server: an interrupted sweep goes on only where both are the same."""
        return hashlib.sha256(msgspec.json.encode([self, server, model], order="sorted")).hexdigest()[:16]

    @property
    def total(self) -> int:
        """Counted requests in all; warm-ups come on top, as many as the server's changes ask for."""
        return self.runs * sum(together(variant) for variant in self.variants)


class Step(Struct, frozen=True):
    """One round: a variant and the number of its run, from 1."""

    variant: VariantConfig
    run_no: int


def sort_of(variant: VariantConfig) -> Sort:
    """How the server gets to a variant."""
    if variant.load is not None:
        return "load"
    if variant.command is not None:
        return "command"
    return "manual" if variant.manual is not None else "as it is"


def together(variant: VariantConfig) -> int:
    """How many equal requests its rounds send at once (`params: {parallel: N}`)."""
    value = (variant.params or {}).get("parallel", 1)
    return value if isinstance(value, int) else 1


def steps(plan: SweepPlan) -> Iterator[Step]:
    """Every round in order.

    Interleaved goes there and back (A B C, C B A, …): drift that is steady hits all variants alike, and the variant at the turn needs no
    new load. Shuffled draws an order for every round from the seed.
    """
    chance = random.Random(plan.seed)
    for number in range(1, plan.runs + 1):
        order = list(plan.variants)
        if plan.order == "shuffled":
            chance.shuffle(order)
        elif number % 2 == 0:
            order.reverse()
        for variant in order:
            yield Step(variant, number)


def place_of(variant: VariantConfig) -> str:
    """The configuration of the server that a variant needs: "" = as the sweep found it, else a name."""
    return "" if sort_of(variant) == "as it is" else variant.name


def rounds(plan: SweepPlan, done: Collection[tuple[str, int]] = ()) -> Iterator[Step]:
    """Every round still to make, warm-ups (run number 0) included: whenever the server was changed, and before a variant's first run.

    `done`: (variant, run number) of an earlier part of the same sweep.
    """
    at = ""
    warm: set[str] = set()
    for step in steps(plan):
        if (step.variant.name, step.run_no) in done:
            continue
        if place_of(step.variant) != at or step.variant.name not in warm:
            yield from [Step(step.variant, 0)] * plan.warmup
        at = place_of(step.variant)
        warm.add(step.variant.name)
        yield step


def spec_of(plan: SweepPlan, step: Step, prompt: PromptSpec, bench_id: str) -> RunSpec:
    """The request of a step; run number 0 is a warm-up. Its label is the variant's name, so that a variant's runs form a cell."""
    return RunSpec(
        prompt=prompt, params=plan.params(step.variant), label=step.variant.name, bench_id=bench_id, run_no=step.run_no, runs=plan.runs,
        warmup=step.run_no == 0, together=together(step.variant),
    )  # fmt: skip


def check(plan: SweepPlan) -> None:
    """Raise UsageError for a sweep that could not come back to a variant it left, or whose parameters cannot be."""
    if not plan.variants:
        raise UsageError("The config lists no variants to sweep.", hint="Write them under `sweep.variants`; docs/sweep.md has examples.")
    sorts = {sort_of(variant) for variant in plan.variants}
    by_hand = sorts & {"command", "manual"}
    if by_hand and "load" in sorts:
        raise UsageError(f"A sweep cannot mix `load` with `{by_hand.pop()}`.", hint="A restart undoes a load. Make two sweeps of it.")
    if by_hand and "as it is" in sorts:
        name = next(variant.name for variant in plan.variants if sort_of(variant) == "as it is")
        raise UsageError(
            f"Variant {name!r} says nothing of how the server gets there, and others restart it.",
            hint="Its turn comes again after theirs: give it a `command` or a `manual` of its own.",
        )
    for variant in plan.variants:
        _check_params(variant.name, variant.params or {})
    names = [variant.name for variant in plan.variants]
    if plan.baseline is not None and plan.baseline not in names:
        raise UsageError(f"There is no variant named {plan.baseline!r}.", hint=f"The variants are: {', '.join(names)}.")


def only(plan: SweepPlan, names: Sequence[str], baseline: str | None = None) -> SweepPlan:
    """The plan with these variants alone (none named: all), in the order named. Raises UsageError for a name that is none."""
    known = {variant.name: variant for variant in plan.variants}
    for name in names:
        if name not in known:
            raise UsageError(f"There is no variant named {name!r}.", hint=did_you_mean(name, known) or f"Known: {', '.join(known)}.")
    variants = tuple(known[name] for name in dict.fromkeys(names)) or plan.variants
    kept = plan.baseline if plan.baseline in {variant.name for variant in variants} else None
    return msgspec.structs.replace(plan, variants=variants, baseline=baseline or kept)


def _check_params(name: str, params: dict[str, Any]) -> None:
    wants = (("parallel", int, 1, MOST_PARALLEL), ("max_tokens", int, 1, 1_000_000), ("temperature", (int, float), 0, 5))
    for key, kind, low, high in wants:
        value = params.get(key, low)
        if key == "temperature" and value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, kind) or not low <= value <= high:
            raise UsageError(f"Variant {name!r}: `{key}` must lie between {low} and {high:,}.", hint="Change it in `sweep.variants`.")
