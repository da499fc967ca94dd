"""Exports in every format: golden files, strict readers, hostile text, and what is left out."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import locale
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sparktui.core.records import GapMs, PromptInfo, RunParams, RunRecord, ServerInfo
from sparktui.core.stats.cells import cells_of
from sparktui.errors import UsageError
from sparktui.io.store.history import History
from sparktui.io.store.importing import import_file
from sparktui.report.export import default_name, format_of, render
from sparktui.report.export_csv import columns
from tests.runs import SERVER, run

AT = "2026-11-30T13:00:00Z"


def bench() -> list[RunRecord]:
    """A bench with all that can be odd: warm-up, a run that was not alone, an estimate, a failure, a needle, no temperature."""
    needle = {"length": 100_000, "depth": 0.5, "found": True, "code": "1234567"}
    return [
        run(1, run_no=0, warmup=True),
        run(2, run_no=1),
        run(3, run_no=2, client_tok_s=57.3, server_tok_s=53.9, draft_accepted=645, draft_proposed=714, acceptance_rate=645 / 714),
        run(4, run_no=3, flags=("not_idle",), queue_s=0.8),
        run(5, run_no=1, prompt="story", temperature=None, tokens_estimated=True, draft_accepted=None, draft_proposed=None,
            acceptance_rate=None, acceptance_source=None, acceptance_scope=None, server_tok_s=None, server_decode_s=None,
            tokens_per_step=None, verify_steps=None, drafted_per_step=None, steps_per_chunk=None, step_ms=None),
        run(6, run_no=2, prompt="story", temperature=None, status="failed", error="503: the model is loading", client_tok_s=None,
            server_tok_s=None, ttft_s=None, decode_s=None, completion_tokens=None, chunks=0, draft_accepted=None, draft_proposed=None),
        run(7, run_no=1, prompt="needle", needle=needle, prompt_tokens=100_012, prefill_s=125.4, prefill_tok_s=797.5),
    ]  # fmt: skip


@pytest.mark.parametrize("format", ["md", "csv", "json", "jsonl"])
def test_golden(format: str, golden: Callable[[str, bytes], None]) -> None:
    golden(f"export/bench.{format}", render(bench(), None, format, exported_at=AT, timeline=True, answers=True))


def test_golden_reference_page(reference: list[RunRecord], golden: Callable[[str, bytes], None]) -> None:
    golden("export/reference.md", render(reference, None, "md", exported_at=AT))


def test_the_reference_page_holds_the_published_rows_and_medians(reference: list[RunRecord]) -> None:
    page = render(reference, None, "md", exported_at=AT).decode()
    for row in (
        "| 2 | 18 | 0.59 s | 794 | 26.3 s | 30.2 | 29.7 | 160 | 310 / 476 (65.1 %) |",
        "| 3 | 18 | 0.60 s | 794 | 25.0 s | 31.8 | 31.2 | 157 | – |",
        "| 1 | 18 | 0.64 s | 735 | 31.4 | 30.8 | 145 |",
        "| 1 | 38 | 1.47 s | 794 | 13.8 s | 57.7 | 54.3 | 48 | 648 / 714 (90.8 %) |",
        "| 3 | 38 | 1.13 s | 794 | 14.9 s | 53.3 | 50.3 | 54 | 630 / 746 (84.5 %) |",
        "| 100,000 tokens, needle | found | 125 s | ≈ 800 tok/s | – |",
        "| 300,000 tokens, needle | found | 374 s | ≈ 800 tok/s | 106.0 GB used / 15.0 GB avail |",
    ):
        assert row in page
    assert re.findall(r"^median (\S+) tok/s", page, re.M) == ["30.2", "31.8", "30.6", "57.3", "53.3", "29.0"]
    assert "note: Run 1: first text after 1.47 s" in page


def test_json_is_strict_and_complete() -> None:
    document = json.loads(render(bench(), None, "json", exported_at=AT), parse_constant=_no_constants)
    assert (document["schema"], document["exported_at"], document["tool_version"]) == ("sparktui/1", AT, "0.1.0")
    assert len(document["runs"]) == 7
    first = document["runs"][1]
    assert first["client_tok_s"] == 57.1
    assert first["acceptance_rate"] == 645 / 718
    assert first["params"] == {"temperature": 0, "max_tokens": 800, "extra": {}}
    assert document["runs"][4]["params"]["temperature"] is None
    assert set(RunRecord.__struct_fields__) - {"timeline"} <= first.keys()
    assert "timeline" not in first
    assert document["runs"][5]["client_tok_s"] is None


def test_estimates_are_named() -> None:
    runs = json.loads(render(bench(), None, "json", exported_at=AT))["runs"]
    assert runs[1]["estimated"] is True
    assert runs[1]["estimated_fields"] == ["client_tok_s_net", "first_chunk_tokens", "tokens_per_chunk_p50", "tokens_per_chunk_p90"]
    assert {"completion_tokens", "client_tok_s", "tokens_per_chunk"} <= set(runs[4]["estimated_fields"])
    exact = json.loads(render([run(1, net_estimated=False)], None, "json", exported_at=AT))["runs"][0]
    assert (exact["estimated"], exact["estimated_fields"]) == (False, [])


def test_cells_of_a_json_export() -> None:
    cells = json.loads(render(bench(), None, "json", exported_at=AT))["cells"]
    code = cells[0]
    assert (code["label"], code["model"], code["prompt"]["name"]) == ("shipped", "Qwen-Next-exl3", "code")
    assert (code["n"], code["n_excluded"], code["excluded"]) == (2, 2, {"warm-up": 1, "not idle": 1})
    assert (code["median_client_tok_s"], code["min_client_tok_s"], code["max_client_tok_s"]) == (57.2, 57.1, 57.3)
    assert code["acceptance_rate"] == (645 + 645) / (718 + 714)
    assert cells[1]["median_server_tok_s"] is None


def test_jsonl_is_one_run_a_line() -> None:
    lines = render(bench(), None, "jsonl", exported_at=AT).decode().splitlines()
    assert [json.loads(line)["id"] for line in lines] == [record.id for record in bench()]
    assert all(json.loads(line)["schema"] == "sparktui/1" for line in lines)


def test_timelines_and_texts_only_where_asked() -> None:
    full = json.loads(render([run(1)], None, "jsonl", timeline=True))
    assert full["timeline"] == [[1.08, "content", 12, 38.0], [1.370123456, "content", 5, 16.0]]
    bare_bytes = render([run(1, reasoning="thinking")], None, "jsonl", text=False)
    bare = json.loads(bare_bytes)
    assert not {"text", "reasoning", "tool_calls", "timeline"} & bare.keys()
    assert b"import threading" not in bare_bytes and b"LRU" not in bare_bytes and b"thinking" not in bare_bytes
    assert b"LRU" not in render([run(1)], None, "csv", text=False)


@pytest.mark.parametrize("format", ["json", "jsonl"])
def test_an_export_comes_back_through_import(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"runs.{format}"
    path.write_bytes(render(bench(), None, format, timeline=True))
    with History.open(tmp_path / "history.sqlite3") as history:
        assert len(import_file(history, path).added) == 7
        assert [history.get(record.id, timeline=True) for record in bench()] == bench()


@pytest.mark.parametrize("format", ["json", "jsonl"])
def test_e10_nan_becomes_null(format: str) -> None:
    record = run(1, client_tok_s=math.nan, ttft_s=math.inf, gap_ms=GapMs(1.0, math.nan, 2.0, 3.0))
    data = render([record], None, format)
    document = json.loads(data, parse_constant=_no_constants)
    values = document["runs"][0] if format == "json" else document
    assert (values["client_tok_s"], values["ttft_s"], values["gap_ms"]) == (None, None, None)


def _no_constants(name: str) -> Any:
    raise AssertionError(f"{name} in JSON")


def rows_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


@pytest.mark.parametrize("text", ['a\r\n"b",c', "\r\n", '"', "a,b", "tab\there", " lead", "line\nline", "\x00null", "ünï ✓"])
def test_e05_csv_gives_the_text_back(text: str) -> None:
    data = render([run(1, text="x" + text, error=None), run(2)], None, "csv")
    first, second = rows_of(data)
    assert first["text"] == "x" + text
    assert second["id"] == "run-000002"
    assert data.count(b"\r\n") >= 3
    assert not data.startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "＝1"])
def test_csv_holds_nothing_a_spreadsheet_would_run(text: str) -> None:
    record = run(1, label=text, text=text, error=text, prompt=text, server=ServerInfo(kind="openai", base_url=text, model=text))
    (row,) = rows_of(render([record], None, "csv"))
    assert row["label"] == row["text"] == row["error"] == row["server_model"] == row["prompt_name"] == row["prompt_text"] == "'" + text
    for value in row.values():
        assert not value.startswith(("=", "+", "@", "\t", "\r", "＝"))


def test_csv_numbers_are_numbers_even_below_zero() -> None:
    (row,) = rows_of(render([run(1, burstiness=-0.25, temperature=0)], None, "csv"))
    assert (row["burstiness"], row["temperature"], row["client_tok_s"], row["draft_accepted"]) == ("-0.25", "0", "57.1", "645")
    assert (row["warmup"], row["simulated"], row["gap_p50_ms"]) == ("false", "false", "290.1")
    assert float(row["acceptance_rate"]) == 645 / 718


def test_csv_absent_is_empty_and_columns_never_change() -> None:
    rows = rows_of(render(bench(), None, "csv"))
    assert rows[5]["client_tok_s"] == rows[4]["draft_accepted"] == rows[4]["temperature"] == ""
    assert tuple(rows[0]) == columns(text=True)
    assert len(set(columns(text=True))) == len(columns(text=True))
    assert render([], None, "csv").decode().strip().split(",") == list(columns(text=True))


@pytest.mark.parametrize("wanted", ["de_DE.UTF-8", "fr_FR.UTF-8"])
def test_e12_the_decimal_point_stays_whatever_the_locale(wanted: str) -> None:
    before = locale.setlocale(locale.LC_ALL)
    with contextlib.suppress(locale.Error):  # where it is not installed, what follows still has to hold
        locale.setlocale(locale.LC_ALL, wanted)
    try:
        (row,) = rows_of(render([run(1, client_tok_s=19.27)], None, "csv"))
        assert row["client_tok_s"] == "19.27"
        assert "| 19.3 |" in render([run(1, client_tok_s=19.27)], None, "md").decode()
    finally:
        locale.setlocale(locale.LC_ALL, before)


def test_e11_markdown_tables_hold_whatever_the_names_are() -> None:
    record = replace(
        run(1),
        label="a|b\n| c |",
        error="<script>alert(1)</script> | x\n# y",
        status="failed",
        server=ServerInfo(kind="openai", base_url="http://h", model="a|b`c`*d*_e_ <b>"),
        prompt=PromptInfo(name="p|q", sha256="0", text="say `x` | <i>\n## no heading"),
        text="```python\n````\n<script>\n",
    )
    page = render([record], None, "md", exported_at=AT, answers=True).decode()
    lines = page.split("\n")
    table = [line for line in lines if line.startswith("|")]
    cells = [len(re.findall(r"(?<!\\)\|", line)) for line in table]
    assert len(set(cells)) == 1 and len(table) == 3
    outside = page[: page.index("`````text")]
    assert "<script>" not in outside and "<b>" not in outside and "<i>" not in outside
    assert "\n## no heading" not in page and "\n# y" not in page
    assert "`````text\n```python\n````\n<script>\n\n`````" in page
    assert "a\\|b\\`c\\`\\*d\\*\\_e\\_ &lt;b&gt;" in page


def test_escape_sequences_do_not_reach_a_page() -> None:
    page = render([run(1, label="\x1b[31mred\x1b[0m \u202eabc", text="\x1b]0;x\x07")], None, "md", answers=True)
    assert b"\x1b" not in page and "\u202e".encode() not in page and b"\x07" not in page


def test_what_is_left_out_is_said() -> None:
    page = render(bench(), None, "md", exported_at=AT).decode()
    assert "median 57.2 tok/s (2 of 4 runs; left out: warm-up, run 3 (not idle))" in page
    assert "temperature unset (server default)" in page
    assert "left out: run 2 (failed)" in page
    assert "≈ 57.1" in page


def test_simulated_runs_say_so_at_the_top() -> None:
    page = render([run(1, simulated=True)], None, "md").decode()
    assert "**Simulated" in page.split("##")[0]
    assert "imulated" not in render([run(1)], None, "md").decode()


def test_unverified_tls_is_loud() -> None:
    server = ServerInfo(kind="openai", base_url="https://h", tls_verified=False)
    assert "NOT verified" in render([run(1, server=server)], None, "md").decode()


def test_several_labels_models_and_parameters_are_told_apart() -> None:
    records = [
        run(1),
        run(2, label="no draft"),
        run(3, params=RunParams(temperature=0, max_tokens=800, extra={"top_k": 1})),
        run(4, server=ServerInfo(kind="llamacpp", base_url="http://h:8080", model="other")),
    ]
    page = render(records, None, "md").decode()
    headings = [line for line in page.split("\n") if line.startswith("### ")]
    assert len(set(headings)) == 4
    assert "top\\_k 1" in page or "top_k 1" in page


def test_runs_of_two_benches_are_numbered_on() -> None:
    page = render([run(1, run_no=1), run(2, run_no=2), run(3, run_no=1), run(4, run_no=2)], None, "md").decode()
    assert re.findall(r"^\| (\d) \|", page, re.M) == ["1", "2", "3", "4"]


def test_nothing_to_export_is_still_a_page() -> None:
    assert b"# Raw runs" in render([], None, "md")
    assert json.loads(render([], None, "json"))["runs"] == []
    assert render([], None, "jsonl") == b""


def test_cells_given_are_used() -> None:
    cells = cells_of(bench())[:1]
    assert len(json.loads(render(bench(), cells, "json"))["cells"]) == 1


@pytest.mark.parametrize(
    ("path", "asked", "expected"),
    [("runs.md", None, "md"), ("a.b.CSV", None, "csv"), ("x.ndjson", None, "jsonl"), ("/dev/full", "json", "json"), ("x.txt", "md", "md")],
)
def test_formats(path: str, asked: str | None, expected: str) -> None:
    assert format_of(path, asked) == expected


def test_unknown_formats_are_usage_errors() -> None:
    for path, asked in (("runs.xlsx", None), ("runs", None), ("runs.md", "jsom")):
        with pytest.raises(UsageError) as caught:
            format_of(path, asked)
        assert caught.value.hint
    with pytest.raises(UsageError):
        render([], None, "pdf")


def test_e07_default_names_are_file_names() -> None:
    server = ServerInfo(kind="openai", base_url="", model="org/model:tag")
    name = default_name([run(1, label="a/b: c", server=server)], "md")
    assert name == "a-b-c-model-tag-2026-11-30-1200.md"
    assert default_name([], "csv") == "runs.csv"


def test_memory_is_said_once() -> None:
    page = render([run(1, server=SERVER)], None, "md").decode()
    assert "106.2 GB used at the peak, 14.8 GB available at the least, of 121.0 GB" in page
