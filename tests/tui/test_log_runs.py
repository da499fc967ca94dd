"""From a record of the log to its run and back: set off, chosen, opened; and the acceptance of the last runs as a strip."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparktui.core.events import Joined
from sparktui.tui.live.acceptance_strip import acceptance_pieces
from sparktui.tui.screens.log import LogScreen
from sparktui.tui.screens.run import RunScreen
from sparktui.tui.widgets.history_table import HistoryTable
from sparktui.tui.widgets.log_panel import LogPanel
from tests.runs import run
from tests.tui.desk import Desk, at_desk
from tests.tui.stage import Stage
from tests.tui.timelines import log_lines, opening

RUNS = [run(1, acceptance_rate=0.5), run(2, acceptance_rate=0.9)]


async def linked(stage: Stage) -> list[int]:
    """The generation records of the log, joined to the runs in turn; their numbers."""
    numbers = [record.n for record in stage.app.session.log if record.generation is not None][:2]
    for at, (n, record) in enumerate(zip(numbers, RUNS, strict=True)):
        stage.link.add(Joined(run_id=record.id, record=record, source="log", n=n, seq=8_000 + at, t_ns=1))
    await stage.settle()
    return numbers


async def opened(stage: Stage, desk: Desk) -> list[int]:
    numbers = await linked(stage)
    await desk.press("l")
    assert isinstance(stage.app.screen, LogScreen)
    return numbers


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (50, 12)])
async def test_the_next_generation_is_chosen_its_run_named_and_opened(tmp_path: Path, size: tuple[int, int]) -> None:
    async with at_desk(RUNS, tmp_path, size, script=opening() + log_lines(), known=RUNS) as (stage, desk):
        numbers = await opened(stage, desk)
        panel = stage.app.screen.query_one(LogPanel)
        await desk.press("N")
        while panel.chosen_n not in numbers:
            await desk.press("N")
        run_id = stage.app.session.run_of_log(panel.chosen_n or 0)
        assert len(stage.widths()) == 1 and sum(line.startswith("▸") for line in stage.lines()) == 1
        if size[0] == 120:
            assert "tok/s · draft" in stage.lines()[1]
        await desk.press("enter")
        screen = stage.app.screen
        assert isinstance(screen, RunScreen) and screen.record.id == run_id
        # and back: from the run to its record
        await desk.press("l")
        assert isinstance(stage.app.screen, LogScreen)
        assert stage.app.session.run_of_log(stage.app.screen.query_one(LogPanel).chosen_n or 0) == run_id


async def test_a_run_without_a_record_says_so(tmp_path: Path) -> None:
    async with at_desk(RUNS, tmp_path, (120, 36), script=opening() + log_lines(), known=RUNS) as (stage, desk):
        await desk.press("h", "enter", "enter", "l")
        assert isinstance(stage.app.screen, RunScreen) and "no log record of this run" in " ".join(stage.text().split())


async def test_the_run_under_the_cursor_is_set_off_in_the_log_and_a_click_goes_the_other_way(tmp_path: Path) -> None:
    async with at_desk(RUNS, tmp_path, (120, 40), script=opening() + log_lines(), known=RUNS) as (stage, _):
        numbers = await linked(stage)
        panel, table = stage.app.screen.query_one(LogPanel), stage.app.screen.query_one(HistoryTable)
        table.go_to(RUNS[0].id)
        await stage.settle()
        assert [panel._ground(n) for n in numbers] == ["head", "background"]
        panel.post_message(LogPanel.Chosen(numbers[1]))
        await stage.settle()
        await stage.settle()
        assert table.cursor_id == RUNS[1].id and [panel._ground(n) for n in numbers] == ["background", "head"]


async def test_going_on_at_either_end_says_so_and_the_place_is_kept(tmp_path: Path) -> None:
    async with at_desk(RUNS, tmp_path, (120, 12), script=opening() + log_lines(), known=RUNS) as (stage, desk):
        await opened(stage, desk)
        panel = stage.app.screen.query_one(LogPanel)
        for _ in range(30):
            await desk.press("N")
        first = next(record.n for record in stage.app.session.log if record.generation is not None)
        assert panel.chosen_n == first and any(line.startswith("▸") for line in stage.lines())
        assert "no generation further back" in stage.text()


def test_the_strip_has_a_cell_a_run_and_tells_the_newest_known() -> None:
    runs = [run(4, acceptance_rate=None), run(3, acceptance_rate=1.0), run(2, acceptance_rate=0.5), run(1, acceptance_rate=0.0)]
    pieces = acceptance_pieces(runs, 60)
    assert "".join(text for text, _ in pieces) == "acceptance ▁▅█· 100.0 %  last 4 runs"
    assert acceptance_pieces([run(1, acceptance_rate=None)], 60) == [] and acceptance_pieces([], 60) == []


@pytest.mark.parametrize("room", range(0, 90))
def test_the_strip_never_takes_more_than_its_room(room: int) -> None:
    runs = [run(number, acceptance_rate=number / 100) for number in range(1, 100)]
    assert sum(len(text) for text, _ in acceptance_pieces(runs, room)) <= room
