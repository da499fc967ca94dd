"""The help: every document is a page of it, and a word is found wherever it stands."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from sparktui.report.definitions import page
from sparktui.tui.drawing.doc_rows import doc_rows, plain
from sparktui.tui.help.help_keys import keys_markdown
from sparktui.tui.screens.help import DOCUMENTS, PAGES, HelpScreen
from tests.tui.desk import at_desk
from tests.tui.stage import Stage
from tests.tui.timelines import opening

DOCS = Path(str(resources.files("sparktui").joinpath("docs")))


def page_of(stage: Stage) -> str:
    return stage.lines()[1].partition("‹")[2].partition("›")[0]


def test_every_document_is_a_page() -> None:
    assert sorted(DOCUMENTS.values()) == sorted(path.stem for path in DOCS.glob("*.md"))


def test_the_keys_document_is_the_key_table() -> None:
    assert (DOCS / "keys.md").read_text(encoding="utf-8") == keys_markdown()


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_tab_turns_through_all_of_them_and_the_page_is_always_named(size: tuple[int, int], tmp_path: Path) -> None:
    async with at_desk([], tmp_path, size, script=opening()) as (stage, desk):
        await desk.press("question_mark")
        seen = []
        for _ in PAGES:
            assert stage.widths() == {size[0]}
            seen.append(page_of(stage))
            assert any(line.strip() for line in stage.lines()[3:-2])
            await desk.press("tab")
        assert tuple(seen) == PAGES and page_of(stage) == PAGES[0]


async def test_a_word_of_another_page_turns_to_it_and_n_goes_on_through_the_pages(tmp_path: Path) -> None:
    async with at_desk([], tmp_path, script=opening()) as (stage, desk):
        await desk.press("question_mark", "slash")
        await desk.press(*"proxy_buffering", "enter")
        assert page_of(stage) == "trouble"
        assert "proxy_buffering" in stage.text()
        await desk.press("slash", *["backspace"] * 20, *"journal", "enter")
        found = page_of(stage)
        turned = set()
        for _ in range(40):
            await desk.press("n")
            turned.add(page_of(stage))
        assert "watch" in turned and len(turned) >= 2 and found in turned


async def test_words_that_stand_in_two_rows_are_found_and_what_is_nowhere_changes_nothing(tmp_path: Path) -> None:
    async with at_desk([], tmp_path, (50, 24), script=opening()) as (stage, desk):
        await desk.press("question_mark", *["tab"] * PAGES.index("watch"))
        await desk.press("slash", *"any terminal of the same user", "enter")
        screen = stage.app.screen
        assert isinstance(screen, HelpScreen) and screen._hits and page_of(stage) == "watch"
        await desk.press("slash", *["backspace"] * 30, *"xyzzy", "enter")
        assert not screen._hits and page_of(stage) == "watch"


async def test_the_palette_lists_the_pages(tmp_path: Path) -> None:
    async with at_desk([], tmp_path, script=opening()) as (stage, desk):
        await desk.press("question_mark")
        commands = {command.title: command.callback for command in stage.app.get_system_commands(stage.app.screen)}
        assert {f"help on {name}" for name in PAGES} <= set(commands)
        commands["help on bursts"]()
        await stage.settle()
        assert page_of(stage) == "bursts"


def test_marks_of_emphasis_are_not_shown_and_stars_of_other_kinds_are() -> None:
    assert plain("*connection refused*: look at **it**, `logs/*.log`, 2 * 3 * 4") == "connection refused: look at it, logs/*.log, 2 * 3 * 4"
    (row, *_) = doc_rows("*cut off* and `x*`", 60)
    assert [(piece.text, piece.bold) for piece in row.pieces] == [("cut off", True), ("and", False), ("x*", False)]


@pytest.mark.parametrize("name", sorted(set(DOCUMENTS.values())))
def test_no_page_shows_its_markup(name: str) -> None:
    words = " ".join(piece.text for row in doc_rows(page(name), 100) if row.pieces for piece in row.pieces if piece.role != "flow")
    assert "**" not in words and "](" not in words and "`" not in words
