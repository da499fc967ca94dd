"""Sweeps against the simulated server: the server changed, told, and put back whatever happens; going on where one stopped."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from sparktui.core.config import Config, RestoreConfig, ServerConfig, VariantConfig
from sparktui.core.events import AnyEvent, Plan, PlanProgress, Server
from sparktui.core.plans import PromptSpec
from sparktui.core.sweepplan import SweepPlan
from sparktui.demo.process import DemoProcess
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.server.target import Target, open_target
from sparktui.engine.sweeping.modelload import ModelLoader
from sparktui.engine.sweeping.sweep import Sweep, finished_rounds
from sparktui.engine.sweeping.variants import ServerSwitch, restore
from sparktui.errors import RunFailedError, UsageError

PROMPT = PromptSpec(name="code", text="Write a Python module.")
KEYS = {"api_key": "user-key", "admin_key": "admin-key"}


@pytest.fixture(scope="module")
def demo() -> Iterator[DemoProcess]:
    with DemoProcess.start(speed=400, **KEYS) as process:
        yield process


@pytest.fixture
def target(demo: DemoProcess) -> Iterator[Target]:
    with open_target(Config(server=settings(demo))) as found:
        yield found


def settings(demo: DemoProcess, **more: object) -> ServerConfig:
    return ServerConfig(base_url=demo.base_url, **{**KEYS, **more})  # type: ignore[arg-type]


def plan(*variants: VariantConfig, **fields: object) -> SweepPlan:
    return SweepPlan(**{"prompt": PROMPT, "variants": variants, "runs": 1, "warmup": 0, "max_tokens": 40, **fields})  # type: ignore[arg-type]


OPEN: list[ServerSwitch] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()


class Made:
    """One sweep with what it said and emitted."""

    def __init__(self, target: Target, wanted: SweepPlan, server: ServerConfig, cancel: Cancel | None = None, **more: object) -> None:
        self.said: list[str] = []
        self.events: list[AnyEvent] = []
        self.changes: list[bool] = []
        self.cancel = cancel or Cancel()
        emitter = Emitter([self.events.append])
        pause = more.pop("pause", None)
        self.switch = ServerSwitch(target, server, wanted, emitter, pause=pause, say=self.said.append)  # type: ignore[arg-type]
        OPEN.append(self.switch)
        self.switch.prepare()
        self.sweep = Sweep(
            target, wanted, emitter, self.cancel, self.switch, server=server, on_change=self.changes.append, waits_s=(), **more  # type: ignore[arg-type]
        )  # fmt: skip


SHIPPED = VariantConfig(name="shipped")
CHUNK = VariantConfig(name="chunk 4096", load={"chunk_size": 4096, "cache_mode": "8,8"})
NO_DRAFT = VariantConfig(name="no draft", load={"draft_model": {"draft_mode": "disabled"}})


def loaded(target: Target, server: ServerConfig) -> dict[str, object]:
    switch = ServerSwitch(target, server, plan(CHUNK), Emitter([]), pause=None, say=lambda _: None)
    switch.prepare()
    switch.close()
    return switch.original


def test_variants_are_loaded_checked_and_the_server_is_put_back(demo: DemoProcess, target: Target) -> None:
    before = loaded(target, settings(demo))
    made = Made(target, plan(SHIPPED, CHUNK, NO_DRAFT, runs=2), settings(demo))
    records = made.sweep.run()
    assert [(r.label, r.run_no) for r in records] == [
        ("shipped", 1), ("chunk 4096", 1), ("no draft", 1), ("no draft", 2), ("chunk 4096", 2), ("shipped", 2),
    ]  # fmt: skip
    assert {r.status for r in records} == {"ok"}
    assert [r.server.draft for r in records] == ["MTP", "MTP", "none", "none", "MTP", "MTP"]
    assert {s.name: s.became for s in made.switch.settings["chunk 4096"]} == {"chunk_size": "confirmed", "cache_mode": "ignored"}
    assert loaded(target, settings(demo)) == before
    assert (made.sweep.restored, made.sweep.complete, made.changes[-1], made.changes[0]) == (True, True, False, True)
    assert "cache_mode 8,8: ignored (the server says FP16)" in "\n".join(made.said)
    assert any(isinstance(event, Server) and event.state == "loading" for event in made.events)
    (announced,) = [event for event in made.events if isinstance(event, Plan)]
    assert (announced.kind, announced.total) == ("sweep", 6)
    assert [event for event in made.events if isinstance(event, PlanProgress)][-1].done == 6


def test_an_interrupted_sweep_puts_the_server_back_and_goes_on(demo: DemoProcess, target: Target) -> None:
    before = loaded(target, settings(demo))
    cancel = Cancel()
    wanted = plan(SHIPPED, CHUNK, runs=2)
    first = Made(target, wanted, settings(demo), cancel)

    def stop_in_a_load(event: AnyEvent) -> None:
        if isinstance(event, Server) and ": loading" in event.cause:
            cancel.set()

    first.sweep._emitter.add(stop_in_a_load)
    done = first.sweep.run()
    assert [record.label for record in done] == ["shipped"]
    assert not first.sweep.complete
    assert loaded(target, settings(demo)) == before
    second = Made(target, wanted, settings(demo), bench_id=first.sweep.id, earlier=done)
    records = second.sweep.run()
    assert [(r.label, r.run_no) for r in records] == [("shipped", 1), ("chunk 4096", 1), ("chunk 4096", 2), ("shipped", 2)]
    assert {r.bench_id for r in records} == {first.sweep.id}
    assert second.sweep.complete


def test_a_variant_that_cannot_be_loaded_is_passed_over(demo: DemoProcess, target: Target) -> None:
    before = loaded(target, settings(demo))
    missing = VariantConfig(name="other model", load={"model_name": "not there"})
    made = Made(target, plan(SHIPPED, missing, CHUNK), settings(demo))
    records = made.sweep.run()
    assert [record.label for record in records] == ["shipped", "chunk 4096"]
    assert list(made.sweep.failed) == ["other model"]
    assert "Could not find the model path" in made.sweep.failed["other model"]
    assert (made.sweep.complete, made.sweep.restored) == (True, True)
    assert loaded(target, settings(demo)) == before


def test_a_server_that_cannot_be_put_back_is_said_with_what_to_do(
    demo: DemoProcess, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Made(target, plan(CHUNK), settings(demo))
    original = made.switch.original
    monkeypatch.setattr("sparktui.engine.sweeping.variants._BACK_WAITS_S", (0.0, 0.0))
    real = ModelLoader.load

    def load(self: ModelLoader, body: dict[str, object], cancel: Cancel) -> None:
        if body == original:
            raise RunFailedError("out of memory")
        real(self, body, cancel)

    with monkeypatch.context() as patched:
        patched.setattr(ModelLoader, "load", load)
        made.sweep.run()
    assert not made.sweep.restored
    text = "\n".join(made.said)
    assert "could NOT be put back: out of memory" in text
    assert "sparktui sweep --restore" in text
    assert '"draft_mode": "mtp"' in text
    assert "admin-key" not in text
    said: list[str] = []
    assert restore(target, settings(demo), original, Emitter([]), said.append)
    assert said[-1] == "The server is back in its own configuration."
    assert loaded(target, settings(demo)) == original


def test_a_draft_that_the_server_does_not_tell_must_be_named(demo: DemoProcess, target: Target) -> None:
    target.info = msgspec.structs.replace(target.info, draft=None)
    with pytest.raises(UsageError, match="does not tell whether it drafts"):
        Made(target, plan(CHUNK), settings(demo))
    named = Made(target, plan(CHUNK, restore=RestoreConfig(load={"draft_model": {"draft_mode": "mtp"}})), settings(demo))
    assert named.switch.original["draft_model"] == {"draft_mode": "mtp"}
    bare = Made(target, plan(CHUNK, restore=RestoreConfig(load={})), settings(demo))
    assert "draft_model" not in bare.switch.original


def test_loads_need_the_admin_key_and_a_server_that_loads(demo: DemoProcess, target: Target) -> None:
    with pytest.raises(UsageError, match="admin key"):
        Made(target, plan(CHUNK), settings(demo, admin_key=None))
    for wrong in ("wrong", KEYS["api_key"]):
        with pytest.raises(UsageError, match="not this server's admin key"):
            Made(target, plan(CHUNK), settings(demo, admin_key=wrong))
    target.info = msgspec.structs.replace(target.info, kind="llamacpp")
    with pytest.raises(UsageError, match="this server is llamacpp"):
        Made(target, plan(CHUNK), settings(demo))


def test_parameters_and_requests_at_once(demo: DemoProcess, target: Target) -> None:
    four = VariantConfig(name="two", params={"parallel": 2, "max_tokens": 20})
    made = Made(target, plan(SHIPPED, four, warmup=1, context_tokens=500), settings(demo))
    records = made.sweep.run()
    assert [(r.label, r.run_no, r.warmup) for r in records] == [
        ("shipped", 0, True), ("shipped", 1, False), ("two", 0, True), ("two", 0, True), ("two", 1, False), ("two", 1, False),
    ]  # fmt: skip
    assert all(abs((r.prompt_tokens or 0) - 500) < 60 for r in records)
    assert {r.cached_tokens or 0 for r in records} == {0}
    assert len({r.prompt.sha256 for r in records}) == 1
    assert records[-1].params.max_tokens == 20
    assert made.changes == [False]
    assert finished_rounds(made.sweep._plan, records) == {("shipped", 1), ("two", 1)}
    assert finished_rounds(made.sweep._plan, records[:-1]) == {("shipped", 1)}


def test_commands_and_manual_variants(demo: DemoProcess, target: Target, tmp_path: Path) -> None:
    log = tmp_path / "ran"
    code = f"import sys; open({str(log)!r}, 'a').write(sys.argv[1] + ' ')"
    command = VariantConfig(name="a", command=(sys.executable, "-c", code, "a"), health_wait_s=20)
    broken = VariantConfig(name="b", command=(sys.executable, "-c", "import sys; sys.exit('no such build')"), health_wait_s=20)
    by_hand = VariantConfig(name="c", manual="start the other build", health_wait_s=20)
    asked: list[str] = []

    def pause(text: str, cancel: Cancel) -> bool:
        asked.append(text)
        return True

    back = RestoreConfig(command=(sys.executable, "-c", code, "back"))
    made = Made(target, plan(command, broken, by_hand, restore=back), settings(demo), pause=pause)
    assert [record.label for record in made.sweep.run()] == ["a", "c"]
    assert "no such build" in made.sweep.failed["b"]
    assert asked == ["c: start the other build"]
    assert log.read_text() == "a back "
    assert made.sweep.restored
    left = Made(target, plan(by_hand), settings(demo), pause=pause)
    left.sweep.run()
    assert not left.sweep.restored
    assert "The server is left as variant 'c' has it: switch it back by hand." in left.said
    with pytest.raises(UsageError, match="by hand"):
        Made(target, plan(by_hand), settings(demo))
