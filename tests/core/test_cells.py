"""Cells: which runs belong together, which count, pooled acceptance, and what is odd."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sparktui.core.records import PromptInfo, RunParams, RunRecord, ServerInfo
from sparktui.core.stats.cells import cell_key, cell_of, cells_of, counts_for, figure_values, is_counted
from tests.core.builders import PROMPT, SERVER, record

REFERENCE = json.loads((Path(__file__).parents[1] / "fixtures" / "reference" / "runs.json").read_text(encoding="utf-8"))


def run(number: int, **changes: Any) -> RunRecord:
    return record(id=f"r{number}", run_no=number, started_at=f"2030-01-01T12:00:{number:02}+00:00", **changes)


def published(prompt: str, temperature: float | None, through: str = "direct") -> list[RunRecord]:
    rows = [r for r in REFERENCE["runs"] if (r["prompt"], r["temperature"], r["through"]) == (prompt, temperature, through)]
    names = ("ttft_s", "completion_tokens", "client_tok_s", "server_tok_s", "chunks", "draft_accepted", "draft_proposed")
    return [run(row["run"], **{name: row[name] for name in names}) for row in rows]


@pytest.mark.parametrize(
    ("prompt", "temperature", "client", "through"),
    [("story", 1.0, 30.2, "direct"), ("story", 0, 31.8, "direct"), ("code", 0, 57.3, "direct"), ("code", 1.0, 53.3, "direct"),
     ("story", None, 30.6, "open-webui")],
)  # fmt: skip
def test_published_medians_come_out(prompt: str, temperature: float | None, client: float, through: str) -> None:
    assert cell_of(published(prompt, temperature, through)).medians["client_tok_s"] == client


def test_b26_acceptance_is_pooled_over_the_runs_that_have_it() -> None:
    cell = cell_of(published("story", 0))
    assert (cell.n, cell.draft_accepted, cell.draft_proposed, cell.acceptance_runs) == (3, 642, 889, 2)
    assert cell.acceptance_rate == pytest.approx(642 / 889)
    tiny = cell_of([run(1, draft_accepted=90, draft_proposed=100), run(2, draft_accepted=0, draft_proposed=4), run(3)])
    assert tiny.acceptance_rate == pytest.approx(90 / 104)
    assert cell_of([run(1)]).acceptance_rate is None


def test_the_published_outlier_before_decoding_is_named_and_the_others_are_not() -> None:
    notes = cell_of(published("code", 0)).notes
    assert notes == ("Run 1: first text after 1.47 s against 1.08 s; 0.39 s more, before decoding.",)
    assert cell_of(published("story", 1.0)).notes == ()


def test_an_outlier_says_which_part_of_the_time_it_was_where_the_server_tells() -> None:
    runs = [run(i, ttft_s=1.0, queue_s=0.0, prefill_s=0.2) for i in (1, 2)]
    assert "most of it in prefill" in cell_of([*runs, run(3, ttft_s=1.8, queue_s=0.0, prefill_s=0.9)]).notes[0]
    assert "most of it in the queue" in cell_of([*runs, run(3, ttft_s=1.8, queue_s=0.7, prefill_s=0.2)]).notes[0]
    assert "between prefill and the first text" in cell_of([*runs, run(3, ttft_s=1.8, queue_s=0.0, prefill_s=0.2)]).notes[0]


def test_an_outlier_while_decoding_is_named() -> None:
    cell = cell_of([run(i, client_tok_s=v) for i, v in enumerate((57.0, 57.3, 41.0), 1)])
    assert cell.notes[0].startswith("Run 3: 41.0 tok/s against 57.0")


def test_b16_unlike_lengths_are_noted() -> None:
    assert cell_of(published("code", 1.0)).notes == ("Lengths differ: 659 to 794 tokens.",)


def test_b19_a_fall_from_the_first_run_to_the_last_is_noted() -> None:
    assert "6 % slower" in cell_of([run(i, client_tok_s=v) for i, v in enumerate((50.0, 48.5, 47.0), 1)]).notes[0]
    assert cell_of([run(i, client_tok_s=v) for i, v in enumerate((50.0, 50.5, 47.0), 1)]).notes == ()


def test_b23_runs_of_several_server_versions_are_noted() -> None:
    old, new = (ServerInfo(kind="llamacpp", base_url="http://h:1", model="m", version=version) for version in ("b5500", "b9000"))
    assert cell_of([run(1, server=old), run(2, server=old)]).notes == ()
    (note,) = cell_of([run(1, server=old), run(2, server=new)]).notes
    assert note == "Server versions differ: b5500, b9000; what they count as drafted may differ too."


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, ""),
        ({"warmup": True}, "warm-up"),
        ({"status": "failed"}, "failed"),
        ({"status": "cancelled"}, "cancelled"),
        ({"status": "cut_off"}, "cut off"),
        ({"flags": ("not_idle",)}, "not idle"),
        ({"flags": ("buffered",)}, "buffered"),
        ({"flags": ("not_streamed",)}, "not streamed"),
        ({"flags": ("cached_prompt", "token_mismatch", "client_bound")}, ""),
    ],
)
def test_which_runs_medians_leave_out_and_why(changes: dict[str, Any], reason: str) -> None:
    assert is_counted(record(**changes)) == (not reason, reason)


def test_b11_a_cached_prompt_leaves_only_the_prefill_and_first_text_medians() -> None:
    runs = [run(1, client_tok_s=30, ttft_s=0.6, prefill_tok_s=120), run(2, client_tok_s=40, ttft_s=0.1, flags=("cached_prompt",))]
    cell = cell_of(runs)
    assert (cell.n, cell.medians["client_tok_s"], cell.medians["ttft_s"]) == (2, 35, 0.6)
    assert (cell.counts["client_tok_s"], cell.counts["ttft_s"]) == (2, 1)
    assert not counts_for(runs[1], "prefill_s")


def test_b18_a_warm_up_is_listed_and_not_counted() -> None:
    cell = cell_of([run(0, warmup=True, client_tok_s=10), run(1, client_tok_s=30), run(2, client_tok_s=32, status="failed")])
    assert (cell.n, cell.n_excluded, cell.excluded) == (1, 2, {"warm-up": 1, "failed": 1})
    assert (cell.run_ids, cell.counted_ids) == (("r0", "r1", "r2"), ("r1",))
    assert cell.medians == cell.minima == cell.maxima == {"client_tok_s": 30, "chunks": 0}


def test_figures_that_no_run_has_are_in_no_table() -> None:
    assert "server_tok_s" not in cell_of([run(1, client_tok_s=1)]).medians
    assert figure_values([run(1), run(2, server_tok_s=3)], "server_tok_s") == [3]


@pytest.mark.parametrize(
    "changes",
    [
        {"label": "b"},
        {"server": ServerInfo(kind="tabbyapi", base_url="http://127.0.0.1:5001", model="demo-27b")},
        {"server": ServerInfo(kind="tabbyapi", base_url="http://127.0.0.1:5000", model="other")},
        {"prompt": PromptInfo(name="story", sha256="1" * 64)},
        {"params": RunParams(temperature=0, max_tokens=800)},
        {"params": RunParams(temperature=None, max_tokens=800)},
        {"params": RunParams(temperature=1.0, max_tokens=800, extra={"top_p": 0.9})},
        {"simulated": True},
        {"needle": {"length": 1000, "depth": 0.5}},
    ],
)
def test_runs_that_differ_in_one_of_these_are_of_different_cells(changes: dict[str, Any]) -> None:
    assert cell_key(record(**changes)) != cell_key(record())


def test_what_the_server_said_of_itself_and_the_way_a_number_is_written_do_not_split_a_cell() -> None:
    other = msgspec.structs.replace(SERVER, version="2", ctx=4096)
    same = record(id="x", server=other, params=RunParams(temperature=1, max_tokens=800), prompt=msgspec.structs.replace(PROMPT, text="t"))
    assert cell_key(same) == cell_key(record())


def test_cells_come_in_the_order_of_their_first_run_and_hold_no_prompt_text() -> None:
    with_text = msgspec.structs.replace(PROMPT, text="secret story")
    cells = cells_of([run(3, label="a"), run(2, label="b"), run(1, label="a", prompt=with_text), run(4, label="a", prompt=with_text)])
    assert [(cell.label, cell.run_ids) for cell in cells] == [("a", ("r1", "r3", "r4")), ("b", ("r2",))]
    assert b"secret story" not in msgspec.json.encode(cells)
    assert cells_of([]) == []


def test_a_cell_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="runs"):
        cell_of([])
