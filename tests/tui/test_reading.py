"""Pages to read: an explanation says what the command says, a sweep asks first, goes on by hand and shows its verdict."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import yaml

from sparktui.core.commands import CancelRun, Continue, Sweep
from sparktui.core.config import SweepConfig, VariantConfig
from sparktui.core.events import ErrorEvent, Plan, PlanProgress, Reply, Server
from sparktui.core.plans import PromptSpec
from sparktui.core.sweepplan import SweepPlan, check
from sparktui.report.explaining import explained
from sparktui.report.sweeptable import matched_variants, sweep_table
from sparktui.tui.live.sweep_words import NOTHING, sweep_words
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


def looked(stage: Stage, interrupted: dict[str, object] | None = None, notes: tuple[str, ...] = ()) -> None:
    """The worker's answer to the last look."""
    asked = sent(stage, Sweep)[-1]
    assert asked.look
    stage.link.add(Reply(id=asked.id, ok=True, data={"total": 9, "interrupted": interrupted, "notes": list(notes)}))


async def ask(stage: Stage, **found: object) -> None:
    """The key, and the question it brings."""
    await stage.press("S")
    looked(stage, **found)  # type: ignore[arg-type]
    await stage.settle()
    assert isinstance(stage.app.screen, Confirm)


async def test_a_sweep_asks_first_and_is_begun_or_gone_on_with() -> None:
    async with on_stage(opening(), options=OPTIONS) as stage:
        await ask(stage)
        asked = words(stage)
        assert "9 runs: 3 of each variant, interleaved" in asked and "code, T 0, max 800 tokens" in asked
        assert "shipped as it is (the others are held against it)" in asked
        assert "cool load chunk_size 4096" in asked and "evil␛[31m" in asked
        assert "loaded again at the end" in asked and "go on with" not in asked
        await stage.press("r")
        await stage.press("escape")
        assert [command.look for command in sent(stage, Sweep)] == [True]
        await ask(stage)
        await stage.press("enter")
        await ask(stage, interrupted={"started_at": "2026-11-30T09:05:00+00:00", "done": 4}, notes=("It was left changed.",))
        assert "4 of 9 runs are there" in stage.text() and "It was left changed." in stage.text()
        await stage.press("r")
        begun = [command for command in sent(stage, Sweep) if not command.look]
        assert [command.resume for command in begun] == [False, True]
        stage.link.add(Reply(id=begun[1].id, ok=False, error={"title": "Nothing was interrupted.", "detail": "", "hint": "Start one."}))
        await stage.settle()
        await stage.settle()
        assert "Nothing was interrupted." in stage.text()


async def test_a_sweep_that_cannot_be_run_says_why_before_it_is_begun() -> None:
    async with on_stage(opening(), options=OPTIONS) as stage:
        await stage.press("S")
        error = {"title": "A sweep cannot mix `load` with `manual`.", "detail": "", "hint": "Make two sweeps of it."}
        stage.link.add(Reply(id=sent(stage, Sweep)[-1].id, ok=False, error=error))
        await stage.settle()
        assert "cannot mix" in stage.text() and "Make two sweeps" in stage.text()
        await stage.press("enter")
        assert len(sent(stage, Sweep)) == 1


async def test_without_variants_it_says_what_to_write() -> None:
    async with on_stage(opening()) as stage:
        await stage.press("S")
        said = stage.text()
        assert "Nothing to sweep" in said and "- {name: no draft, load: {draft_model: {draft_mode: disabled}}}" in said
        await stage.press("enter")
        assert not sent(stage, Sweep)


def test_the_example_is_a_sweep_that_can_be_run() -> None:
    found = yaml.safe_load("\n".join(line for line in NOTHING[2:-2]))["sweep"]
    sweep = msgspec.convert(found, SweepConfig)
    check(SweepPlan(prompt=PromptSpec(name=sweep.prompt, text="x"), variants=sweep.variants))


def test_many_variants_are_counted_where_there_is_no_room() -> None:
    many = SweepConfig(variants=tuple(VariantConfig(name=f"v{n}", params={"temperature": n, "parallel": 2}) for n in range(20)))
    lines = sweep_words(many, 12)
    assert len(lines) == 12 - 1 and "… and 15 more" in lines
    assert "v1        sends temperature 1, parallel 2" in lines and "120 runs: 3 of each variant" in lines[1]
    assert lines[-1] == "Nothing of the server is changed."
    secret = SweepConfig(variants=(VariantConfig(name="a", command=("serve", "--api-key", "sk-0123456789abcdef0123456789abcdef")),))
    assert "sk-0123456789" not in " ".join(sweep_words(secret, 30)) and "stays as the last variant has it" in sweep_words(secret, 30)[-1]


def loading(cause: str, seq: int) -> Server:
    return Server(state="loading", info=TABBY, cause=cause, seq=seq, t_ns=seq)


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (50, 20)])
async def test_between_two_runs_it_says_what_the_server_is_loaded_for(size: tuple[int, int]) -> None:
    async with on_stage(opening(), size, OPTIONS) as stage:
        progress = PlanProgress(plan_id="the-sweep", done=3, total=9, eta_s=95.0, seq=7_003, t_ns=3)
        stage.link.add(PLAN, progress, loading("no draft: loading: model, module 12 of 40", 7_004))
        await stage.settle()
        said = stage.text()
        assert "◌ no draft" in said and "loading: model, module 12 of 40" in said and "3 of 9 runs, ≈ 1:35 left" in said
        assert "put back first" in said or size[0] == 50
        assert stage.widths() == {size[0]}
        await stage.press("q")
        assert "A sweep is running." in stage.text() and "put back first" in stage.text()
        await stage.press("escape")
        await stage.press("x")
        assert [command.everything for command in sent(stage, CancelRun)] == [True]
        stage.link.add(loading("putting the server back: loading m", 7_005))
        await stage.settle()
        assert "◌ putting the server back" in stage.text() and "put back first" not in stage.text()
        stage.link.add(
            ErrorEvent(title="The server is back in its own configuration.", exit_code=0, seq=7_006, t_ns=6),
            PlanProgress(plan_id="the-sweep", done=3, total=9, finished=True, seq=7_007, t_ns=7),
        )
        await stage.settle()
        assert "◌ putting" not in stage.text()
        (told,) = stage.app._notifications
        assert (told.severity, told.message) == ("information", "The server is back in its own configuration.")


async def test_the_verdict_comes_by_itself_with_what_became_of_settings_memory_and_server() -> None:
    outcome = {
        "settings": {"cool": [{"name": "chunk_size", "asked": 4096, "says": 4096, "became": "confirmed"}]},
        "memory": {"cool": {"where": "system", "used_before": 103_000_000_000, "used_after": 104_000_000_000}},
        "failed": {"other": "It would not load."}, "restored": True,
    }  # fmt: skip
    async with on_stage(opening(), (120, 40), OPTIONS, records=VARIANT_RUNS) as stage:
        await ask(stage)
        await stage.press("enter")
        stage.link.add(PLAN)
        await stage.settle()
        assert not isinstance(stage.app.screen, ReadingScreen)
        stage.link.add(PlanProgress(plan_id="the-sweep", done=9, total=9, finished=True, outcome=outcome, seq=7_002, t_ns=2))
        await stage.settle()
        await stage.settle()
        assert isinstance(stage.app.screen, ReadingScreen)
        said = stage.text()
        for words in (
            "9 of 9 runs", "▲ faster", "cool: chunk_size 4096: confirmed", "cool: system memory 103.0 → 104.0 GB",
            "other: not measured. It would not load.", "The server is as it was before the sweep.", "├",
        ):  # fmt: skip
            assert words in said, words
        await stage.press("escape")
        await stage.settle()
        assert not isinstance(stage.app.screen, ReadingScreen)


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
        await ask(stage)
        await stage.press("v")
        assert isinstance(stage.app.screen, ReadingScreen) and stage.widths() == {size[0]}
        if size[0] == 120:
            matched = matched_variants(VARIANT_RUNS, [variant.name for variant in SWEEP.variants], "shipped")
            assert matched is not None
            for row in sweep_table(matched).fitted(118).rows:
                assert all(cell in stage.text() for cell in row.cells if cell), row.cells
            assert "faster" in stage.text() and "slower" in stage.text()
