"""Sweeps through the worker: the configured variants, and waiting for `continue` where a variant is switched by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparktui.core.commands import Continue, Sweep
from sparktui.core.events import ErrorEvent, Plan, PlanProgress, RunDone, Server
from tests.engine.test_worker import Client


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    made = Client(tmp_path)
    yield made
    made.close()


def with_variants(client: Client, variants: str) -> None:
    client.config.write_text(f"sweep: {{prompt: code, runs: 1, warmup: 0, max_tokens: 60, variants: [{variants}]}}\n", encoding="utf-8")
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
