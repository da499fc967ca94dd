"""Tables for people: plain lines in a pipe, colour on a terminal, whole columns dropped, ASCII where the locale wants it."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.cells import cell_len

from sparktui.core.records import ChunkMark, RunRecord
from sparktui.report.console import Out, print_bench, print_run
from sparktui.report.runtable import bench_table, history_table, reference_table
from sparktui.report.strip import column_ms, strip_lines
from sparktui.report.table import Column, Row, Table, plain_lines
from tests.report.test_exports import bench
from tests.runs import run


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Pipe(io.StringIO):
    encoding = "utf-8"


def plain(records: list[RunRecord]) -> str:
    stream = Pipe()
    print_bench(records, Out.to(stream))
    return stream.getvalue()


def test_golden_bench(golden: Callable[[str, bytes], None]) -> None:
    golden("console/bench.txt", plain(bench()).encode())


def test_golden_reference(reference: list[RunRecord], golden: Callable[[str, bytes], None]) -> None:
    golden("console/reference.txt", plain(reference).encode())


def test_golden_run(golden: Callable[[str, bytes], None]) -> None:
    stream = Pipe()
    marks = tuple(ChunkMark(round(1.08 + n * 0.29, 6), "content", 60, 38.0 if n == 0 else 12.0 + n * 7 % 12) for n in range(49))
    print_run(run(1, timeline=marks, reasoning="hm\nhm", text="import \x1b[31mthreading"), Out.to(stream), text=True)
    golden("console/run.txt", stream.getvalue().encode())


def test_the_median_row_pools_acceptance_and_leaves_out_what_does_not_count() -> None:
    table = bench_table(bench()[:4])
    titles = [column.title for column in table.columns]
    last = dict(zip(titles, table.rows[-1].cells, strict=True))
    assert (last["run"], last["client tok/s"], last["note"]) == ("median", "57.2", "of 2 runs")
    assert last["draft accepted"] == "pooled 90.1 %"
    assert [row.kind for row in table.rows] == ["left_out", "run", "run", "left_out", "summary"]


def test_no_median_of_a_single_run_and_no_columns_without_figures() -> None:
    table = bench_table(bench()[4:5])
    assert len(table.rows) == 1
    assert not {"server tok/s", "draft accepted", "tok/step"} & {column.title for column in table.columns}


def test_simulated_is_said_loudly_and_first() -> None:
    assert plain([run(1, simulated=True)]).startswith("Simulated: ")
    assert "imulated" not in plain([run(1)])


def test_the_shorter_columns_without_acceptance() -> None:
    titles = [column.title for column in reference_table(bench()[4:5]).columns]
    assert titles == ["run", "prompt tok", "TTFT", "tokens", "client tok/s", "server tok/s", "chunks"]


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_a_terminal_line_is_never_wider_than_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    table = history_table(bench(), _today())
    lines = plain_lines(table.fitted(width))
    assert max(cell_len(line) for line in lines) <= max(width, 62)
    kept = lines[0].split()
    assert {"id", "when", "label", "prompt", "client"} <= set(kept)


def _today() -> object:
    from datetime import datetime

    return datetime.fromisoformat("2026-11-30T15:00:00+00:00")


def test_a_figure_is_never_cut_only_whole_columns_go() -> None:
    table = Table(
        (Column(title="a"), Column(title="b", drop=1), Column(title="c", drop=2)),
        (Row(("1", "22222", "333333")),),
    )
    assert plain_lines(table.fitted(100)) == ["a      b       c", "1  22222  333333"]
    assert plain_lines(table.fitted(10)) == ["a      b", "1  22222"]
    assert plain_lines(table.fitted(2)) == ["a", "1"]


def test_wide_characters_keep_the_columns_straight() -> None:
    table = Table((Column(title="label", right=False), Column(title="n")), (Row(("漢字", "1")), Row(("ab", "22"))))
    lines = plain_lines(table)
    assert len({cell_len(line) for line in lines}) == 1


def test_colour_on_a_terminal_and_none_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = Terminal()
    print_bench(bench()[:3], Out.to(terminal))
    assert "\x1b[" in terminal.getvalue()
    assert "\x1b" not in plain(bench())


def test_foreign_text_cannot_steer_the_terminal() -> None:
    text = plain([run(1, label="a\x1b[2Jb", prompt="p\x1b]0;x\x07", error="[bold]x[/bold] \x9b31m", status="failed")])
    assert "\x1b" not in text and "\x07" not in text and "\x9b" not in text
    assert "[bold]x[/bold]" in text


def test_ascii_where_the_stream_is_not_utf8() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    print_bench(bench(), Out.to(stream))
    print_run(run(1), Out.to(stream))
    stream.flush()
    assert b"~ 57.1" in raw.getvalue()


def test_strip_columns_follow_the_length_of_the_run() -> None:
    assert [column_ms(seconds) for seconds in (1, 40, 41, 80, 81, 200, 201, 1000)] == [100, 100, 200, 200, 500, 500, 1000, 5000]


def test_the_strip_shows_tokens_per_column() -> None:
    marks = [ChunkMark(0.55, "content", 60, 16.0), ChunkMark(0.85, "content", 60, 3.0), ChunkMark(0.87, "content", 60, 1.0)]
    head, top, middle, bottom, axis = strip_lines(marks, 81)
    assert head.endswith("▁ 1 token  █ 8")
    assert (top, middle, bottom) == ("", "     █", "     █  ▄")
    assert axis == "┴0 s─────"


def test_a_column_beyond_full_height_is_marked_and_a_fast_run_changes_the_scale() -> None:
    slow = [ChunkMark(n / 10 + 0.05, "content", 9, 30.0 if n == 0 else 4.0) for n in range(30)]
    assert strip_lines(slow, 81)[1] == "▲"
    fast = [ChunkMark(n / 10 + 0.05, "content", 9, 40.0) for n in range(30)]
    assert strip_lines(fast, 81)[0].endswith("▁ 2 tokens  █ 16")


def test_the_strip_goes_on_in_lines_of_whole_seconds() -> None:
    marks = [ChunkMark(n / 10 + 0.05, "content", 9, 4.0) for n in range(250)]
    lines = strip_lines(marks, 85)
    axes = [line for line in lines if line.startswith("┴")]
    assert [axis.split("─")[0] for axis in axes] == ["┴0 s", "┴8 s", "┴16 s", "┴24 s"]
    assert all(cell_len(line) <= 85 for line in lines[1:])
    assert strip_lines([], 80) == []
