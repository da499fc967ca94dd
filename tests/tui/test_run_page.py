"""A run's page: every figure defined and right, the timeline whole, histograms counted, trouble in words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.figures.burstscale import columns_of, full_tokens
from sparktui.core.records import ChunkMark, RunRecord
from sparktui.report.flagwords import flag_words
from sparktui.tui.runview.definition_band import band_height, band_rows, definition_of, value_of
from sparktui.tui.runview.histograms import gap_bins, histogram_rows, token_bins
from sparktui.tui.runview.retold import retold
from sparktui.tui.runview.run_figures import COLUMN_CELLS, figure_columns, item_inks
from sparktui.tui.runview.run_page import page_rows, text_of
from sparktui.tui.runview.run_timeline import timeline_rows
from tests.runs import run
from tests.tui.cells import whole_run
from tests.tui.test_compare_rows import ROLES

CODE, STORY = whole_run("code"), whole_run("story")


def figures(record: RunRecord) -> dict[str, Any]:
    return {item.figure.name: item.figure for item in figure_columns(record, 1)[0] if item.figure is not None}


def text(strips: list[Any], width: int) -> str:
    assert {strip.cell_length for strip in strips} <= {width}
    return "\n".join(strip.text.rstrip() for strip in strips)


def marks(*chunks: tuple[float, float]) -> tuple[ChunkMark, ...]:
    return tuple(ChunkMark(t_s, "content", 4, tokens) for t_s, tokens in chunks)


def test_every_figure_has_a_definition() -> None:
    record = run(1, reasoning_tokens=9, cached_tokens=5, bursts=12, ttft_content_s=2.0, connect_s=0.1, step_cost=2.7, speedup=1.97)
    shown = figures(record)
    assert {"first answer text", "of it cached", "of it reasoning", "bursts", "connect", "speed-up"} <= set(shown)
    assert [name for name, figure in shown.items() if definition_of(figure) is None] == []


def test_what_says_nothing_of_this_run_is_left_out() -> None:
    shown = figures(run(1))
    assert not {"first answer text", "of it cached", "of it reasoning", "bursts", "connect"} & set(shown)
    assert shown["gap p99 / max"].number == "298 / 301" and "gap longest" not in shown
    assert shown["speed-up"].number == "–"


@pytest.mark.parametrize("count", [1, 2, 3])
def test_groups_stand_side_by_side_and_further_ones_below(count: int) -> None:
    columns = figure_columns(run(1, needle={"length": 100_000, "depth": 0.5, "found": True}), count)
    heads = [[item.head for item in column if item.head] for column in columns]
    assert [names[0] for names in heads] == ["Speed", "Chunks", "Draft"][:count]
    assert sorted(name for names in heads for name in names) == ["Chunks", "Draft", "Memory", "Needle", "Speed"]


def test_no_row_of_a_column_is_wider_than_the_column() -> None:
    record = run(1, client_tok_s=123_456.7, draft_accepted=99_999, draft_proposed=100_000, prefill_tok_s=88_888.0, prefill_estimated=True)
    for item in figure_columns(record, 1)[0]:
        at = 0
        for x, (words, _) in item_inks(item, record, ROLES, cursor=True):
            assert x >= at, item
            at = x + len(words)
        assert at < COLUMN_CELLS


@pytest.mark.parametrize("width", [40, 50, 60, 80, 100, 120, 200])
def test_the_band_shows_formula_numbers_and_result(width: int) -> None:
    record = run(1)
    height = band_height(record, width)
    for figure in figures(record).values():
        rows = band_rows(figure, record, width, height, ROLES)
        assert len(rows) <= height and {row.cell_length for row in rows} == {width}
        assert figure.number in rows[0].text, figure
    rate = figures(record)["client"]
    said = text(band_rows(rate, record, width, height, ROLES), width)
    assert "794 ÷ 13.91 s" in said or "794 ÷ 13.90 s" in said
    assert ("client_tok_s" in said) == (width >= 60)


def test_the_band_at_120_is_the_whole_sentence() -> None:
    said = text(band_rows(figures(run(1))["client"], run(1), 120, 4, ROLES), 120)
    assert said.splitlines()[0].startswith("▌client rate  = tokens generated ÷ decode time = 794 ÷ 13.9")
    assert said.splitlines()[0].endswith("client_tok_s") and "The headline" in said


def test_unknown_values_leave_the_formula_without_numbers() -> None:
    record = run(1, completion_tokens=None, client_tok_s=None)
    said = text(band_rows(figures(record)["client"], record, 120, 4, ROLES), 120)
    assert "= tokens generated ÷ decode time = –" in said
    assert value_of(record, "completion_tokens") is None
    assert [value_of(run(1), name) for name in ("t_send", "t_first", "t_done")] == ["0 s", "1.08 s", "14.99 s"]


@pytest.mark.parametrize("width", [24, 50, 80, 120, 200])
@pytest.mark.parametrize("record", [CODE, STORY], ids=["code", "story"])
def test_the_timeline_is_the_whole_run_in_lines_of_whole_seconds(record: RunRecord, width: int) -> None:
    rows = timeline_rows(record.timeline or (), width, ROLES)
    seconds = int((record.timeline or ())[-1].t_s) + 1
    per_line = (width - 2) // 10
    assert len(rows) == 1 + 4 * -(-seconds // per_line)
    said = text(rows, width)
    assert "tokens per 100 ms"[: width - 19] in said
    for second in range(1, seconds):
        assert f"┴{second} s" in said or f"┴{second}" not in said


def test_a_columns_height_is_its_tokens() -> None:
    rest = ((1 + n / 10, 1.0) for n in range(10))
    rows = timeline_rows(marks((0.05, 1), (0.25, 8), (0.45, 16), (0.65, 24), (0.85, 38), *rest), 80, ROLES)
    lines = [row.text for row in rows[1:4]]
    assert [line[1:10] for line in lines] == ["      █ ▲", "    █ █ █", "▁ █ █ █ █"]


def test_a_long_run_has_wider_columns_and_says_so() -> None:
    rows = timeline_rows(marks(*((t, 5.0) for t in range(1, 3600, 2))), 120, ROLES)
    assert "tokens per 10 s" in rows[0].text
    said = text(rows, 120)
    assert "10:00" in said and len(rows) < 40
    assert timeline_rows((), 120, ROLES) == []


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 200), st.floats(0.1, 400)), min_size=1, max_size=60), st.integers(12, 220))
def test_any_timeline_can_be_drawn(chunks: list[tuple[float, float]], width: int) -> None:
    timeline = marks(*sorted(chunks))
    text(timeline_rows(timeline, width, ROLES), width)
    text(histogram_rows(timeline, width, ROLES), width)
    assert sum(columns_of(timeline, 100).tokens) == pytest.approx(sum(tokens for _, tokens in chunks))
    assert full_tokens(columns_of(timeline, 100)) >= 24
    assert sum(gap_bins(timeline)) == len(chunks) - 1 and sum(token_bins(timeline)) == len(chunks)


def test_histograms_count_gaps_and_tokens() -> None:
    timeline = marks((1.0, 38), (1.29, 16), (1.58, 16), (1.6, 0.2), (2.6, 5))
    gaps = gap_bins(timeline)
    assert (gaps[29], gaps[2], gaps[50]) == (2, 1, 1)
    tokens = token_bins(timeline)
    assert (tokens[15], tokens[0], tokens[4], tokens[24]) == (2, 1, 1, 1)
    wide = text(histogram_rows(timeline, 120, ROLES), 120).splitlines()
    assert "gaps between chunks   10 ms a column" in wide[0] and "tokens per chunk   5 chunks" in wide[0] and len(wide) == 5
    narrow = text(histogram_rows(timeline, 50, ROLES), 50).splitlines()
    assert "20 ms a column" in narrow[0] and "tokens per chunk" in narrow[5] and len(narrow) == 10
    assert histogram_rows(timeline[:1], 120, ROLES) == []


def test_trouble_is_told_in_words_first() -> None:
    record = run(1, status="failed", error="the server broke off: CUDA out of memory", flags=("not_idle", "partial_acceptance"),
                 retries=("the model is loading (503)",), warnings=("max_tokens above 2,000",))  # fmt: skip
    lines = text(page_rows(record, 120, ROLES), 120).splitlines()
    assert lines[0] == " ✕ the server broke off: CUDA out of memory"
    assert lines[1].startswith(" ! not idle: another request was in flight") and lines[2].startswith(" ! partial acceptance: the server")
    assert lines[3] == " ! retried: the model is loading (503)" and lines[4] == " ! max_tokens above 2,000"


def test_every_flag_has_its_words() -> None:
    from typing import get_args

    from sparktui.core.records import Flag

    assert set(flag_words()) == set(get_args(Flag))


def test_the_page_ends_with_what_the_run_was() -> None:
    said = text(page_rows(CODE, 100, ROLES), 100)
    assert "4f1c9a77aa0042d4b1a2c3d4e5f60718" in said and "temperature 0, max_tokens 800" in said
    assert said.index("Text") < said.index("request id")
    assert "timeline and text are being read" in text(page_rows(CODE, 100, ROLES, waiting="timeline and text are being read"), 100)
    assert "no timeline is stored" in text(page_rows(run(1, timeline=None, text=None), 100, ROLES), 100)


def test_text_of_a_run_names_its_parts_where_there_are_several() -> None:
    assert text_of(run(1, text="answer")) == "answer"
    assert text_of(run(1, text="answer", reasoning="hm")) == "[thinking]\nhm\n\n[answer]\nanswer"
    assert text_of(run(1, text=None)) == ""


def test_a_text_is_retold_in_the_bursts_it_came_in() -> None:
    marks = ((1.0, "reasoning", 2, 1), (1.5, "content", 3, 4), (1.505, "content", 2, 2), (2, "content", 1, 1))
    timeline = tuple(ChunkMark(*mark) for mark in marks)
    pieces, bursts = retold(run(1, reasoning="hm", text="abcdefgh", timeline=timeline))
    assert [(piece.kind, piece.text, piece.burst) for piece in pieces] == [
        ("reasoning", "hm", 0), ("content", "abc", 1), ("content", "de", 1), ("content", "f", 2), ("content", "gh", 2),
    ]  # fmt: skip
    assert list(bursts) == [1, 6, 1]
    assert [piece.text for piece in retold(run(1, text="all", timeline=None))[0]] == ["all"]


def test_hostile_words_do_no_harm() -> None:
    bad = "\x1b[31m[/]\x1b]52;c;x\x07\u202e漢字" + "x" * 5_000
    record = run(1, error=bad, warnings=(bad,), retries=(bad,), text=bad, label=bad, request_id=bad)
    for width in (20, 50, 120):
        said = text(page_rows(record, width, ROLES), width)
        assert not any(character in said for character in "\x1b\x07\u202e")
