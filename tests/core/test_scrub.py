"""Text for the screen: nothing that acts on a terminal survives, and what is harmless stays as it is."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.scrub import scrub

CASES = Path(__file__).parents[1] / "fixtures" / "cases"
ACTS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff]")


def wire_text(case: str) -> str:
    wire = json.loads((CASES / case / "wire.json").read_text(encoding="utf-8"))
    out = ""
    for write in wire["responses"][0]["writes"]:
        for block in write.get("text", "").split("\n\n"):
            if block.startswith("data: {"):
                for choice in json.loads(block[6:]).get("choices") or []:
                    out += choice["delta"].get("content") or ""
    return out


def test_d01_square_brackets_are_left_alone() -> None:
    for text in json.loads((CASES / "D01" / "markup.json").read_text(encoding="utf-8")):
        assert scrub(text) == text


def test_d03_colour_codes_are_shown_and_do_not_act() -> None:
    text = wire_text("D03")
    assert "\x1b[" in text
    assert scrub(text) == text.replace("\x1b", "␛")


def test_d05_wide_joined_and_combining_characters_stay() -> None:
    text = (CASES / "D05" / "widths.txt").read_text(encoding="utf-8")
    assert scrub(text) == text


def test_d06_direction_overrides_are_marked() -> None:
    text = wire_text("D06")
    assert "\u202e" in text
    assert scrub(text) == "abc␦def␦x"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("\x1bP1$r\x1b\\", "␛P1$r␛\\"),
        ("\x9b31m", "␦31m"),
        ("\x9d0;title\x9c", "␦0;title␦"),
        ("a\x00b\x08c\x7f", "a␀b␈c␡"),
        ("10 %\r20 %\r", "10 %␍20 %␍"),
        ("a\r\nb", "a\nb"),
        ("\tif x:\n\t\ty", "    if x:\n        y"),
        ("a\x0bb\x0cc", "a␋b␌c"),
        ("a\u2028b\u2029c\x85d", "a␤b␤c␦d"),
        ("\u2066abc\u2069 \u200fd", "␦abc␦ ␦d"),
        ("\ud83d alone", "␦ alone"),
        ("soft\xadhyphen", "softhyphen"),
        ("flag\U000e0067\U000e007f", "flag"),
        ("x\x1b[201~q", "x␛[201~q"),
        ("\ufffe\uffff\ufff9", "␦␦␦"),
    ],
)
def test_hostile_text_is_made_visible(text: str, shown: str) -> None:
    assert scrub(text) == shown


def test_without_line_ends_the_text_is_one_line() -> None:
    assert scrub("a\nb\r\nc", keep_newlines=False) == "a b c"
    assert scrub("a\nb") == "a\nb"


def test_joiners_and_selectors_are_left_to_the_layout() -> None:
    text = "👩\u200d🔬 ☺\ufe0f zero\u200bwidth"
    assert scrub(text) == text


def test_a_line_of_a_hundred_thousand_characters_is_quick_and_whole() -> None:
    text = "x" * 100_000
    assert scrub(text) is text
    assert scrub("\x1b" * 100_000) == "␛" * 100_000


@settings(max_examples=80, deadline=None)
@given(st.text(st.characters(), max_size=80), st.booleans())
def test_nothing_that_acts_survives_and_scrubbing_again_changes_nothing(text: str, keep: bool) -> None:
    clean = scrub(text, keep_newlines=keep)
    assert not ACTS.search(clean)
    assert scrub(clean, keep_newlines=keep) == clean
    assert keep or "\n" not in clean
    clean.encode("utf-8")
    for character in clean:
        assert character == "\n" or unicodedata.category(character) not in ("Cc", "Cs")


@settings(max_examples=40, deadline=None)
@given(st.text(st.sampled_from("ab\x1b[3\t\u202e\U000e0041\n"), max_size=20), st.integers(0, 20))
def test_pieces_scrubbed_apart_join_to_the_whole(text: str, cut: int) -> None:
    assert scrub(text[:cut]) + scrub(text[cut:]) == scrub(text)
