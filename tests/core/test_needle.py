from itertools import islice

import pytest

from sparktui.core.needle import NeedleSpot, first_line, haystack, needle_found, needles, question, sentences


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("48213", True), ("48,213", True), ("**48213**.", True), ("48 213", True), ("148213", False), ("4821", False), ("", False),
        ("48 213", True), ("４８２１３", True), ("٤٨٢١٣", True), ("It is 99999, no: 48213.", True), ("148,213", False), ("482134", False),
        ("48'213 it is", True), ("4-8-2-1-3", True), ("forty-eight", False), ("482,130", False),
    ],
)  # fmt: skip
def test_b30_needle_answers_in_other_spellings(answer: str, found: bool) -> None:
    assert needle_found("48213", answer) is found


def test_sentences_are_distinct_and_seeded() -> None:
    some = list(islice(sentences(3), 5000))
    assert len(set(some)) == 5000
    assert some == list(islice(sentences(3), 5000))
    assert some[:50] != list(islice(sentences(4), 50))


@pytest.mark.parametrize("depth", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_needle_stands_at_its_depth(depth: float) -> None:
    spot = NeedleSpot(depth, "the brass lanterns at the upper lock", "7654321")
    text = haystack(60_000, (spot,), seed=1)
    assert abs(len(text) - len(spot.sentence()) - 60_000) < 120
    assert abs(text.index(spot.sentence()) / len(text) - depth) < 0.005
    assert text.count("7654321") == 1


def test_several_needles_keep_their_depths_and_have_their_own_codes() -> None:
    spots = needles((0.1, 0.5, 0.9), seed=7)
    text = haystack(40_000, spots, seed=7)
    places = [text.index(spot.sentence()) / len(text) for spot in spots]
    assert places == pytest.approx([0.1, 0.5, 0.9], abs=0.01)
    assert len({spot.code for spot in spots}) == len({spot.topic for spot in spots}) == 3
    assert all(spot.topic in question(spots) and spot.code not in question(spots) for spot in spots)


def test_first_lines_differ_from_the_first_word_on() -> None:
    assert first_line("a1").split()[1] != first_line("b2").split()[1]


def test_a_depth_outside_the_text_is_refused() -> None:
    with pytest.raises(ValueError, match=r"not 1\.5"):
        haystack(1000, (NeedleSpot(1.5, "the x", "1234567"),), seed=1)
