"""Sweep plans: the order of the runs, the warm-ups, what may stand beside what, and the names of a plan."""

from __future__ import annotations

import pytest

from sparktui.core.config import VariantConfig
from sparktui.core.plans import PromptSpec
from sparktui.core.sweepplan import SweepPlan, check, rounds, spec_of, steps, together
from sparktui.errors import UsageError

PROMPT = PromptSpec(name="code", text="Write code.", params={"top_p": 0.9})


def plan(*variants: VariantConfig, **fields: object) -> SweepPlan:
    return SweepPlan(prompt=PROMPT, variants=variants, **fields)  # type: ignore[arg-type]


A, B, C = (VariantConfig(name=name, load={}) for name in "abc")
AS_IT_IS = VariantConfig(name="shipped")


def names(found: object) -> str:
    return " ".join(f"{step.variant.name}{step.run_no}" for step in found)  # type: ignore[attr-defined]


def test_interleaved_goes_there_and_back() -> None:
    assert names(steps(plan(A, B, C, runs=3))) == "a1 b1 c1 c2 b2 a2 a3 b3 c3"


def test_shuffled_draws_every_round_from_the_seed() -> None:
    one = names(steps(plan(A, B, C, runs=6, order="shuffled", seed=4)))
    assert one == names(steps(plan(A, B, C, runs=6, order="shuffled", seed=4)))
    assert one != names(steps(plan(A, B, C, runs=6, order="shuffled", seed=5)))
    assert sorted(one.split()) == sorted(names(steps(plan(A, B, C, runs=6))).split())
    assert [word[-1] for word in one.split()] == sorted(word[-1] for word in one.split())


def test_a_warm_up_follows_every_change_of_the_server() -> None:
    assert names(rounds(plan(A, B, runs=2))) == "a0 a1 b0 b1 b2 a0 a2"


def test_variants_that_change_no_server_are_warmed_once() -> None:
    cold = VariantConfig(name="cold", params={"top_k": 1})
    assert names(rounds(plan(AS_IT_IS, cold, runs=2))) == "shipped0 shipped1 cold0 cold1 cold2 shipped2"


def test_what_is_done_is_left_out() -> None:
    assert names(rounds(plan(A, B, runs=2, warmup=0), {("a", 1), ("b", 1), ("b", 2)})) == "a2"


def test_a_variants_parameters_lie_over_the_plans() -> None:
    variant = VariantConfig(name="four", params={"parallel": 4, "temperature": 0.5, "max_tokens": 9, "top_k": 1})
    spec = spec_of(plan(variant), next(rounds(plan(variant))), PROMPT, "bench-1")
    assert (spec.params.temperature, spec.params.max_tokens, spec.params.extra) == (0.5, 9, {"top_p": 0.9, "top_k": 1})
    assert (spec.together, spec.label, spec.warmup, spec.run_no) == (4, "four", True, 0)
    assert together(AS_IT_IS) == 1
    assert plan(variant, AS_IT_IS, runs=3).total == 15


@pytest.mark.parametrize(
    ("variants", "words"),
    [
        ((), "no variants"),
        ((A, VariantConfig(name="m", manual="x")), "cannot mix `load` with `manual`"),
        ((AS_IT_IS, VariantConfig(name="m", command=("x",))), "says nothing of how"),
        ((VariantConfig(name="p", params={"parallel": 17}),), "`parallel` must lie between"),
        ((VariantConfig(name="p", params={"parallel": True}),), "`parallel` must lie between"),
        ((VariantConfig(name="p", params={"temperature": 9}),), "`temperature` must lie between"),
    ],
)
def test_sweeps_that_cannot_be(variants: tuple[VariantConfig, ...], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check(plan(*variants))


def test_sweeps_that_can_be() -> None:
    check(plan(A, AS_IT_IS, VariantConfig(name="p", params={"temperature": None})))
    check(plan(VariantConfig(name="c", command=("x",)), VariantConfig(name="m", manual="x"), baseline="m"))
    with pytest.raises(UsageError, match="no variant named 'x'"):
        check(plan(A, baseline="x"))


def test_the_name_of_a_plan_changes_with_anything_in_it() -> None:
    found = {plan(A).digest("u", "m"), plan(B).digest("u", "m"), plan(A, runs=4).digest("u", "m"), plan(A).digest("u", "n")}
    assert len(found) == 4
    assert plan(A).digest("u", "m") == plan(VariantConfig(name="a", load={})).digest("u", "m")


def test_contexts_of_one_length_ask_one_question() -> None:
    one = PromptSpec(name="code", text="Write.", context="first ", context_tokens=8800)
    other = PromptSpec(name="code", text="Write.", context="second ", context_tokens=8800)
    assert one.sent == "first Write."
    assert one.info().sha256 == other.info().sha256 != PromptSpec(name="code", text="Write.").info().sha256
    assert one.info().text == "Write."
