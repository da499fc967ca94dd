"""Soft wrap of text that only grows: however it is cut into pieces, the rows are the same, and never wider than they may be."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from sparktui.tui.drawing.foreign import shown
from sparktui.tui.widgets.stream_text import NO_BURST, Span, StreamText

TEXTS = st.text(alphabet=st.sampled_from("ab  \n日本é\u0301x🌍-"), max_size=120)


def rows(text: StreamText) -> list[str]:
    return [text.row(y) for y in range(len(text))]


def wrapped(content: str, width: int) -> StreamText:
    text = StreamText(width)
    text.append(content, "content", 0)
    return text


def test_wraps_at_spaces_which_hang_at_the_end_of_their_row() -> None:
    assert rows(wrapped("the lamp had burned for ninety years", 10)) == ["the lamp ", "had burned ", "for ninety ", "years"]


def test_a_word_longer_than_a_row_is_cut_and_a_wrapped_row_begins_in_the_first_cell() -> None:
    assert rows(wrapped("x = abcdefghijklmnop", 8)) == ["x = ", "abcdefgh", "ijklmnop"]


def test_leading_white_space_never_wraps_alone() -> None:
    assert rows(wrapped("      abcdefghij", 10)) == ["      abcd", "efghij"]


def test_wide_characters_count_two_cells_and_are_never_split() -> None:
    assert rows(wrapped("日本語日本語", 5)) == ["日本", "語日", "本語"]


def test_blank_lines_and_a_final_newline_are_rows() -> None:
    assert rows(wrapped("a\n\nb\n", 9)) == ["a", "", "b", ""]


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.integers(1, 12), st.lists(st.integers(1, 17), max_size=30))
def test_rows_do_not_depend_on_how_the_text_was_cut(content: str, width: int, cuts: list[int]) -> None:
    whole = wrapped(content, width)
    pieces, at = StreamText(width), 0
    for size in [*cuts, len(content)]:
        pieces.append(content[at : at + size], "content", at)
        at += size
    assert rows(pieces) == rows(whole)
    assert pieces.text() == content
    for y in range(len(pieces)):
        assert cell_len(pieces.row(y).rstrip(" ")) <= max(width, 2)
        assert "".join(span.text for span in pieces.spans(y)) == pieces.row(y)


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.integers(1, 12), st.integers(1, 12))
def test_rewrapping_is_the_same_as_wrapping_anew(content: str, first: int, second: int) -> None:
    text = wrapped(content, first)
    text.rewrap(second)
    assert rows(text) == rows(wrapped(content, second))


def test_spans_know_kind_and_burst_and_the_newest_burst_its_first_row() -> None:
    text = StreamText(20)
    text.append("thinking  ", "label")
    text.append("hm ", "reasoning", 0)
    text.append("well, and so it went on", "reasoning", 1)
    assert text.spans(0)[:2] == [Span("thinking  ", "label", NO_BURST), Span("hm ", "reasoning", 0)]
    assert text.first_row_of(1) == 0
    text.append("\nyes", "content", 2)
    assert text.first_row_of(2) == 1
    assert text.first_row_of(7) is None


def test_missing_newlines_counts_what_an_empty_line_needs() -> None:
    assert wrapped("abc", 9).missing_newlines(2) == 2
    assert wrapped("abc\n", 9).missing_newlines(2) == 1
    assert wrapped("abc\n\n", 9).missing_newlines(2) == 0


def test_selected_text_has_no_soft_breaks() -> None:
    text = wrapped("the lamp had burned\nfor ninety years", 10)
    assert text.between(None, None) == text.text()
    assert text.between((0, 4), (1, 3)) == "lamp had"
    assert text.between((1, 4), (2, 3)) == "burned\nfor"


def test_d18_a_line_of_a_hundred_thousand_characters_stays_cheap_to_append_to() -> None:
    text = StreamText(79)
    text.append("x" * 100_000, "content", 0)
    began = time.perf_counter()
    for burst in range(1, 1001):
        text.append("yy", "content", burst)
    assert time.perf_counter() - began < 0.5
    assert len(text) == 1292


def test_appending_costs_the_same_at_the_end_of_a_long_text() -> None:
    def cost(text: StreamText) -> float:
        began = time.perf_counter()
        for burst in range(400):
            text.append("some words of it ", "content", burst)
        return time.perf_counter() - began

    short, long = StreamText(79), wrapped("lorem ipsum dolor sit amet " * 40_000, 79)
    assert min(cost(long) for _ in range(3)) < 4 * min(cost(short) for _ in range(3)) + 0.002


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("👩\u200d👩\u200d👧", "👩👩👧"),
        ("❤\ufe0f", "❤"),
        ("👍🏽", "👍"),
        ("a\u0301", "a\u0301"),
        ("z" + "\u0301" * 40, "z" + "\u0301" * 6),
        ("a\u202eb", "a␦b"),
        ("a\tb", "a    b"),
    ],
)
def test_foreign_text_has_one_width_everywhere(raw: str, seen: str) -> None:
    assert shown(raw) == seen
