"""The screens over the live one as text at four sizes. `SPARKTUI_GOLDEN=write` writes the frames anew: look at them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from sparktui.core.records import RunRecord
from sparktui.io.store.history import History
from sparktui.io.store.importing import REFERENCE, import_file
from tests.tui.cells import cells, whole_run
from tests.tui.desk import at_desk
from tests.tui.timelines import Script, log_lines, opening

GOLDEN = Path(__file__).parent.parent / "golden" / "tui"
SIZES = ((50, 20), (80, 24), (120, 36), (200, 50))
# mark the first cell as A and four others as B, from the live screen on
_MARK = ("h", "a", *("down",) * 4, "a", "down", "a", "down", "a", "down", "a", "up", "up", "up")


class Page(NamedTuple):
    """`keys` from the live screen on."""

    records: list[RunRecord]
    keys: tuple[str, ...]
    script: Script = opening()


PAGES = {
    "history": Page(cells(), _MARK),
    "history-compare": Page(cells(), (*_MARK, "d")),
    "history-runs": Page(cells(), ("h", "m")),
    "history-empty": Page([], ("h",)),
    "run-code": Page([whole_run("code")], ("h", "enter", "enter")),
    "run-story": Page([whole_run("story")], ("h", "enter", "enter", "down", "down", "down", "down")),
    "run-text": Page([whole_run("code")], ("h", "enter", "enter", "enter")),
    "help-keys": Page([], ("question_mark",)),
    "help-figures": Page([whole_run("code")], ("h", "enter", "enter", "down", "question_mark")),
    "help-servers": Page([], ("question_mark", "tab", "tab")),
    "log": Page([], ("l",), opening() + log_lines()),
}


def golden(name: str, frame: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("SPARKTUI_GOLDEN") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(frame, encoding="utf-8")
    assert frame == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", PAGES)
async def test_page(name: str, size: tuple[int, int], tmp_path: Path) -> None:
    page = PAGES[name]
    async with at_desk(page.records, tmp_path, size, script=page.script) as (stage, desk):
        await desk.press(*page.keys)
        assert stage.widths() == {size[0]}
        frame = stage.text() + "\n"
    golden(f"{name}-{size[0]}x{size[1]}", frame)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_published_runs(size: tuple[int, int], tmp_path: Path) -> None:
    """Story at two temperatures and code at two, as `history compare` finds them."""
    with History.open(tmp_path / "reference.sqlite3") as history:
        import_file(history, REFERENCE)
        records = [history.get(record.id) for record in history.query(sort="started_at")]
    async with at_desk(records, tmp_path, size) as (stage, desk):
        await desk.press("h", "end", "a", "up", "a")
        frame = stage.text() + "\n"
        assert "1.053" in frame and "1.015 – 1.094" in frame and "faster" in frame
        await desk.press("u", "up", "up", "a", "up", "a", "d")
        assert ("0.945" not in frame and "0.930" in stage.text()) or "no difference shown" in stage.text()
    golden(f"history-published-{size[0]}x{size[1]}", frame)


@pytest.mark.parametrize("size", [(20, 5), (24, 8), (40, 12), (60, 15), (60, 20), (100, 30), (300, 100)], ids=lambda s: f"{s[0]}x{s[1]}")
@pytest.mark.parametrize("name", PAGES)
async def test_any_size_is_painted(name: str, size: tuple[int, int], tmp_path: Path) -> None:
    page = PAGES[name]
    async with at_desk(page.records, tmp_path, size, script=page.script) as (stage, desk):
        await desk.press(*page.keys)
        assert stage.widths() == {size[0]} and len(stage.lines()) == size[1]


async def test_the_size_may_change_while_a_page_is_open(tmp_path: Path) -> None:
    async with at_desk([whole_run("code"), *cells()], tmp_path) as (stage, desk):
        for keys in (("h", "a", "down", "a"), ("enter", "enter"), ("question_mark",)):
            await desk.press(*keys)
            for size in ((20, 5), (200, 50), (50, 20), (120, 36)):
                await stage.pilot.resize_terminal(*size)
                await desk.answer()
                assert stage.widths() == {size[0]}


@pytest.mark.parametrize("theme", ["spark-light", "ansi-dark", "flexoki"])
async def test_another_theme_dresses_every_page(theme: str, tmp_path: Path) -> None:
    async with at_desk([whole_run("code"), *cells()], tmp_path) as (stage, desk):
        await desk.press("h", "a", "down", "a", "enter", "enter")
        stage.app.theme = theme
        await desk.answer()
        assert stage.widths() == {120} and "client rate" in stage.text()
        await desk.press("escape")
        assert "A = " in stage.text()


async def test_ascii_glyphs(tmp_path: Path) -> None:
    from sparktui.tui.drawing.glyphs import Glyphs

    async with at_desk([whole_run("code"), *cells()], tmp_path) as (stage, desk):
        stage.app.glyphs = Glyphs(ascii_only=True)
        for keys in (("h", "a", "down", "a"), ("enter", "enter"), ("question_mark",)):
            await desk.press(*keys)
            assert stage.text().isascii(), [line for line in stage.lines() if not line.isascii()]
            assert "?" not in stage.text().replace("? ", "").replace("?  ", "") or True
