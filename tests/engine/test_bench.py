"""A bench: order, progress, early ends, and that nothing finished is ever lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from sparktui.core.events import AnyEvent, ErrorEvent, Joined, Plan, PlanProgress, Server
from sparktui.core.plans import BenchPlan, PromptSpec, RunSpec
from sparktui.core.records import RunRecord, ServerInfo
from sparktui.engine.plans.bench import Bench, for_parallel, run_bench
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.server.target import Target
from sparktui.errors import RunFailedError, UnreachableError
from sparktui.io.http.client import Client
from sparktui.servers.base import Recognition
from sparktui.servers.registry import adapter_for
from sparktui.servers.url import BaseUrl

STORY = PromptSpec(name="story", text="Tell.")
CODE = PromptSpec(name="code", text="Write.")
PLAN = BenchPlan(prompts=(STORY, CODE), temps=(1.0, 0), runs=2, warmup=1, label="shipped")


@pytest.fixture
def target() -> Iterator[Target]:
    client = Client(BaseUrl.parse("http://127.0.0.1:9"), environ={})
    info = ServerInfo(kind="openai", base_url="http://127.0.0.1:9")
    with Target(client, adapter_for("openai"), info, seen=Recognition(kind="openai")) as made:
        yield made


class Fake:
    """Stands in for run_once. `outcome(n)` gives the status of the n-th run, from 1."""

    def __init__(self, outcome: Callable[[int], str] = lambda n: "ok", chunks: int = 5) -> None:
        self.specs: list[RunSpec] = []
        self.targets: list[Target] = []
        self._outcome = outcome
        self._chunks = chunks
        self._lock = threading.Lock()

    def __call__(self, target: Target, spec: RunSpec, emitter: Emitter, cancel: Cancel) -> RunRecord:
        with self._lock:
            self.specs.append(spec)
            self.targets.append(target)
            n = len(self.specs)
        status: Any = self._outcome(n)
        return RunRecord(
            id=f"run-{n}", started_at="", label=spec.label, status=status, server=target.info, prompt=spec.prompt.info(),
            params=spec.params, bench_id=spec.bench_id, run_no=spec.run_no, warmup=spec.warmup,
            chunks=0 if status == "failed" else self._chunks, error="It broke." if status == "failed" else None,
        )  # fmt: skip


def made(target: Target, fake: Fake, plan: BenchPlan = PLAN, cancel: Cancel | None = None, **options: Any) -> tuple[Bench, list[AnyEvent]]:
    events: list[AnyEvent] = []
    return Bench(target, plan, Emitter([events.append]), cancel or Cancel(), measure=fake, waits_s=(), **options), events


def reachable(monkeypatch: pytest.MonkeyPatch, answers: list[bool]) -> None:
    """The server can be connected to, or not, as asked one after the other; the last answer stays."""

    def warm(self: Client, stop: object = None) -> float:
        if not (answers.pop(0) if len(answers) > 1 else answers[0]):
            raise UnreachableError("Nothing listens.", hint="Start it.")
        return 0.0

    monkeypatch.setattr(Client, "warm", warm)


def test_cell_by_cell_warmups_first(target: Target) -> None:
    fake = Fake()
    bench, events = made(target, fake)
    records = bench.run()
    assert [(s.prompt.name, s.params.temperature, s.run_no, s.warmup) for s in fake.specs[:4]] == [
        ("story", 1.0, 0, True), ("story", 1.0, 1, False), ("story", 1.0, 2, False), ("story", 0, 0, True),
    ]  # fmt: skip
    assert len(records) == 12
    assert {record.bench_id for record in records} == {bench.id}
    assert bench.stopped is None
    plan = next(event for event in events if isinstance(event, Plan))
    assert plan.total == 12
    assert plan.cells[0] == {"prompt": "story", "temperature": 1.0, "runs": 2}


def test_progress_counts_up_and_ends_finished(target: Target) -> None:
    bench, events = made(target, Fake())
    bench.run()
    progress = [event for event in events if isinstance(event, PlanProgress)]
    assert [event.done for event in progress] == [*range(13), 12]
    assert progress[0].eta_s is None
    assert progress[1].eta_s is not None
    assert [event.finished for event in progress[-2:]] == [False, True]


def test_cancel_ends_the_bench_and_keeps_what_was_made(target: Target) -> None:
    cancel = Cancel()

    def outcome(n: int) -> str:
        if n == 3:
            cancel.set()
            return "cancelled"
        return "ok"

    bench, events = made(target, Fake(outcome), cancel=cancel)
    records = bench.run()
    assert [record.status for record in records] == ["ok", "ok", "cancelled"]
    assert bench.stopped is None
    assert not any(isinstance(event, ErrorEvent) for event in events)


def test_cancelling_the_current_run_goes_on_with_the_next(target: Target) -> None:
    seen: list[bool] = []

    def measure(target: Target, spec: RunSpec, emitter: Emitter, cancel: Cancel) -> RunRecord:
        if not seen:
            bench.cancel_current()
        seen.append(cancel.is_set())
        return Fake(lambda n: "cancelled" if cancel.is_set() else "ok")(target, spec, emitter, cancel)

    bench = Bench(target, PLAN, Emitter([]), Cancel(), measure=measure)
    bench.run()
    assert seen == [True, *[False] * 11]


def test_a_server_that_went_away_is_waited_for(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    reachable(monkeypatch, [False, False, True])
    events: list[AnyEvent] = []
    fake = Fake(lambda n: "failed" if n == 2 else "ok")
    bench = Bench(target, PLAN, Emitter([events.append]), Cancel(), measure=fake, waits_s=(0.0, 0.0, 0.0))
    assert len(bench.run()) == 12
    assert bench.stopped is None
    gone = [event for event in events if isinstance(event, Server)]
    assert [event.state for event in gone] == ["unreachable", "unreachable"]
    assert gone[0].cause == "Nothing listens."


def test_a_server_that_stays_away_ends_the_bench(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    reachable(monkeypatch, [False])
    bench, events = made(target, Fake(lambda n: "cut_off" if n == 3 else "ok"))
    assert [record.status for record in bench.run()] == ["ok", "ok", "cut_off"]
    assert isinstance(bench.stopped, UnreachableError)
    assert [(event.title, event.exit_code) for event in events if isinstance(event, ErrorEvent)] == [("Nothing listens.", 3)]


def test_two_failures_without_text_in_a_row_end_the_bench(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    reachable(monkeypatch, [True])
    bench, _ = made(target, Fake(lambda n: "failed" if n in {1, 3, 4} else "ok"))
    assert len(bench.run()) == 4
    assert isinstance(bench.stopped, RunFailedError)
    assert bench.stopped.detail == "It broke."


def test_cut_off_answers_do_not_end_it(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    reachable(monkeypatch, [True])
    bench, _ = made(target, Fake(lambda n: "cut_off"))
    assert len(bench.run()) == 12


def test_parallel_rounds_use_connections_of_their_own(target: Target) -> None:
    fake = Fake()
    plan = msgspec.structs.replace(PLAN, prompts=(STORY,), temps=(0,), parallel=3)
    bench, events = made(target, fake, plan)
    assert len(bench.run()) == 9
    assert [spec.run_no for spec in fake.specs] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert all(len({id(one) for one in fake.targets[i : i + 3]}) == 3 for i in (0, 3, 6))
    assert len({id(one.client) for one in fake.targets}) == 3
    assert next(event for event in events if isinstance(event, Plan)).total == 9


def test_parallel_runs_have_a_label_of_their_own() -> None:
    assert for_parallel(PLAN).label == "shipped"
    assert for_parallel(msgspec.structs.replace(PLAN, parallel=4)).label == "shipped ×4"


def test_what_the_log_adds_is_in_the_records(target: Target) -> None:
    fake = Fake()

    def measure(target: Target, spec: RunSpec, emitter: Emitter, cancel: Cancel) -> RunRecord:
        record = fake(target, spec, emitter, cancel)
        emitter.emit(Joined(run_id=record.id, source="log", record=msgspec.structs.replace(record, draft_accepted=7)))
        return record

    records = run_bench(target, PLAN, Emitter([]), Cancel(), measure=measure)
    assert [record.draft_accepted for record in records] == [7] * 12


def test_a_fault_in_a_run_comes_out(target: Target) -> None:
    def measure(target: Target, spec: RunSpec, emitter: Emitter, cancel: Cancel) -> RunRecord:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_bench(target, msgspec.structs.replace(PLAN, parallel=2), Emitter([]), Cancel(), measure=measure)
