"""The baseline: also one that was measured meanwhile, and runs that were made before it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from sparktui.core.config import Config, SweepConfig, VariantConfig
from sparktui.core.events import AnyEvent, Joined
from sparktui.core.plans import PromptSpec, RunSpec
from sparktui.core.records import RunParams, RunRecord
from sparktui.engine.running.baselines import Baselines
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.running.measuring import Measuring
from sparktui.engine.server.target import open_target
from sparktui.engine.sweeping.sweepjob import SweepJob, configured_sweep
from sparktui.io.store.history import History
from tests.runs import SERVER, run

SPEC = RunSpec(prompt=PromptSpec(name="code", text="Write."), params=RunParams(temperature=0, max_tokens=800))
BARE = msgspec.structs.replace(SERVER, draft="none")


def bare(number: int, rate: float, **fields: object) -> RunRecord:
    """A run of the same question without a draft."""
    values = {"draft_accepted": None, "draft_proposed": None, "acceptance_source": None, "verify_steps": None, **fields}
    return run(number, label="no draft", server=BARE, prompt="Write.", server_tok_s=rate, **values)


def asked(record: RunRecord) -> RunRecord:
    return msgspec.structs.replace(record, prompt=SPEC.prompt.info(), params=SPEC.params)


def test_one_measured_meanwhile_is_found() -> None:
    baselines = Baselines(None, None)
    assert baselines.of(SPEC, SERVER) is None
    for number, rate in enumerate((29.0, 30.0, 29.2), start=1):
        baselines.note(asked(bare(number, rate)))
    found = baselines.of(SPEC, SERVER)
    assert found is not None and (found.n, found.server_tok_s, found.id) == (3, 29.2, "run-000003")


def test_what_is_none_changes_nothing() -> None:
    baselines = Baselines(None, 29.0)
    for record in (run(1), bare(2, 30.0, warmup=True), bare(3, 30.0, status="failed"), bare(4, 30.0, flags=("not_idle",))):
        baselines.note(asked(record))
    found = baselines.of(SPEC, SERVER)
    assert found is not None and (found.id, found.server_tok_s) == ("config", 29.0)
    # another question's is not ours
    baselines.note(bare(5, 30.0, params=RunParams(temperature=1.0)))
    assert baselines.of(SPEC, SERVER) == found


def test_history_and_session_are_pooled_and_the_stored_record_counts(tmp_path: Path) -> None:
    with History.open(tmp_path / "history.sqlite3") as history:
        history.add_all([asked(bare(1, 28.0)), asked(bare(2, 29.0))])
        baselines = Baselines(history, None)
        before = baselines.of(SPEC, SERVER)
        assert before is not None and (before.n, before.server_tok_s) == (2, 28.5)
        baselines.note(asked(bare(2, 11.0)))
        baselines.note(asked(bare(3, 30.0)))
        after = baselines.of(SPEC, SERVER)
        assert after is not None and (after.n, after.server_tok_s, after.id) == (3, 29.0, "run-000003")


@pytest.mark.parametrize("runs", [1, 2])
def test_a_variant_without_a_draft_is_the_baseline_of_the_others_in_its_sweep(runs: int) -> None:
    variants = (VariantConfig(name="shipped"), VariantConfig(name="no draft", load={"draft_model": {"draft_mode": "disabled"}}))
    config = Config(sweep=SweepConfig(prompt="code", runs=runs, warmup=0, max_tokens=300, variants=variants))
    events: list[AnyEvent] = []
    emitter = Emitter([events.append])
    with open_target(config, demo=True, demo_speed=60.0) as target:
        measuring = Measuring(target, emitter, config)
        job = SweepJob(
            target, measuring, config, configured_sweep(config), emitter=emitter, cancel=Cancel(), pause=None, say=lambda _: None,
            keep=False,
        )  # fmt: skip
        records = job.run()
        measuring.close()
    without = {record.id for record in records if record.label == "no draft"}
    shipped = [record for record in records if record.label == "shipped"]
    assert len(without) == len(shipped) == runs
    for record in shipped:
        assert record.baseline_id in without
        assert record.speedup is not None and 1.4 < record.speedup < 2.6
        assert record.step_cost is not None and record.step_cost > 1
    # the first one was made before there was a baseline: it is told again
    told = [event.record for event in events if isinstance(event, Joined) and event.source == "baseline"]
    assert shipped[0] in told
    assert job.sweep.restored
