"""Places of a needle search, and what an answer says of its codes."""

from __future__ import annotations

import pytest

from sparktui.core.needle import needles
from sparktui.core.needleplan import NeedlePlace, NeedlePlan, facts, found_words, judged, place_words, short_length, spread


def test_places_are_length_by_length_and_warm_follows_cold() -> None:
    plan = NeedlePlan(lengths=(1000, 2000), depths=(0.1, 0.9), warm=True)
    assert [(place.length, place.depths, place.warm) for place in plan.places()][:4] == [
        (1000, (0.1,), False), (1000, (0.1,), True), (1000, (0.9,), False), (1000, (0.9,), True),
    ]  # fmt: skip
    assert plan.total == 8


def test_needles_together_share_one_prompt() -> None:
    plan = NeedlePlan(lengths=(1000,), depths=spread(3), together=True)
    assert [place.depths for place in plan.places()] == [(0.1667, 0.5, 0.8333)]


def test_facts_of_one_and_of_several_needles() -> None:
    place = NeedlePlace(1000, (0.5,))
    one = facts(place, needles((0.5,), 1), length_tokens=1003, counted_by="tokenizer", estimated=False, remake={"seed": 1})
    assert one["length"] == 1000 and one["length_tokens"] == 1003 and one["depth"] == 0.5 and len(one["code"]) == 7 and one["seed"] == 1
    assert not {"depths", "codes", "length_estimated", "warm"} & one.keys()
    many = facts(
        NeedlePlace(1000, (0.2, 0.8), warm=True), needles((0.2, 0.8), 1), length_tokens=990, counted_by="usage", estimated=True, remake={}
    )
    assert many["depths"] == [0.2, 0.8] and len(many["codes"]) == 2 and many["length_estimated"] and many["warm"]


@pytest.mark.parametrize(
    ("answer", "status", "found"),
    [
        ("It is 4,821,345.", "ok", True), ("No idea.", "ok", False), ("", "ok", None), ("It is", "cut_off", None),
        ("4821345", "cut_off", True), ("", "failed", None), ("14821345", "ok", False), ("", "cancelled", None),
    ],
)  # fmt: skip
def test_found_is_unknown_where_no_answer_came(answer: str, status: str, found: bool | None) -> None:
    assert judged({"code": "4821345"}, answer, status) == {"found": found}  # type: ignore[arg-type]


def test_several_codes_are_judged_one_by_one() -> None:
    needle = {"codes": ["1111111", "2222222", "3333333"]}
    verdict = judged(needle, "1111111 and 3333333", "ok")
    assert verdict == {"found": False, "found_each": [True, False, True]}
    assert found_words(verdict) == "2 of 3 found"
    assert judged(needle, "", "failed") == {"found": None, "found_each": None}
    assert found_words({"found": True, "found_each": [True, True]}) == "found"


def test_a_run_without_codes_is_not_judged() -> None:
    assert judged({"depth": 0.5}, "whatever", "ok") == {}


@pytest.mark.parametrize(
    ("needle", "words"),
    [
        ({"length": 100_000, "depth": 0.5}, "100k @0.5"), ({"length": 1_000_000, "depths": [0.25, 0.75]}, "1M @0.25,0.75"),
        ({"length": 1_500, "depth": 0, "warm": True}, "1.5k @0 warm"), ({"length": 300_000}, "300k"), ({}, ""),
    ],
)  # fmt: skip
def test_where_a_needle_was(needle: dict[str, object], words: str) -> None:
    assert place_words(needle) == words


def test_lengths_as_people_write_them() -> None:
    assert [short_length(n) for n in (900, 1_234, 131_072, 8_800, 1_200_000)] == ["900", "1,234", "131,072", "8.8k", "1.2M"]
