"""The burst strip's window and glyphs."""

from __future__ import annotations

from sparktui.core.figures.burstscale import ramp
from sparktui.core.figures.columns import Columns
from sparktui.tui.widgets.digits import big_digits, digits_width, small_digits
from sparktui.tui.widgets.strip_window import StripWindow, axis_labels, column_cells

MS = 1_000_000


def columns(*landed: tuple[int, float]) -> Columns:
    """(column, tokens) each."""
    found = Columns(0)
    for column, tokens in landed:
        found.add(column * 100 * MS, tokens, tokens)
    return found


def test_an_eighth_is_a_token_and_full_height_is_twenty_four() -> None:
    assert column_cells(0, 24, 3) == "   "
    assert column_cells(0.2, 24, 3) == "  ▁"
    assert column_cells(5, 24, 3) == "  ▅"
    assert column_cells(16, 24, 3) == " ██"
    assert column_cells(24, 24, 3) == "███"
    assert column_cells(38, 24, 3) == "▲██"
    assert column_cells(24, 48, 3) == " ▄█"
    assert column_cells(38, 24, 0) == ""


def test_two_rows_keep_the_full_scale() -> None:
    assert column_cells(24, 24, 2) == "██"
    assert column_cells(12, 24, 2) == " █"


def test_it_fills_from_the_left_and_jumps_by_half_to_a_whole_second() -> None:
    window, found = StripWindow(81), Columns(0)
    starts = set()
    for column in range(0, 200, 2):
        found.add(column * 100 * MS, 5, 5)
        window.follow(found)
        starts.add(window.start)
    assert sorted(starts) == [0, 40, 80, 120]


def test_a_prefill_longer_than_the_window_begins_at_the_whole_second_before_the_first_text() -> None:
    window, found = StripWindow(81), columns((1253, 12))
    assert window.follow(found)
    assert window.start == 1250


def test_blank_windows_are_never_shown_after_a_stall() -> None:
    window, found = StripWindow(81), columns((5, 5))
    window.follow(found)
    found.add(400 * 100 * MS, 5, 5)
    window.follow(found)
    assert window.start % 10 == 0
    assert window.start <= 400 < window.start + 81
    assert 400 - window.start >= 40


def test_the_now_line_stands_in_the_first_empty_cell_and_waits_at_the_right_edge() -> None:
    window, found = StripWindow(81), columns((5, 5))
    assert window.now_at(found, 550 * MS) == 6
    assert window.now_at(found, 720 * MS) == 7
    assert window.now_at(found, 60_000 * MS) == 80
    found.add(8_050 * MS, 5, 5)
    assert window.now_at(found, 8_060 * MS) is None


def test_the_scale_doubles_at_a_jump_when_more_than_a_tenth_is_over_it_and_never_shrinks() -> None:
    window, found = StripWindow(50), Columns(0)
    for column in range(0, 50):
        found.add(column * 100 * MS, 30 if column % 5 == 0 else 3, 3)
        window.follow(found)
    assert window.full_tokens == 24
    found.add(50 * 100 * MS, 30, 30)
    window.follow(found)
    assert window.full_tokens == 48
    for column in range(51, 300):
        found.add(column * 100 * MS, 2, 2)
        window.follow(found)
    assert window.full_tokens == 48
    window.reset()
    assert window.full_tokens == 24


def test_one_overflowing_column_does_not_change_the_scale() -> None:
    window, found = StripWindow(50), columns((3, 38))
    for column in range(4, 120):
        found.add(column * 100 * MS, 8, 8)
        window.follow(found)
    assert window.full_tokens == 24


def test_labels_stand_right_of_each_second_and_only_whole() -> None:
    assert axis_labels(0, 24) == [(0, "0"), (10, "1 s"), (20, "2 s")]
    assert axis_labels(40, 33) == [(0, "4 s"), (10, "5 s"), (20, "6 s"), (30, "")]


def test_the_ramp_steps_at_ten_and_fourteen_and_grows_with_the_scale() -> None:
    assert [ramp(tokens) for tokens in (0, 9, 9.4, 10, 13, 14, 40)] == ["flow", "flow", "flow", "mid", "mid", "burst", "burst"]
    assert [ramp(tokens, 48) for tokens in (19, 20, 27, 28)] == ["flow", "mid", "mid", "burst"]


def test_digits_are_seven_cells_and_the_point_three() -> None:
    rows = big_digits("57.1")
    assert [len(row) for row in rows] == [24] * 5
    assert digits_width("57.1") == 24
    assert rows[0] == "██████ ██████      ██   "
    assert rows[4] == "██████   ██   ██ ██████ "
    assert len(big_digits("8", 2)) == 10
    assert digits_width("8", 2) == 14
    assert [len(row) for row in small_digits("61")] == [8] * 3
    assert big_digits("–")[2].strip() == "██████"
