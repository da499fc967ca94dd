"""Rows of the live screen at every size."""

from __future__ import annotations

import pytest

from sparktui.tui.live.layout import PANELS, layout_for, mode_for, regions_of


def test_the_sizes_that_the_design_names() -> None:
    wide = layout_for(120, 36)
    assert (wide.mode, wide.text, wide.strip, wide.log, wide.history, wide.meter) == ("wide", 16, 3, 4, 4, "side")
    mid = layout_for(80, 24)
    assert (mid.mode, mid.text, mid.strip, mid.log, mid.history_head, mid.meter) == ("mid", 11, 3, 3, 0, "line")
    small = layout_for(50, 20)
    assert (small.mode, small.text, small.strip, small.footer) == ("small", 16, 2, 0)
    tiny = layout_for(20, 5)
    assert (tiny.header, tiny.text, tiny.strip) == (1, 3, 0)


def test_the_breakpoints_need_both_width_and_height() -> None:
    assert [mode_for(*size) for size in ((100, 30), (99, 30), (100, 29), (60, 20), (59, 40), (200, 19))] == [
        "wide", "mid", "mid", "mid", "small", "small",
    ]  # fmt: skip


def test_of_six_more_rows_the_stream_gets_three_the_history_two_and_the_log_one() -> None:
    taller = layout_for(120, 42)
    assert (taller.text - 16, taller.history - 4, taller.log - 4) == (3, 2, 1)
    assert layout_for(80, 26).log == 5


@pytest.mark.parametrize("zoomed", [None, *PANELS])
@pytest.mark.parametrize("quiet", [False, True])
def test_parts_fill_every_size_without_overlap(zoomed: str | None, quiet: bool) -> None:
    for width in (1, 5, 20, 50, 59, 60, 80, 99, 100, 120, 300):
        for height in (1, 2, 3, 5, 13, 14, 19, 20, 24, 29, 30, 36, 50, 100):
            layout = layout_for(width, height, zoomed, quiet=quiet)  # type: ignore[arg-type]
            regions = regions_of(layout, width)
            cells = [(x, y) for region in regions.values() for y in range(region.y, region.bottom) for x in (region.x, region.right - 1)]
            assert all(0 <= x < width and 0 <= y < height for x, y in cells), (width, height, regions)
            area = sum(region.area for region in regions.values())
            assert area == width * height, (width, height, regions)


def test_the_prompt_stands_over_the_last_line_of_a_small_screen() -> None:
    regions = regions_of(layout_for(50, 20), 50, prompt_over=True)
    assert "meter-line" not in regions
    assert regions["prompt"].y == 19


def test_without_a_run_a_middle_screen_gives_strip_and_meter_to_the_card() -> None:
    assert layout_for(80, 24, quiet=True).text == 16
    assert layout_for(120, 36, quiet=True) == layout_for(120, 36)
