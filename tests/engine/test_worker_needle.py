"""The worker's needle command, against the demo server run fast."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparktui.core.commands import CancelRun, Needle
from sparktui.core.events import MemoryNow, Plan, PlanProgress, RunDone, RunStarted, Waiting
from sparktui.core.needleplan import NeedlePlan
from tests.engine.test_worker import Client


def test_a_needle_plan_runs_finds_and_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    client = Client(tmp_path, speed=500)
    client.config.write_text("needle: {lengths: [3000, 500000], depths: [0.25], seed: 3}\ndefaults: {max_tokens: 60}\n")
    client.ready()
    assert client.ask(Needle()).data == {"before": 0, "total": 2}
    client.wait(PlanProgress, lambda progress: progress.finished)
    assert client.wait(Plan).kind == "needle"
    first, second = [event.record for event in client.events if isinstance(event, RunDone)]
    assert first.needle is not None and second.needle is not None
    assert (first.status, first.needle["found"], first.needle["depth"], first.needle["seed"]) == ("ok", True, 0.25, 3)
    assert first.prompt_tokens == pytest.approx(3_000, rel=0.01)
    assert (second.status, second.needle["refused"]) == ("failed", "does not fit (500,060 > 393,216)")
    assert first.memory is not None and first.memory.total == 120_800_000_000, "the simulated machine's, not this one's"
    assert all(event.total == 120_800_000_000 for event in client.events if isinstance(event, MemoryNow))
    client.close()


def test_a_needle_search_is_cancelled_in_its_prefill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    client = Client(tmp_path, speed=1)
    client.ready()
    client.ask(Needle(plan=NeedlePlan(lengths=(20_000, 20_000), max_tokens=60)))
    client.wait(RunStarted)
    client.wait(Waiting)
    client.ask(CancelRun(everything=True))
    client.wait(PlanProgress, lambda progress: progress.finished)
    assert [event.status for event in client.events if isinstance(event, RunDone)] == ["cancelled"]
    client.close()
