"""Pages to read: an explanation says what the command says, a sweep asks first, goes on by hand and shows its verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparktui.core.commands import Continue, Sweep
from sparktui.core.config import SweepConfig, VariantConfig
from sparktui.core.events import Plan, PlanProgress, Reply, Server
from sparktui.report.explaining import explained
from sparktui.report.sweeptable import matched_variants, sweep_table
from sparktui.tui.options import Options
from sparktui.tui.screens.confirm import Confirm
from sparktui.tui.screens.reading import ReadingScreen
from tests.runs import run
from tests.tui.desk import at_desk
from tests.tui.stage import Stage, on_stage
from tests.tui.test_live import sent
from tests.tui.timelines import TABBY, opening

SWEEP = SweepConfig(
    prompt="code",
    runs=3,
    variants=(VariantConfig(name="shipped"), VariantConfig(name="cool", load={"chunk_size": 4096}), VariantConfig(name="evil\x1b[31m")),
)
OPTIONS = Options(sweep=SWEEP)
VARIANT_RUNS = [
    run(number, label=label, bench_id="the-sweep", client_tok_s=rate + number / 10)
    for at, (label, rate) in enumerate((("shipped", 50.0), ("cool", 60.0), ("evil\x1b[31m", 40.0)))
    for number in range(1 + 3 * at, 4 + 3 * at)
]
PLAN = Plan(
    plan_id="the-sweep", kind="sweep", cells=tuple({"label": variant.name} for variant in SWEEP.variants), total=9, seq=7_000, t_ns=1,
)  # fmt: skip


def words(stage: Stage) -> str:
    """The page's words in order, however they are broken over rows."""
    return " ".join(stage.text().split())


@pytest.mark.parametrize("size", [(120, 60), (80, 60), (50, 90)])
async def test_x_on_a_runs_page_says_what_the_command_says(tmp_path: Path, size: tuple[int, int]) -> None:
    record = run(1)
    async with at_desk([record], tmp_path, size) as (stage, desk):
        await desk.press("h", "enter", "enter", "x")
        assert isinstance(stage.app.screen, ReadingScreen) and len(stage.widths()) == 1
        said = words(stage)
        for sentence in explained([record], [record])[0][2][:4]:
            assert " ".join(sentence.text.split()) in said and " ".join(sentence.formula.split()) in said
        await desk.press("escape")
        assert not isinstance(stage.app.screen, ReadingScreen)


async def test_x_in_the_history_explains_the_marked_cells_together(tmp_path: Path) -> None:
    records = [run(number, prompt=prompt) for prompt in ("code", "story") for number in range(1, 4)]
    records = [run(at, prompt=record.prompt.name) for at, record in enumerate(records, 1)]
    async with at_desk(records, tmp_path, (120, 90)) as (stage, desk):
        await desk.press("h", "a", "down", "a", "x")
        assert isinstance(stage.app.screen, ReadingScreen)
        assert "6 runs" in stage.text() and stage.text().count("the median run of 3") == 2 and "All of them together" in stage.text()


async def test_a_sweep_asks_first_and_is_begun_or_gone_on_with() -> None:
    async with on_stage(opening(), options=OPTIONS) as stage:
        await stage.press("S")
        assert isinstance(stage.app.screen, Confirm)
        assert "3 variants: shipped, cool, evil␛[31m" in stage.text() and "3 runs of each" in stage.text()
        assert "changes: load" in stage.text()
        await stage.press("escape")
        assert not sent(stage, Sweep)
        for key in ("enter", "r"):
            await stage.press("S")
            await stage.press(key)
        assert [command.resume for command in sent(stage, Sweep)] == [False, True]
        number = next(command.id for command in stage.link.sent if isinstance(command, Sweep))
        stage.link.add(Reply(id=number, ok=False, error={"title": "Nothing was interrupted.", "detail": "", "hint": "Start one."}))
        await stage.settle()
        await stage.settle()
        assert "Nothing was interrupted." in stage.text()


async def test_without_variants_it_says_what_to_write() -> None:
    async with on_stage(opening()) as stage:
        await stage.press("S")
        assert "Nothing to sweep" in stage.text() and "variants: [{name: as it is}" in stage.text()
        await stage.press("enter")
        assert not sent(stage, Sweep)


async def test_what_is_done_by_hand_is_gone_on_from() -> None:
    async with on_stage(opening(), options=OPTIONS) as stage:
        waiting = Server(state="loading", info=TABBY, cause="by hand: two: start build two; then continue", seq=7_001, t_ns=1)
        stage.link.add(PLAN, waiting)
        await stage.settle()
        assert "S done, go on" in stage.lines()[-1]
        await stage.press("S")
        assert "two: start build two" in stage.text()
        await stage.press("enter")
        assert len(sent(stage, Continue)) == 1


@pytest.mark.parametrize("size", [(120, 36), (60, 20), (30, 10)])
async def test_the_verdict_is_the_commands_table(size: tuple[int, int]) -> None:
    async with on_stage(opening(), size, OPTIONS, records=VARIANT_RUNS) as stage:
        stage.link.add(PLAN, PlanProgress(plan_id="the-sweep", done=9, total=9, finished=True, seq=7_002, t_ns=2))
        await stage.settle()
        await stage.press("S")
        await stage.press("v")
        assert isinstance(stage.app.screen, ReadingScreen) and stage.widths() == {size[0]}
        if size[0] == 120:
            matched = matched_variants(VARIANT_RUNS, [variant.name for variant in SWEEP.variants], "shipped")
            assert matched is not None
            for row in sweep_table(matched).fitted(118).rows:
                assert all(cell in stage.text() for cell in row.cells if cell), row.cells
            assert "faster" in stage.text() and "slower" in stage.text()
