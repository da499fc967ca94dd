"""The verdict table of a sweep, what is said below it, and requests made at once."""

from __future__ import annotations

import csv
import io
import json

import msgspec

from sparktui.core.loadmemory import LoadMemory
from sparktui.core.records import RunRecord
from sparktui.report.export import render
from sparktui.report.sweeptable import (
    combined_lines,
    drift_of,
    drift_words,
    load_lines,
    matched_variants,
    sweep_lines,
    sweep_object,
    sweep_table,
)  # fmt: skip
from sparktui.report.together import at_once
from sparktui.report.togethertable import together_table
from sparktui.servers.tabbyload import Setting
from tests.runs import SERVER, run

NAMES = ("shipped", "chunk 4096", "no draft", "two at once")


def variant(name: str, speeds: list[float], start: int, **fields: object) -> list[RunRecord]:
    return [run(start + n, label=name, client_tok_s=speed, run_no=n + 1, **fields) for n, speed in enumerate(speeds)]


def swept() -> list[RunRecord]:
    bare = msgspec.structs.replace(SERVER, draft="none")
    none = dict.fromkeys(("draft_accepted", "draft_proposed", "acceptance_rate", "tokens_per_step"))
    plain = {**none, "server": bare, "speedup": 1.0}
    return [
        *variant("shipped", [48.7, 49.6, 48.4], 1, speedup=1.7), *variant("chunk 4096", [48.8, 50.2, 47.3], 11, speedup=1.66),
        *variant("no draft", [29.1, 29.1, 29.2], 21, **plain),
    ]  # fmt: skip


def cells(records: list[RunRecord], name: str, baseline: str = "shipped") -> dict[str, str]:
    matched = matched_variants(records, NAMES, baseline)
    assert matched is not None
    table = sweep_table(matched)
    row = next(row for row in table.rows if row.cells[0] == name)
    return {column.title.strip(): text for column, text in zip(table.columns, row.cells, strict=True)}


def test_one_variant_a_row_against_the_baseline() -> None:
    row = cells(swept(), "chunk 4096")
    assert (row["n"], row["decode tok/s"], row["min – max"], row["ratio"]) == ("3", "48.8", "47.3 – 50.2", "1.002")
    assert (row["verdict"], row["±2 tok/s"]) == ("= no difference shown", "inside")
    slow = cells(swept(), "no draft")
    # a draft is held against the rate without one; a variant without a draft is what it is held against
    assert (row["speed-up"], slow["speed-up"]) == ("1.66", "–")
    assert (slow["verdict"], slow["draft %"], slow["±2 tok/s"]) == ("▼ slower by 39–42 %", "–", "outside")
    assert cells(swept(), "shipped")["verdict"] == "baseline"
    assert cells(swept(), "shipped", "no draft")["verdict"].startswith("▲ faster by 6")


def test_too_few_runs_cannot_be_told() -> None:
    matched = matched_variants(swept()[:5], NAMES, "shipped")
    assert matched is not None
    assert sweep_table(matched).rows[1].cells[-2] == "– too few runs (n = 2)"
    lines = sweep_lines(matched, swept()[:5])
    assert "With fewer than 3 counted runs a side nothing can be told." in lines
    assert "Drift: too few runs to tell." in lines
    assert matched_variants(swept(), NAMES, "two at once") is None


def test_what_became_of_settings_and_memory_is_in_words_and_in_json() -> None:
    settings = {"8-bit cache": (Setting("cache_mode", "8,8", "FP16", "ignored"),)}
    load = LoadMemory(
        where="system", used_before=103_000_000_000, used_after=104_900_000_000, cache_tokens_before=196_608, cache_tokens=393_216,
        pool_bytes=3_800_000_000,
    )  # fmt: skip
    assert load_lines(settings, {"8-bit cache": load}) == [
        "8-bit cache: cache_mode 8,8: ignored (the server says FP16)",
        "8-bit cache: system memory 103.0 → 104.9 GB; cache pool ≈ 3.54 GiB (3.8 GB) at 393,216 tokens, derived from the difference",
    ]
    matched = matched_variants(swept(), NAMES, "shipped")
    assert matched is not None
    told = sweep_object(matched, swept(), settings, {"8-bit cache": load})
    assert told["settings"]["8-bit cache"][0]["became"] == "ignored"
    assert (told["memory"]["8-bit cache"]["pool_bytes"], told["memory"]["8-bit cache"]["derived"]) == (3_800_000_000, True)
    assert (told["baseline"]["median_speedup"], told["variants"][0]["median_speedup"]) == (1.7, 1.66)


def test_drift_of_the_whole_sweep() -> None:
    order = [(name, 50.0 * factor) for factor in (1.0, 0.99, 0.97, 0.95) for name in ("a", "b")]
    falling = [run(n, label=name, client_tok_s=speed * (1 if name == "a" else 0.6)) for n, (name, speed) in enumerate(order)]
    assert drift_words(drift_of(falling)).startswith("Drift: the second half of the sweep was slower (ratio 0.96")
    steady = [run(n, label="ab"[n % 2], client_tok_s=50.0 + (n * 7 % 3)) for n in range(8)]
    assert drift_words(drift_of(steady)).startswith("Drift, second half against first: none shown")


def both(number: int, sent: float, ttft: float) -> RunRecord:
    return run(
        number, label="two at once", run_no=1, started_at=f"2026-11-30T12:00:0{sent}Z", ttft_s=ttft, decode_s=10.0, completion_tokens=300,
        client_tok_s=30.0,
    )  # fmt: skip


def test_requests_at_once_are_compared_by_what_they_came_to_together() -> None:
    records = [*swept(), both(31, 0, 1.0), both(32, 0, 1.0)]
    matched = matched_variants(records, NAMES, "shipped")
    assert matched is not None
    told = next(line for line in combined_lines(matched) if "two at once" in line)
    assert "two at once: 60.0 tok/s against 57.1" in told
    assert "too few runs (n = 1)" in told
    plain = matched_variants(swept(), NAMES, "shipped")
    assert plain is not None
    assert combined_lines(plain) == []
    (row,) = together_table(at_once(records)).rows
    assert row.cells[3:7] == ("1", "2", "600", "60.0")


def test_exports_hold_verdict_and_rounds() -> None:
    records = [*swept(), both(31, 0, 1.0), both(32, 0, 1.0)]
    matched = matched_variants(records, NAMES, "shipped")
    assert matched is not None
    data = json.loads(render(records, None, "json", extra={"sweep": sweep_object(matched, records)}))
    assert data["sweep"]["baseline"]["name"] == "shipped"
    assert [one["verdict"] for one in data["sweep"]["variants"]] == ["no difference shown", "slower", "too few runs"]
    assert (data["rounds"][0]["asked"], data["rounds"][0]["tok_s"]) == (2, 60.0)
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(render(records, None, "csv").decode(), newline=""))}
    for record in records[-2:]:
        row = rows[record.id]
        assert (row["round_asked"], row["round_tokens"], row["round_tok_s"], row["round_estimated"]) == ("2", "600", "60.0", "false")
        assert float(row["round_wall_tok_s"]) < 60
    assert {rows[record.id]["round_tok_s"] for record in records[:-2]} == {""}
    page = render(records, None, "md", page=["## Settings sweep", ""]).decode()
    assert page.index("## Settings sweep") < page.index("## Requests at once")
    assert "rounds" not in json.loads(render(swept(), None, "json"))
