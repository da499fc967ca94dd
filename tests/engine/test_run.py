"""A run's edges: refusals, retries, silence, faults of our own, what is kept and what is not."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable

import msgspec
import pytest

from sparktui.core.events import Chunk, Headers, MemoryNow, Retry, RunDone, RunStarted, Usage
from sparktui.core.plans import PromptSpec, RunSpec
from sparktui.core.records import RunParams
from sparktui.engine.running.cancel import Cancel
from tests.engine.support_runs import SPEC, measure, target_of
from tests.support_server import Hangup, Peer, Received, ScriptedServer, serving


def event(text: str | None = None, **fields: object) -> bytes:
    choices = [{"index": 0, "delta": {"content": text}, "finish_reason": None}] if text is not None else []
    return b"data: " + json.dumps({"id": "c1", "object": "chat.completion.chunk", "choices": choices, **fields}).encode() + b"\n\n"


FINISH = event(choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}])
DONE = b"data: [DONE]\n\n"


def stream(*writes: bytes | float) -> Callable[[Received, Peer], None]:
    """A script that sends each write as a chunk, and pauses for each number of seconds."""

    def script(_: Received, peer: Peer) -> None:
        peer.head()
        for write in writes:
            if isinstance(write, bytes):
                peer.chunk(write)
            else:
                peer.pause(write)
        peer.end()

    return script


GOOD = stream(event("one "), 0.01, event("two"), FINISH, event(usage={"prompt_tokens": 5, "completion_tokens": 4, "total_tokens": 9}), DONE)


def test_the_events_of_a_run_in_order() -> None:
    with serving(GOOD) as server, target_of(server.url) as target:
        ran = measure(target, run_id="run-1")
    assert [type(one) for one in ran.events] == [RunStarted, Headers, Chunk, Chunk, Usage, RunDone]
    started, head, first, second, usage, done = ran.events
    assert {one.run_id for one in ran.events} == {"run-1"}
    assert started.t_send_ns < head.t_ns <= first.t_ns < second.t_ns
    assert started.server == target.info
    assert (first.n, second.n) == (1, 2)
    assert usage.figures.completion_tokens == 4
    assert done.record == ran.record
    assert (done.status, done.finish_reason, done.error) == ("ok", "stop", None)
    assert ran.record.ttft_s == pytest.approx((first.t_ns - started.t_send_ns) / 1e9)
    assert ran.record.connect_s > 0, "the first run had to connect"


def test_the_second_run_finds_its_connection_ready() -> None:
    with serving(GOOD) as server, target_of(server.url) as target:
        measure(target)
        assert measure(target).record.connect_s == 0
        assert server.connections == 1


def test_what_is_sent_is_what_was_asked_for() -> None:
    spec = RunSpec(
        prompt=PromptSpec(name="p", text="Größe?", params={"seed": 7}), params=RunParams(temperature=None, max_tokens=9, extra={"top_k": 1})
    )
    with serving(GOOD) as server, target_of(server.url) as target:
        measure(target, spec)
        body = json.loads(server.requests[0].body)
    assert body["messages"] == [{"role": "user", "content": "Größe?"}]
    assert (body["model"], body["max_tokens"], body["seed"], body["top_k"], body["stream"]) == ("fake-model", 9, 7, 1, True)
    assert body["stream_options"]["include_usage"] is True
    assert "temperature" not in body


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_refuses_usage_is_asked_once_more_without_it(status: int) -> None:
    def script(request: Received, peer: Peer) -> None:
        if b"include_usage" in request.body:
            peer.answer(status, b'{"error":{"message":"Unrecognized request argument supplied: stream_options"}}')
        else:
            GOOD(request, peer)

    with serving(script) as server, target_of(server.url) as target:
        ran = measure(target)
        assert ran.record.status == "ok"
        assert [one.attempt for one in ran.of(RunStarted)] == [1, 2]
        assert len(ran.of(Retry)) == 1
        assert measure(target).record.retries == (), "it is remembered"
        assert len(server.requests) == 3


def test_another_400_is_not_retried() -> None:
    refusal = b'{"error":{"message":"temperature must be positive"}}'
    with serving(lambda _, peer: peer.answer(400, refusal)) as server, target_of(server.url) as target:
        ran = measure(target)
        assert ran.record.status == "failed"
        assert "temperature must be positive" in ran.record.error
        assert len(server.requests) == 1


def test_a_refused_key_names_the_header_and_never_the_key() -> None:
    with serving(lambda _, peer: peer.answer(401, b'{"detail":"Invalid API key"}')) as server:
        with target_of(server.url, api_key="sk-very-secret") as target:
            ran = measure(target)
        assert server.requests[0].headers["authorization"] == "Bearer sk-very-secret"
    assert "Authorization" in ran.record.error
    assert ran.errors[0].exit_code == 3
    assert "very-secret" not in repr(ran) + repr(target.client) + str(ran.errors[0])


def test_a_server_that_is_not_there_gives_a_failed_record() -> None:
    with ScriptedServer(lambda _, peer: None) as server:
        url = server.url
    with target_of(url) as target:
        ran = measure(target)
    assert ran.record.status == "failed"
    assert "refused" in ran.record.error
    assert [type(one) for one in ran.events] == [RunStarted, RunDone]
    assert ran.record.ttft_s is None
    assert ran.errors[0].exit_code == 3


def test_a_stale_connection_is_recorded_as_a_retry() -> None:
    def script(request: Received, peer: Peer) -> None:
        if len(server.requests) == 2:
            raise Hangup
        GOOD(request, peer)

    with serving(script) as server, target_of(server.url) as target:
        measure(target)
        ran = measure(target)
    assert ran.record.status == "ok"
    assert ran.record.retries == ("the server had dropped the connection",)
    assert ran.of(RunStarted)[-1].attempt == 2


def test_cancelled_while_text_comes_keeps_what_came() -> None:
    cancel = Cancel()
    with serving(stream(event("kept"), 3.0)) as server, target_of(server.url) as target:
        threading.Timer(0.15, cancel.set).start()
        begin = time.perf_counter()
        ran = measure(target, cancel=cancel)
    assert time.perf_counter() - begin < 1
    assert (ran.record.status, ran.record.text, ran.record.error) == ("cancelled", "kept", None)
    assert ran.errors == []


def test_cancelled_before_it_began_and_while_it_waits() -> None:
    cancel = Cancel()
    cancel.set()
    with serving(lambda _, peer: peer.answer(429, b"", {"retry-after": "30"})) as server, target_of(server.url) as target:
        assert measure(target, cancel=cancel).record.status == "cancelled"
        assert server.requests == []
        waiting = Cancel()
        threading.Timer(0.15, waiting.set).start()
        begin = time.perf_counter()
        assert measure(target, cancel=waiting).record.status == "cancelled"
        assert time.perf_counter() - begin < 1


def test_silence_after_the_first_text_is_limited_when_asked() -> None:
    script = stream(0.2, event("a"), event("b"), 3.0)
    with serving(script) as server, target_of(server.url, idle_timeout_s=0.1) as target:
        ran = measure(target)
    assert ran.record.status == "failed"
    assert "Nothing more came after about" in ran.record.error
    assert ran.record.text == "ab"


def test_a_reset_after_the_finish_is_no_loss() -> None:
    def script(_: Received, peer: Peer) -> None:
        peer.head()
        peer.chunk(event("whole") + FINISH)
        peer.pause(0.02)
        peer.reset()

    with serving(script) as server, target_of(server.url) as target:
        record = measure(target).record
    assert record.status == "ok"
    assert any("after the answer was complete" in warning for warning in record.warnings)


def test_an_answer_without_any_text_is_a_failure_and_an_empty_one_with_a_finish_is_not() -> None:
    for script, status in ((stream(DONE), "failed"), (stream(), "failed"), (stream(FINISH, DONE), "ok")):
        with serving(script) as server, target_of(server.url) as target:
            assert measure(target).record.status == status


@pytest.mark.parametrize("reason", ["abort", "error"])
def test_a_finish_that_is_a_failure(reason: str) -> None:
    script = stream(event("x"), event(choices=[{"index": 0, "delta": {}, "finish_reason": reason}]), DONE)
    with serving(script) as server, target_of(server.url) as target:
        record = measure(target).record
    assert record.status == "failed"
    assert reason in record.error
    assert record.finish_reason == reason


def test_events_under_the_wrong_content_type_are_still_a_stream() -> None:
    def script(_: Received, peer: Peer) -> None:
        peer.head(200, {"content-type": "application/json"})
        for write in (event("a"), event("b"), FINISH, DONE):
            peer.chunk(write)
            peer.pause(0.01)
        peer.end()

    with serving(script) as server, target_of(server.url) as target:
        record = measure(target).record
    assert (record.status, record.text, record.flags) == ("ok", "ab", ())
    assert record.decode_s > 0.005


def test_running_counts_give_exact_chunks_and_few_usage_events() -> None:
    writes = [event(f"w{n} ", usage={"prompt_tokens": 3, "completion_tokens": 2 * n, "total_tokens": 3 + 2 * n}) for n in range(1, 41)]
    with serving(stream(*writes, FINISH, DONE)) as server, target_of(server.url) as target:
        ran = measure(target)
    assert [one.tokens_total for one in ran.of(Chunk)] == list(range(2, 82, 2))
    assert ran.record.completion_tokens == 80
    assert ran.record.first_chunk_tokens == 2
    assert len(ran.of(Usage)) <= 2


def test_text_of_a_gateway_is_told_and_not_timed() -> None:
    loading = b'data: {"choices":[{"delta":{"reasoning_content":"loading the model"}}]}\n\n'
    with serving(stream(loading, 0.1, event("real"), FINISH, DONE)) as server, target_of(server.url) as target:
        ran = measure(target)
    first, second = ran.of(Chunk)
    assert (first.invented, second.invented, second.n) == (True, False, 1)
    assert ran.record.ttft_s >= 0.1
    assert ran.record.reasoning is None


def test_keep_text_false_keeps_no_text() -> None:
    with serving(GOOD) as server, target_of(server.url) as target:
        record = measure(target, keep_text=False).record
    assert (record.text, record.prompt.text) == (None, None)
    assert record.prompt.sha256
    assert record.completion_tokens == 4


def test_a_haystack_is_not_kept_with_every_event() -> None:
    spec = msgspec.structs.replace(SPEC, prompt=PromptSpec(name="needle", text="hay " * 100), needle={"depth": 0.5})
    with serving(GOOD) as server, target_of(server.url) as target:
        ran = measure(target, spec)
    assert ran.record.prompt.text is None
    assert ran.of(RunStarted)[0].prompt.text is None
    assert ran.record.needle == {"depth": 0.5}


def test_memory_is_in_the_record() -> None:
    with serving(GOOD) as server, target_of(server.url) as target:
        ran = measure(target, memory=lambda: MemoryNow(total=100, used=60, available=40))
    assert ran.record.memory.used_peak == 60
    assert len(ran.of(MemoryNow)) in (2, 3), "before, at the first text where the run lasts that long, after"


def test_what_one_run_measured_helps_the_next_one_to_estimate() -> None:
    text = "The harbour lay quiet under the snow, and nobody spoke of the ships. " * 4

    def script(request: Received, peer: Peer) -> None:
        counted = len(server.requests) == 1
        usage = [event(usage={"prompt_tokens": 5, "completion_tokens": 100, "total_tokens": 105})] if counted else []
        stream(event(text[:100]), 0.01, event(text[100:]), FINISH, *usage, DONE)(request, peer)

    with serving(script) as server, target_of(server.url) as target:
        assert measure(target).record.completion_tokens == 100
        second = measure(target).record
    assert second.tokens_estimated
    assert second.completion_tokens == pytest.approx(100, abs=3)


@pytest.mark.parametrize(
    "spec",
    [
        msgspec.structs.replace(SPEC, params=RunParams(extra={"x": object()})),
        msgspec.structs.replace(SPEC, prompt=PromptSpec(name="p", text="half a pair: \ud83d")),
    ],
)
def test_a_prompt_that_json_cannot_carry_fails_clearly(spec: RunSpec) -> None:
    with serving(GOOD) as server, target_of(server.url) as target:
        ran = measure(target, spec)
        assert ran.record.status == "failed"
        assert "JSON" in ran.record.error
        assert isinstance(ran.events[-1], RunDone)
        assert server.requests == []


def test_a_fault_of_our_own_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("with a secret in it")

    with serving(GOOD) as server, target_of(server.url) as target:
        monkeypatch.setattr("sparktui.core.figures.metrics.record_of", broken)
        ran = measure(target)
        assert ran.record.status == "failed"
        assert ran.record.text == "one two"
        assert "ZeroDivisionError at" in ran.record.error
        assert "secret" not in ran.record.error
        assert isinstance(ran.events[-1], RunDone)
        monkeypatch.undo()
        monkeypatch.setattr("sparktui.engine.running.answer.AnswerReader.read", broken)
        assert "fault in sparktui" in measure(target).record.error
