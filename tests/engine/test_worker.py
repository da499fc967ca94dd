"""A worker serving one client, against the demo server run fast."""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from sparktui.core.commands import (
    AnyCommand,
    Bench,
    CancelRun,
    Configure,
    HistoryQuery,
    RetryServer,
    Run,
    RunEdit,
    RunGet,
    Shutdown,
    encode_command,
)
from sparktui.core.config import HistoryConfig
from sparktui.core.events import AnyEvent, Chunk, Hello, Joined, LogLine, PlanProgress, Reply, RunDone, Server
from sparktui.core.plans import BenchPlan, PromptSpec
from sparktui.core.records import RunParams, RunRecord
from sparktui.engine.hosting.session import Session
from sparktui.engine.hosting.worker import Worker
from sparktui.io.config.configfile import LoadedConfig, load_config

CODE = PromptSpec(name="code", text="Write a Python module.")
Wanted = TypeVar("Wanted", bound=AnyEvent)


class Client:
    """The other end of a worker that runs in this process."""

    def __init__(self, folder: Path, *, speed: float = 50) -> None:
        self.events: list[AnyEvent] = []
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._ids = 0
        session = Session("worker", HistoryConfig(), sinks=(self.events.append,))
        self.config = folder / "config.yml"
        self.config.write_text("bench: {prompts: [code], temps: [0], runs: 2, warmup: 1}\ndefaults: {max_tokens: 60}\n")
        worker = Worker(session, self.events.append, self._load, demo_speed=speed)
        self._session = session
        self.reason = ""
        self._thread = threading.Thread(target=self._serve, args=(worker,), daemon=True)
        self._thread.start()

    def _load(self) -> LoadedConfig:
        return load_config(self.config, {})

    def _serve(self, worker: Worker) -> None:
        self.reason = worker.serve(iter(self._lines.get, None))

    def raw(self, line: bytes) -> None:
        self._lines.put(line)

    def ask(self, command: AnyCommand) -> Reply:
        self._ids += 1
        fields = encode_command(command).decode()
        self.raw(fields.replace('"v":1', f'"v":1,"id":{self._ids}').encode())
        number = self._ids
        return self.wait(Reply, lambda reply: reply.id == number)

    def wait(self, kind: type[Wanted], fits: Callable[[Wanted], bool] = lambda _: True, count: int = 1) -> Wanted:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            found = [event for event in list(self.events) if isinstance(event, kind) and fits(event)]
            if len(found) >= count:
                return found[count - 1]
            time.sleep(0.005)
        raise AssertionError(f"no {kind.__name__} came; there are {[type(event).__name__ for event in self.events][-20:]}")

    def ready(self) -> None:
        assert self.ask(Configure(demo=True)).ok
        self.wait(Server, lambda server: server.state == "ready")

    def close(self) -> None:
        self._lines.put(None)
        self._thread.join(20)
        assert not self._thread.is_alive()
        self._session.close(self.reason)


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    made = Client(tmp_path)
    yield made
    made.close()


def test_hello_comes_first_and_a_run_streams_ends_and_is_joined_with_the_log(client: Client) -> None:
    client.ready()
    assert client.ask(Run(prompt=CODE, params=RunParams(temperature=0, max_tokens=120))).data == {"before": 0}
    joined = client.wait(Joined)
    assert isinstance(client.events[0], Hello)
    done = client.wait(RunDone)
    assert done.record.simulated and done.record.completion_tokens and done.record.acceptance_rate is None
    assert joined.record.acceptance_source == "log" and joined.record.draft_accepted
    assert [event.n for event in client.events if isinstance(event, Chunk)] == list(range(1, done.record.chunks + 1))
    lines = [record for event in client.events if isinstance(event, LogLine) for record in event.records]
    assert any(record.generation is not None for record in lines)


def test_history_is_answered_edited_and_read_in_full(client: Client) -> None:
    client.ready()
    client.ask(Run(prompt=CODE, params=RunParams(max_tokens=60), label="one"))
    run = client.wait(Joined).record
    page = client.ask(HistoryQuery(filter="label:one")).data
    assert page["total"] == 1 and page["runs"][0].id == run.id and page["runs"][0].text is None
    whole: RunRecord = client.ask(RunGet(run_ids=(run.id,), timeline=True, text=True)).data["runs"][0]
    assert whole.text and whole.timeline and len(whole.timeline) == run.chunks
    assert client.ask(RunEdit(run_ids=(run.id,), label="two")).data == {"changed": 1}
    assert client.ask(HistoryQuery(filter="label:two")).data["total"] == 1
    assert client.ask(RunEdit(run_ids=(run.id,), delete=True)).data == {"changed": 1}
    missing = client.ask(RunGet(run_ids=(run.id,)))
    assert not missing.ok and missing.error is not None and "No run id begins" in missing.error["title"]


def test_the_configured_bench_runs_with_progress(client: Client) -> None:
    client.ready()
    assert client.ask(Bench()).data["total"] == 3
    client.wait(PlanProgress, lambda progress: progress.finished)
    records = [event.record for event in client.events if isinstance(event, RunDone)]
    assert [(record.warmup, record.run_no) for record in records] == [(True, 0), (False, 1), (False, 2)]
    assert {record.params.max_tokens for record in records} == {60}


def test_cancel_keeps_what_arrived_and_everything_ends_the_bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    slow = Client(tmp_path, speed=2)
    slow.ready()
    slow.ask(Bench(plan=BenchPlan(prompts=(CODE,), temps=(0,), runs=5, warmup=0)))
    slow.wait(Chunk, count=3)
    slow.ask(CancelRun())
    first = slow.wait(RunDone)
    assert first.status == "cancelled" and first.record.text and first.record.chunks >= 3
    slow.wait(Chunk, lambda chunk: chunk.run_id != first.run_id)
    slow.ask(CancelRun(everything=True))
    slow.wait(PlanProgress, lambda progress: progress.finished)
    assert [event.status for event in slow.events if isinstance(event, RunDone)] == ["cancelled", "cancelled"]
    slow.close()


def test_what_cannot_be_done_is_an_answer_not_an_end(client: Client) -> None:
    early = client.ask(Run(prompt=CODE, params=RunParams()))
    assert not early.ok and early.error is not None and "no server" in early.error["title"]
    client.raw(b'{"v":1,"type":"fly","id":77}')
    assert not client.wait(Reply, lambda reply: reply.id == 77).ok
    client.raw(b"\xff\xfe rubbish")
    client.raw(b"[]")
    client.config.write_text("server:\n  base_ulr: x\n")
    broken = client.ask(Configure(demo=True))
    assert not broken.ok and broken.error is not None and "config.yml:2" in broken.error["title"]
    client.config.write_text("")
    client.ready()


def test_a_server_cannot_be_swapped_under_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    slow = Client(tmp_path, speed=1)
    slow.ready()
    slow.ask(Run(prompt=CODE, params=RunParams(max_tokens=200)))
    slow.wait(Chunk)
    refused = slow.ask(RetryServer(demo=True))
    assert not refused.ok and refused.error is not None and "in flight" in refused.error["title"]
    slow.raw(encode_command(Shutdown()))
    slow.close()
    assert slow.reason == "shutdown"
    done = [event for event in slow.events if isinstance(event, RunDone)]
    assert [event.status for event in done] == ["cancelled"] and done[0].record.text


def test_a_killed_session_is_recovered_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUI_DATA_DIR", str(tmp_path / "data"))
    first = Client(tmp_path)
    first.ready()
    first.ask(Run(prompt=CODE, params=RunParams(max_tokens=60)))
    first.wait(Joined)
    first.close()
    journal = next((tmp_path / "data" / "journals").glob("*.jsonl"))
    lines = journal.read_bytes().splitlines(keepends=True)
    cut = next(at for at, line in enumerate(lines) if b'"type":"run_done"' in line)
    (journal.parent / "0000000-killed.jsonl").write_bytes(b"".join(lines[:cut]).replace(b'"run_id":"', b'"run_id":"k'))
    second = Client(tmp_path)
    found = second.wait(RunDone)
    assert found.status == "cut_off" and found.run_id.startswith("k") and found.record.text
    second.close()
