"""The long-context table and grid, the note in lists, and graphics cards in the run's detail."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from sparktui.core.records import GpuMemory, Memory, RunRecord
from sparktui.core.stats.cells import cells_of
from sparktui.io.store.recordjson import plain, record_from
from sparktui.io.store.rows import note_of
from sparktui.report.detail import groups
from sparktui.report.needletable import needle_grid, needle_table
from sparktui.report.table import plain_lines
from tests.runs import run


def needle(number: int, length: int, depth: float, *, found: bool | None = True, **fields: Any) -> RunRecord:
    place = {"length": length, "length_tokens": length + 3, "depth": depth, "code": "1234567", "found": found, **fields.pop("more", {})}
    values = {"prompt_tokens": length + 1, "prefill_s": length / 800, "prefill_tok_s": 800.0, "prefill_estimated": False}
    return run(number, prompt="needle", needle=place, **{**values, **fields})


def cells(records: list[RunRecord]) -> list[tuple[str, ...]]:
    return [row.cells for row in needle_table(records).rows]


def test_a_row_has_the_published_columns_first() -> None:
    table = needle_table([needle(1, 100_000, 0.5)])
    assert [column.title for column in table.columns] == ["prompt", "result", "prefill", "rate", "memory", "depth", "decode"]
    assert table.rows[0].cells == (
        "100,001 tokens, needle", "found", "125 s", "800 tok/s", "106.2 GB used / 14.8 GB avail", "0.5", "53.7 tok/s"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "prompt", "result"),
    [
        ({"found": False}, "1,001 tokens, needle", "not found"), ({"found": None, "status": "cancelled"}, "1,001 tokens, needle", "–"),
        ({"prompt_tokens": None, "more": {"length_estimated": True}}, "≈ 1,003 tokens, needle", "found"),
        ({"found": False, "more": {"codes": ["1", "2", "3"], "found_each": [True, False, True]}},
         "1,001 tokens, 3 needles", "2 of 3 found"),
        ({"found": None, "status": "failed", "prompt_tokens": None, "more": {"refused": "does not fit (5 > 3)", "length_tokens": 1_000}},
         "1,000 tokens, needle", "does not fit (5 > 3)"),
    ],
)  # fmt: skip
def test_what_a_row_says(fields: dict[str, Any], prompt: str, result: str) -> None:
    assert cells([needle(1, 1_000, 0.5, **fields)])[0][:2] == (prompt, result)


def test_b11_a_warm_run_shows_its_cached_share_and_stays_out_of_the_grid() -> None:
    cold = needle(1, 20_000, 0.5)
    warm = needle(2, 20_000, 0.5, flags=("cached_prompt",), cached_tokens=19_968, new_tokens=33, prefill_tok_s=40.0, more={"warm": True})
    assert cells([cold, warm])[1][-1] == "warm, 19,968 tokens cached, cached prompt"
    assert needle_grid([cold, warm]) is None
    other = needle(3, 30_000, 0.5)
    grid = needle_grid([cold, warm, other])
    assert grid is not None
    assert [row.cells for row in grid.rows] == [("20k", "found 800 tok/s"), ("30k", "found 800 tok/s")]


def test_the_grid_is_length_by_depth() -> None:
    runs = [
        needle(1, 1_000, 0.1), needle(2, 1_000, 0.9, found=False), needle(3, 300_000, 0.1, prefill_estimated=True),
        needle(4, 1_000_000, 0.9, found=None, status="failed", prefill_tok_s=None, more={"refused": "does not fit (5 > 3)"}),
        needle(5, 1_000, 0.1, found=False, prefill_tok_s=820.0),
    ]  # fmt: skip
    grid = needle_grid(runs)
    assert grid is not None
    assert plain_lines(grid) == [
        "length  depth 0.1            depth 0.9",
        "    1k  1/2 found 810 tok/s  not found 800 tok/s",
        "  300k  found ≈ 800 tok/s    –",
        "    1M  –                    does not fit (5 > 3)",
    ]


def test_a_run_that_was_never_judged_says_how_it_ended() -> None:
    runs = [needle(1, 1_000, 0.5, found=None, status="cut_off"), needle(2, 2_000, 0.5)]
    grid = needle_grid(runs)
    assert grid is not None
    assert grid.rows[0].cells == ("1k", "cut off")


def test_one_place_is_a_cell_whatever_the_first_line() -> None:
    runs = [needle(1, 1_000, 0.5), needle(2, 1_000, 0.5), needle(3, 1_000, 0.6)]
    runs = [msgspec.structs.replace(one, prompt=msgspec.structs.replace(one.prompt, sha256=one.id)) for one in runs]
    assert [cell.n for cell in cells_of(runs)] == [2, 1]


def test_lists_say_what_was_found_and_where() -> None:
    assert note_of(needle(1, 100_000, 0.5)) == "found 100k @0.5"
    assert note_of(needle(1, 100_000, 0.5, found=False, flags=("not_idle",))) == "not found 100k @0.5, not idle"
    assert note_of(run(1)) == ""


def test_cards_are_listed_one_by_one_and_together_and_survive_an_export() -> None:
    cards = (GpuMemory(17_200_000_000, 85_900_000_000), GpuMemory(5_200_000_000, 85_900_000_000))
    record = run(1, memory=Memory(total=100, used_peak=60, available_min=40, gpus=cards))
    again = record_from(plain(record))
    assert again.memory is not None
    assert again.memory.gpus == cards
    figures = {figure.name: (figure.number, figure.unit) for title, group in groups(record) if title == "Memory" for figure in group}
    assert figures["GPU 0, peak"] == ("17.2", "GB of 85.9")
    assert figures["GPU 1, peak"] == ("5.2", "GB of 85.9")
    assert figures["GPUs together"] == ("22.4", "GB of 171.8")


def test_the_detail_of_several_needles() -> None:
    place = {"length": 1_000, "depths": [0.25, 0.75], "codes": ["1", "2"], "found": False, "found_each": [True, False]}
    group = dict(groups(run(1, needle=place)))["Needle"]
    assert [(figure.name, figure.number, figure.unit) for figure in group] == [
        ("result", "1 of 2 found", ""), ("asked length", "1,000", "tok"), ("built length", "–", "tok"), ("depth 1", "0.25", "found"),
        ("code 1", "1", ""), ("depth 2", "0.75", "not found"), ("code 2", "2", ""),
    ]  # fmt: skip
