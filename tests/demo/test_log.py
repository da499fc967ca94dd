"""The demo server's log, read with an expression of this test's own and with the product's grammar."""

from __future__ import annotations

import concurrent.futures
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sparktui.demo.log import ServerLog, metrics_line
from sparktui.demo.process import DemoProcess
from sparktui.demo.usage import Figures
from sparktui.servers.grammar_tabbyapi import TabbyGrammar
from tests.demo.client import Answered, ask, chat, exchange, get, logged

RECORD = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \| (?:INFO    |WARNING |ERROR   ) \| ")
NUMBER = r"\d+(?:\.\d{1,2})?|Indeterminate"
METRICS = re.compile(
    rf"Metrics \(ID: (?P<id>[0-9a-f]{{32}})\): (?P<tokens>\d+) tokens generated in (?P<total>{NUMBER}) seconds "
    rf"\(Queue: (?P<queue>{NUMBER}) s, Process: (?P<cached>\d+) cached tokens and (?P<new>\d+) new tokens at (?P<prefill>{NUMBER}) T/s, "
    rf"Generate: (?P<rate>{NUMBER}) T/s, Context: (?P<context>\d+) tokens"
    r"(?:, Draft: (?P<accepted>\d+) / (?P<proposed>\d+) tokens accepted \((?P<percent>\d+\.\d\d)%\))?\) "
)


def records(demo: DemoProcess) -> list[str]:
    """Messages, by record."""
    lines = demo.log_path.read_text().splitlines()
    assert all(RECORD.match(line) or line == "" or not line[:2].isdigit() for line in lines)
    return [line.split("| ", 2)[2] for line in lines if RECORD.match(line)]


def test_the_records_of_a_stream_in_their_order(start: Callable[..., DemoProcess]) -> None:
    demo = start()
    answer = ask(demo)
    logged(demo, rf"Metrics \(ID: {answer.request_id}")
    said = records(demo)
    mine = [n for n, line in enumerate(said) if answer.request_id in line]
    assert re.fullmatch(r'127\.0\.0\.1:\d+ - "POST /v1/chat/completions HTTP/1\.1" 200', said[mine[0] - 1])
    assert [said[n].split(answer.request_id)[0] for n in mine] == [
        "Received chat completion streaming request ",
        "Finished chat completion streaming request ",
        "Metrics (ID: ",
    ]


def test_the_metrics_record_agrees_with_the_usage_event(start: Callable[..., DemoProcess]) -> None:
    demo = start(speed=100, newer_usage=True)
    answer = ask(demo, "Write a story. " * 30)
    found = METRICS.fullmatch(logged(demo, rf"Metrics \(ID: {answer.request_id}.*").group())
    assert found is not None
    usage, details = answer.usage, answer.usage["completion_tokens_details"]
    assert int(found["tokens"]) == usage["completion_tokens"]
    assert float(found["rate"]) == usage["completion_tokens_per_sec"]
    assert str(usage["prompt_tokens_per_sec"]) == found["prefill"]
    assert float(found["total"]) == usage["total_time"]
    assert int(found["context"]) == usage["prompt_tokens"] == int(found["cached"]) + int(found["new"])
    assert int(found["accepted"]) == details["accepted_prediction_tokens"]
    assert int(found["proposed"]) - int(found["accepted"]) == details["rejected_prediction_tokens"]
    assert float(found["percent"]) == pytest.approx(100 * int(found["accepted"]) / int(found["proposed"]), abs=0.005)
    steps = int(found["tokens"]) - int(found["accepted"])
    assert steps / len(answer.chunks) == pytest.approx(3, abs=0.15)


def test_the_product_reads_it(start: Callable[..., DemoProcess]) -> None:
    demo = start()
    answer = ask(demo)
    text = logged(demo, rf"Metrics \(ID: {answer.request_id}.*").group()
    found = TabbyGrammar().read(text, starts=True)
    assert found is not None
    assert found.generation is not None
    assert found.generation.request_id == answer.request_id
    assert found.generation.completion_tokens == 794
    assert found.generation.draft_accepted is not None


def test_metrics_come_after_the_last_byte(start: Callable[..., DemoProcess]) -> None:
    demo = start()
    answer = ask(demo, max_tokens=60)
    begun = time.perf_counter()
    logged(demo, rf"Metrics \(ID: {answer.request_id}")
    assert time.perf_counter() - begun < 0.2


def test_a_whole_answer_is_logged_in_its_own_order(start: Callable[..., DemoProcess]) -> None:
    demo = start()
    answer = ask(demo, stream=False, max_tokens=30)
    request_id = answer.json["id"].removeprefix("cmpl-")
    logged(demo, rf"Metrics \(ID: {request_id}")
    said = [line.split(request_id)[0].split(" - ")[-1] for line in records(demo)][-4:]
    assert said == [
        "Received chat completion request ",
        "Finished chat completion request ",
        '"POST /v1/chat/completions HTTP/1.1" 200',
        "Metrics (ID: ",
    ]


@pytest.mark.parametrize("stream", [True, False])
def test_a_cancelled_request_has_no_metrics(start: Callable[..., DemoProcess], stream: bool) -> None:
    demo = start(speed=20)
    answer: Answered = exchange(demo.port, "POST", "/v1/chat/completions", chat(stream=stream), stop_after=0.1)
    assert stream is bool(answer.chunks if stream else False)
    logged(demo, r"ERROR    \| Request disconnected: /v1/chat/completions")
    follow_up = ask(demo, max_tokens=20)
    logged(demo, rf"Metrics \(ID: {follow_up.request_id}")
    said = records(demo)
    assert sum("Metrics" in line for line in said) == 1
    assert sum(line.startswith("Finished") for line in said) == (1 if stream else 2)
    assert re.search(r"Queue: 0\.0\d* s", said[-1])


def test_a_request_that_leaves_the_queue(start: Callable[..., DemoProcess]) -> None:
    demo = start(speed=30)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        first = pool.submit(exchange, demo.port, "POST", "/v1/chat/completions", chat(model="demo+stall=1"), stop_after=0.3)
        time.sleep(0.05)
        second = pool.submit(exchange, demo.port, "POST", "/v1/chat/completions", chat(), stop_after=0.1)
        assert second.result().chunks == []
        logged(demo, "Request disconnected")
        assert len(first.result().chunks) == 1
    assert ask(demo, max_tokens=20).status == 200
    assert get(demo, "/demo/state").json["waiting"] == 0


def test_a_refused_prompt_is_logged_before_its_status(start: Callable[..., DemoProcess]) -> None:
    demo = start(extra=["--ctx", "1024"])
    ask(demo, "so on " * 2_000)
    assert "Sent to request: Prompt length " in records(demo)[-2]
    assert records(demo)[-1].endswith('" 400')


def test_a_failure_is_logged_as_one(start: Callable[..., DemoProcess]) -> None:
    demo = start()
    ask(demo, model="demo+error=2")
    said = records(demo)
    assert any(line.startswith("FATAL ERROR with generation.") for line in said)
    assert said[-1] == "Sent to request: Chat completion aborted. Please check the server console."


def test_the_start_says_that_it_is_simulated(start: Callable[..., DemoProcess]) -> None:
    said = records(start())
    assert "simulated" in said[0]
    assert "Using main model MTP component for drafting" in said
    assert any(line.startswith("Uvicorn running on http://127.0.0.1:") for line in said)


def test_a_folder_gets_a_file_named_by_the_time(tmp_path: Path) -> None:
    log = ServerLog(tmp_path)
    log.warning("hello")
    log.close()
    log.info("after the end")
    assert log.path is not None
    assert re.fullmatch(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_\d{6}\.log", log.path.name)
    text = log.path.read_text()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \| WARNING  \| hello\n", text)


def figures(**changed: object) -> Figures:
    values = {"prompt_tokens": 18, "cached_tokens": 0, "completion_tokens": 41, "queue_s": 0.0, "prompt_s": 0.15, "completion_s": 0.1483}
    return Figures(**{**values, **changed})  # type: ignore[arg-type]


def test_times_that_round_to_nothing_are_indeterminate() -> None:
    line = metrics_line("0" * 32, figures(prompt_s=0.004, completion_s=0.0))
    assert "at Indeterminate T/s, Generate: Indeterminate T/s" in line
    assert METRICS.fullmatch(line)
    assert figures(prompt_s=0.004).usage(newer=False)["prompt_tokens_per_sec"] == "Indeterminate"


def test_nothing_drafted_and_no_draft() -> None:
    assert "Draft: 0 / 0 tokens accepted (0.00%)" in metrics_line("0" * 32, figures())
    assert "Draft" not in metrics_line("0" * 32, figures(drafts=False))


def test_rounding_is_as_in_the_captures() -> None:
    usage = figures(prompt_tokens=36, prompt_s=0.0702, completion_tokens=41).usage(newer=False)
    assert usage["prompt_tokens_per_sec"] == 514.29
    assert usage["completion_tokens_per_sec"] == 276.47
    assert usage["total_time"] == 0.22
