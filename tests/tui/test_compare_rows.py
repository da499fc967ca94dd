"""The comparison: the figures of report.comparing in rows, at any width, with names that tell the cells apart."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sparktui.core.records import RunRecord
from sparktui.report.comparing import Side, comparison_table, match, remarks
from sparktui.tui.drawing.roles import Roles
from sparktui.tui.history.compare_rows import Compared, columns_for, compare_rows, compared, side_names
from sparktui.tui.history.history_book import CellEntry, HistoryBook
from tests.runs import run
from tests.tui.cells import cells

VARIABLES = {
    "foreground": "#ebdbb2", "background": "#282828", "surface": "#3c3836", "panel": "#504945", "accent": "#fabd2f", "primary": "#85a598",
    "warning": "#fe8019", "success": "#b8bb26", "error": "#fb4934",
}  # fmt: skip
ROLES = Roles(VARIABLES, dark=True)


def entries(records: Sequence[RunRecord], *labels: str) -> list[CellEntry]:
    book = HistoryBook()
    book.add(records)
    while book.work(loading=False):
        pass
    found = {entry.cell.label: entry for entry in book.entries()}
    return [found[label] for label in labels]


def code_cells(*labels: str) -> list[CellEntry]:
    return entries([record for record in cells() if record.prompt.name == "code" and record.params.temperature == 0], *labels)


def texts(found: Compared, width: int = 120) -> list[str]:
    rows = compare_rows(found, width, ROLES)
    assert {row.cell_length for row in rows} == {width}
    return [row.text.rstrip() for row in rows]


def test_figures_and_words_are_those_of_the_report() -> None:
    chosen = code_cells("shipped", "chunk 4096", "no cache q", "draft thr 0.6", "no draft")
    found = compared(chosen)
    assert found is not None
    sides = [Side(name, entry.runs) for name, entry in zip(found.names, chosen, strict=True)]
    expected = match(sides[0], sides[1:])[0]
    assert found.matched == expected
    rows = texts(found)
    for row, told in zip(rows[1:5], comparison_table(expected).rows, strict=True):
        for text in (*told.cells[:5], told.cells[6]):
            assert text in row
    assert "faster" not in rows[3] and "◀ off the scale" in rows[4] and "▼ slower by 49–50 %" in rows[4]
    said = " ".join(" ".join(rows[5:]).split())
    for remark in remarks(expected):
        assert " ".join(remark.split()) in said
    assert "n = 3 a side." in said and "Holm" in said


def test_the_interval_is_drawn_around_one() -> None:
    found = compared(code_cells("shipped", "chunk 4096"))
    assert found is not None
    head, row = texts(found)[:2]
    at = head.index("  1  ") + 2
    left, right, dot = row.index("├"), row.index("┤"), row.index("●")
    assert left < dot < right and left < at < right


@pytest.mark.parametrize("width", [40, 50, 60, 80, 100, 120, 160, 200])
def test_at_every_width_verdict_and_ratio_stay(width: int) -> None:
    found = compared(code_cells("shipped", "chunk 4096", "no draft"))
    assert found is not None
    rows = texts(found, width)
    assert "no difference shown"[: width - 30] in rows[1]
    if width >= 50:
        assert "0.995" in rows[1] and "slower by 49–50 %" in rows[2]
    keys = [column.key for column in columns_for(width, 14)]
    assert keys[0] == "b" and keys[-1] == "verdict"
    assert ("plot" in keys) == (width >= 100), keys


def test_too_few_runs_have_no_interval_and_say_so() -> None:
    records = [run(1, label="a"), run(2, label="a"), run(3, label="b"), run(4, label="b")]
    found = compared(entries(records, "a", "b"))
    assert found is not None
    rows = texts(found)
    assert "– too few runs (n = 2)" in rows[1] and "├" not in rows[1]
    assert "nothing can be told" in " ".join(rows)


def test_sides_of_other_sizes_are_named_by_theirs() -> None:
    records = [*(run(n, label="a") for n in range(3)), *(run(n, label="b", client_tok_s=50.0 + n) for n in range(5, 9))]
    found = compared(entries(records, "a", "b"))
    assert found is not None and "n = 3 against 4." in " ".join(texts(found))


def test_names_are_made_of_what_differs() -> None:
    book = HistoryBook()
    book.add(cells())
    while book.work(loading=False):
        pass
    by = {(entry.cell.label, entry.cell.prompt.name, entry.cell.params.temperature): entry for entry in book.entries()}
    assert side_names([by["shipped", "code", 0], by["no draft", "code", 0]]) == ("shipped", "no draft")
    assert side_names([by["shipped", "code", 0], by["shipped", "story", 1.0]]) == ("code · T 0", "story · T 1.0")
    assert side_names([by["shipped", "code", 0], by["no draft", "code", 0], by["shipped", "code", 1.0]]) == (
        "shipped · T 0", "no draft · T 0", "shipped · T 1.0",
    )  # fmt: skip
    assert compared([by["shipped", "code", 0]]) is None


def test_foreign_names_do_no_harm() -> None:
    records = [*(run(n, label="\x1b[31m[/]漢字" * 9) for n in range(3)), *(run(n, label="\u202eb") for n in range(5, 8))]
    book = HistoryBook()
    book.add(records)
    while book.work(loading=False):
        pass
    found = compared(book.entries())
    assert found is not None
    for width in (40, 80, 120, 200):
        assert not any(character in row for row in texts(found, width) for character in "\x1b\u202e")
