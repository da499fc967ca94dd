from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.demo import tokens
from sparktui.io.config.prompts import BUILT_IN


def test_the_reference_prompts_count_as_they_did_in_the_reference() -> None:
    assert tokens.count_messages([BUILT_IN["story"]]) == 18
    assert tokens.count_messages([BUILT_IN["code"]]) == 38


@settings(max_examples=200)
@given(st.text())
def test_pieces_are_the_text_again(text: str) -> None:
    assert "".join(tokens.pieces(text)) == text
    assert len(tokens.pieces(text)) == tokens.count(text) == len(tokens.encode(text))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("a lighthouse", ["a", " lighth", "ouse"]),
        ("in 1984", ["in", " 1", "9", "8", "4"]),
        ("    return x", ["   ", " return", " x"]),
        ("café — naïve", ["café", " —", " naïve"]),
        ("a\n\n\nb", ["a", "\n\n\n", "b"]),
        ("end \n", ["end", " \n"]),
        ("", []),
    ],
)
def test_how_text_is_cut(text: str, pieces: list[str]) -> None:
    assert tokens.pieces(text) == pieces


def test_equal_pieces_have_equal_ids() -> None:
    first, _, third = tokens.encode("na na na")[:3]
    assert tokens.encode(" na")[0] == tokens.encode("x na")[1] == third
    assert all(0 <= number < tokens.VOCABULARY for number in tokens.encode("any text, at all — “here”"))
    assert first != third


def test_messages_cost_a_token_each() -> None:
    assert tokens.count_messages(["one", "two"]) == 4
    assert len(tokens.encode_messages(["one", "two"])) == 4
