"""Runs as rows: columns at every width, notes, sorting, medians."""

from __future__ import annotations

import msgspec
import pytest

from sparktui.core.stats.cells import cells_of
from sparktui.tui.history.history_rows import cell_row, columns_for, matches, run_row, sorted_records
from tests.tui.scenes import BEFORE
from tests.tui.timelines import MIDDAY, finished

CODE = BEFORE[0]


def test_columns_are_those_of_the_design_and_always_fit() -> None:
    titles = [column.title for column in columns_for(120)]
    assert titles == ["when", "label", "prompt", "T", "TTFT s", "client tok/s", "server", "chunks", "tok/chunk", "draft", "%", "tok/step"]
    assert [column.title for column in columns_for(80)] == [
        "when", "prompt", "T", "TTFT s", "client tok/s", "server", "chunks", "tok/chunk", "%",
    ]  # fmt: skip
    for width in range(2, 200):
        assert 2 + sum(column.width for column in columns_for(width)) <= max(width, 2)
    assert 100 - 2 - sum(column.width for column in columns_for(100)) >= 10


def test_a_row_says_what_is_known_and_a_dash_for_the_rest() -> None:
    row = run_row(msgspec.structs.replace(CODE, draft_accepted=None, acceptance_rate=None, server_tok_s=None), MIDDAY)
    assert (row.texts["when"], row.texts["client"], row.texts["server"]) == ("12:03", "58.6", "–")
    assert (row.texts["draft"], row.texts["percent"], row.counted, row.note) == ("–", "–", True, "")


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"status": "cancelled"}, "cancelled"),
        ({"warmup": True}, "warm-up"),
        ({"flags": ("not_idle",)}, "not idle"),
    ],
)
def test_a_run_left_out_of_medians_says_why(changes: dict[str, object], note: str) -> None:
    row = run_row(msgspec.structs.replace(CODE, **changes), MIDDAY)
    assert (row.counted, row.note) == (False, note)


def test_estimates_are_marked() -> None:
    row = run_row(msgspec.structs.replace(CODE, tokens_estimated=True), MIDDAY)
    assert row.texts["client"] == "≈ 58.6"


def test_sorting_puts_runs_without_the_figure_last_in_both_directions() -> None:
    unknown = finished("code", id="u", minutes_ago=30, client_tok_s=None)
    runs = [*BEFORE, unknown]
    down = sorted_records(runs, "client", descending=True)
    up = sorted_records(runs, "client", descending=False)
    assert down[0].client_tok_s == max(run.client_tok_s or 0 for run in BEFORE) and down[-1] is unknown
    assert up[0].client_tok_s == min(run.client_tok_s or 0 for run in BEFORE) and up[-1] is unknown
    assert sorted_records(runs, "when", descending=True)[0].id == CODE.id


def test_a_filter_looks_for_every_word() -> None:
    assert matches(CODE, "code shipped") and not matches(CODE, "code story") and matches(CODE, "")


def test_medians_pool_the_acceptance_and_name_what_is_left_out() -> None:
    runs = [finished("code", run_no=n, seed=n, minutes_ago=n) for n in range(1, 4)]
    runs.append(finished("code", id="w", run_no=0, minutes_ago=9, warmup=True))
    (cell,) = cells_of(runs)
    row = cell_row(cell)
    rates = sorted(run.client_tok_s or 0 for run in runs[:3])
    assert row.texts["when"] == "n 3" and row.texts["client"] == f"{rates[1]:.1f}"
    assert row.note == "left out: 1 warm-up"
    accepted, proposed = sum(run.draft_accepted or 0 for run in runs[:3]), sum(run.draft_proposed or 0 for run in runs[:3])
    assert row.texts["draft"] == f"{accepted:,}/{proposed:,}"
