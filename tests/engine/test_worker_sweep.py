"""Sweeps through the worker: the configured variants, and waiting for `continue` where a variant is switched by hand."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sparktui.core.commands import CancelRun, Continue, Sweep
from sparktui.core.events import ErrorEvent, Plan, PlanProgress, RunDone, Server
from tests.engine.test_worker import Client


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    made = Client(tmp_path)
    yield made
    made.close()


def with_variants(client: Client, variants: str, runs: int = 1) -> None:
    text = f"sweep: {{prompt: code, runs: {runs}, warmup: 0, max_tokens: 60, variants: [{variants}]}}\n"
    client.config.write_text(text, encoding="utf-8")
    client.ready()


def records(client: Client) -> list[str]:
    return [event.record.label for event in client.events if isinstance(event, RunDone)]


def test_the_configured_variants_are_measured_and_the_server_put_back(client: Client) -> None:
    with_variants(client, "{name: shipped}, {name: chunk 4096, load: {chunk_size: 4096}}")
    assert client.ask(Sweep()).data == {"before": 0, "total": 2}
    client.wait(PlanProgress, lambda progress: progress.finished)
    assert client.wait(Plan).kind == "sweep"
    assert records(client) == ["shipped", "chunk 4096"]
    client.wait(ErrorEvent, lambda told: told.title == "The server is back in its own configuration." and told.exit_code == 0)
    assert not client.ask(Sweep(variants=("other",))).ok


def test_by_hand_it_waits_for_continue(client: Client) -> None:
    with_variants(client, "{name: a, manual: start build a}, {name: b, manual: start build b}")
    assert client.ask(Sweep()).ok
    for name in ("a", "b"):
        client.wait(Server, lambda state, name=name: state.cause == f"by hand: {name}: start build {name}; then continue")
        assert client.ask(Continue()).ok
    client.wait(PlanProgress, lambda progress: progress.finished)
    assert records(client) == ["a", "b"]
    client.wait(ErrorEvent, lambda told: "The server is left as variant 'b' has it" in told.title)


def test_what_there_is_to_go_on_with_is_told_without_beginning_anything(client: Client) -> None:
    with_variants(client, "{name: shipped}, {name: chunk 4096, load: {chunk_size: 4096}}", runs=6)
    assert client.ask(Sweep(look=True)).data == {"total": 12, "interrupted": None, "notes": []}
    assert client.ask(Sweep()).ok
    client.wait(RunDone)
    client.ask(CancelRun(everything=True))
    client.wait(PlanProgress, lambda progress: progress.finished)
    found = client.ask(Sweep(look=True)).data
    assert 1 <= found["interrupted"]["done"] < found["total"] == 12
    assert client.ask(Sweep(resume=True)).ok
    ended = client.wait(PlanProgress, lambda progress: progress.finished, count=2)
    assert ended.done >= 12 and ended.outcome is not None
    assert ended.outcome["restored"] is True and ended.outcome["failed"] == {}
    assert [setting["became"] for setting in ended.outcome["settings"]["chunk 4096"]] == ["confirmed"]
    assert ended.outcome["memory"]["chunk 4096"]["where"] == "system"
    client.wait(Server, lambda state: state.cause.startswith("chunk 4096: loading"))
    # its file is closed after the last word about it
    deadline = time.monotonic() + 5
    while (found := client.ask(Sweep(look=True)).data)["interrupted"] and time.monotonic() < deadline:
        time.sleep(0.01)
    assert found["interrupted"] is None


def test_a_screen_that_leaves_in_the_middle_of_a_load_leaves_the_server_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    client = Client(tmp_path, speed=8)
    with_variants(client, "{name: chunk 4096, load: {chunk_size: 4096}}")
    assert client.ask(Sweep()).ok
    client.wait(Server, lambda state: state.cause.startswith("chunk 4096: loading"))
    client.close()
    client.wait(Server, lambda state: state.cause.startswith("putting the server back: loading"))
    told = [event.title for event in client.events if isinstance(event, ErrorEvent)]
    assert told[-1] == "The server is back in its own configuration."
    assert records(client) == []
