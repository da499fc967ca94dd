"""How the demo server behaves: pace, queue, keys, failure modes, loading."""

from __future__ import annotations

import concurrent.futures
import http.client
import json
import re
import socket
import time
from collections.abc import Callable

import pytest

from sparktui.core.needle import first_line, haystack, needle_found, needles, question
from sparktui.demo.process import DemoProcess
from sparktui.demo.texts import shelf
from tests.demo.client import CODE, STORY, ask, chat, exchange, get, logged

Start = Callable[..., DemoProcess]


def load(demo: DemoProcess, **fields: object) -> list[dict[str, object]]:
    exchange(demo.port, "POST", "/v1/model/unload", {})
    body = {"model_name": "sparktui-demo-27B-exl3", **fields}
    return exchange(demo.port, "POST", "/v1/model/load", body).events


def test_the_reference_prompts(demo: DemoProcess) -> None:
    story, code = ask(demo, STORY, temperature=0), ask(demo, CODE, temperature=0)
    assert (story.usage["prompt_tokens"], code.usage["prompt_tokens"]) == (18, 38)
    assert story.usage["completion_tokens"] == code.usage["completion_tokens"] == 794
    assert story.events[-1]["choices"][0]["finish_reason"] == "length"
    assert any(text.startswith(story.text) for text in shelf.STORIES)
    assert code.text.startswith("```python")
    assert len(story.chunks) in range(150, 166)
    assert len(code.chunks) in range(44, 57)


def test_chunks_leave_at_their_times_and_reported_rates_are_the_rates_seen(start: Start) -> None:
    speed = 60.0
    answer = ask(start(speed=speed), CODE, temperature=0)
    stamps = [at for at, data in answer.reads if b'"content"' in data]
    usage = answer.usage
    assert 1.05 / speed < stamps[0] < 1.13 / speed + 0.15
    assert stamps[-1] == pytest.approx(usage["total_time"], abs=0.15)
    assert stamps[-1] > usage["total_time"] - 0.012
    assert usage["completion_tokens_per_sec"] == pytest.approx(53.9 * speed, rel=0.03)
    assert usage["total_time"] == pytest.approx(usage["prompt_time"] + usage["completion_time"], abs=0.011)


def test_at_temperature_0_runs_are_the_same_and_at_1_they_differ(start: Start) -> None:
    demo = start(speed=2_000)
    cold = [ask(demo, temperature=0) for _ in range(2)]
    assert cold[0].chunks == cold[1].chunks
    warm = [ask(demo, temperature=1.0) for _ in range(3)]
    assert len({answer.text for answer in warm}) == 3
    again = start(speed=2_000)
    assert [ask(again, temperature=1.0).chunks for _ in range(3)] == [answer.chunks for answer in warm]


def test_no_temperature_means_1(start: Start) -> None:
    first, second = start(speed=2_000), start(speed=2_000)
    assert ask(first, STORY).chunks == ask(second, STORY, temperature=1.0).chunks


def test_max_tokens_leaves_room_for_a_draft(demo: DemoProcess) -> None:
    assert ask(demo, max_tokens=40).usage["completion_tokens"] == 34
    assert ask(demo, max_tokens=40, model="demo+no-draft").usage["completion_tokens"] == 39
    assert ask(demo, max_tokens=1).usage["completion_tokens"] == 1


def test_an_answer_ends_by_itself(demo: DemoProcess) -> None:
    answer = ask(demo, CODE, max_tokens=3_000, temperature=0)
    assert answer.text == shelf.LRU_MODULES[-1]
    assert answer.events[-1]["choices"][0]["finish_reason"] == "stop"


def test_characters_of_several_bytes_survive(demo: DemoProcess) -> None:
    answer = ask(demo, STORY, max_tokens=2_000)
    assert answer.text in shelf.STORIES
    assert "“" in answer.text


def test_a_stop_string(demo: DemoProcess) -> None:
    answer = ask(demo, stop=["lamp"], stream_options=None)
    assert "lamp" not in answer.text
    assert answer.events[-1]["choices"][0]["eos_reason"] == "stop_string"


def test_without_a_draft(start: Start) -> None:
    demo = start(draft=False)
    answer = ask(demo, CODE)
    assert answer.usage["completion_tokens"] == 799
    assert len(answer.chunks) == 265
    assert "Draft" not in logged(demo, rf"Metrics \(ID: {answer.request_id}.*").group()
    assert get(demo, "/v1/model/draft/list").json["data"] == []


def test_as_a_gateway(demo: DemoProcess) -> None:
    assert get(demo, "/api/models").json["data"][0]["id"] == "sparktui-demo-27B-exl3"
    runs = [ask(demo, path="/api/chat/completions") for _ in range(4)]
    lengths = [run.usage["completion_tokens"] for run in runs]
    assert lengths[0] == lengths[3] == 794
    assert 725 <= lengths[1] <= 745
    assert 770 <= lengths[2] <= 793
    assert all(len(run.chunks) in range(140, 166) for run in runs)


def test_a_second_request_waits_its_turn(start: Start) -> None:
    demo = start(speed=100)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        first = pool.submit(ask, demo, STORY)
        time.sleep(0.05)
        second = pool.submit(ask, demo, CODE)
        answers = [first.result(), second.result()]
    head_at = answers[1].reads[0][0]
    first_text_at = next(at for at, data in answers[1].reads if b'"content"' in data)
    assert head_at < first_text_at - 0.1
    queue = float(logged(demo, rf"ID: {answers[1].request_id}.*?Queue: ([\d.]+) s")[1])
    assert 0.1 < queue < first_text_at
    usage = answers[1].usage
    assert usage["total_time"] - usage["prompt_time"] - usage["completion_time"] == pytest.approx(queue, abs=0.021)
    assert "Queue: 0.0 s" in logged(demo, rf"ID: {answers[0].request_id}.*").group()


def test_a_batch_shares_the_machine(start: Start) -> None:
    demo = start(speed=100, extra=["--max-batch-size", "4"])
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: ask(demo, STORY), range(4)))
    rates = [answer.usage["completion_tokens_per_sec"] / 100 for answer in answers]
    assert all(rate < 26 for rate in rates)
    assert sum(rates) > 60


@pytest.mark.parametrize(
    ("headers", "status", "told"),
    [
        ({}, 401, "Please provide an API key"),
        ({"Authorization": "Bearer wrong"}, 401, "Invalid API key"),
        ({"Authorization": "right"}, 401, "Invalid API key"),
        ({"X-Admin-Key": "boss"}, 401, "Please provide an API key"),
        ({"Authorization": "Bearer right"}, 200, None),
        ({"X-Api-Key": "right"}, 200, None),
        ({"X-Api-Key": "boss"}, 200, None),
    ],
)
def test_keys(keyed: DemoProcess, headers: dict[str, str], status: int, told: str | None) -> None:
    answer = get(keyed, "/v1/model", **headers)
    assert answer.status == status
    assert told is None or answer.json == {"detail": told}
    assert exchange(keyed.port, "POST", "/v1/chat/completions", chat(max_tokens=9), headers).status == status


def test_admin_routes_want_the_admin_key(keyed: DemoProcess) -> None:
    path = "/v1/model/unload"
    assert exchange(keyed.port, "POST", path, {}, {"Authorization": "Bearer right"}).json == {"detail": "Invalid admin key"}
    assert exchange(keyed.port, "POST", path, {}).status == 401
    assert get(keyed, "/v1/auth/permission", Authorization="Bearer right").json == {"permission": "api"}
    assert get(keyed, "/v1/auth/permission", Authorization="Bearer boss").json == {"permission": "admin"}
    assert get(keyed, "/health").status == get(keyed, "/.well-known/serviceinfo").status == 200


def test_keys_are_in_no_log_and_in_no_command_line(keyed: DemoProcess) -> None:
    get(keyed, "/v1/model", Authorization="Bearer right")
    log = keyed.log_path.read_text()
    assert "right" not in log
    assert "boss" not in log


@pytest.fixture(scope="module")
def keyed() -> object:
    with DemoProcess.start(speed=400, api_key="right", admin_key="boss") as process:
        yield process


def test_tokens_are_counted_as_prompts_are(demo: DemoProcess) -> None:
    path = "/v1/token/encode"
    plain = exchange(demo.port, "POST", path, {"text": STORY}).json
    as_chat = exchange(demo.port, "POST", path, {"text": [{"role": "user", "content": STORY}]}).json
    assert (plain["length"], as_chat["length"]) == (17, 18)
    assert len(plain["tokens"]) == 17
    assert exchange(demo.port, "POST", path, {"text": 5}).status == 422


def test_loading_over_the_api(start: Start) -> None:
    demo = start()
    events = load(demo, max_seq_len=131_072, cache_mode="8,8", draft_model={"draft_mode": "mtp", "draft_num_tokens": 3})
    assert [event["module"] for event in events] == [*range(1, 67), 66]
    assert {event["status"] for event in events[:-1]} == {"processing"}
    assert events[-1]["status"] == "finished"
    parameters = get(demo, "/v1/model").json["parameters"]
    assert (parameters["max_seq_len"], parameters["cache_mode"], parameters["draft"]) == (131_072, "FP16", None)
    assert get(demo, "/demo/state").json["loaded"]["draft_num_tokens"] == 3
    assert ask(demo, max_tokens=40).usage["completion_tokens"] == 36


def test_a_load_without_draft_settings_drops_the_draft(start: Start) -> None:
    demo = start()
    load(demo)
    logged(demo, r"WARNING  \| Draft model is disabled because a model name wasn't provided")
    assert get(demo, "/demo/state").json["loaded"]["draft_mode"] == "disabled"
    assert ask(demo, max_tokens=100).usage["completion_tokens"] == 99


def test_loading_what_is_loaded_is_refused(demo: DemoProcess) -> None:
    answer = exchange(demo.port, "POST", "/v1/model/load", {"model_name": "sparktui-demo-27B-exl3"})
    assert "already loaded" in answer.events[-1]["error"]["message"]
    other = exchange(demo.port, "POST", "/v1/model/load", {"model_name": "nope"})
    assert (other.status, other.json) == (400, {"detail": "Could not find the model path for load. Check model name or config.yml?"})


def test_without_a_model(start: Start) -> None:
    demo = start()
    answer = exchange(demo.port, "POST", "/v1/model/unload", {})
    assert (answer.status, answer.body) == (200, b"null")
    assert (get(demo, "/v1/model").status, get(demo, "/v1/model").json) == (503, {"detail": "No models are currently loaded."})
    named = ask(demo)
    assert (named.status, named.body) == (500, b"Internal Server Error")
    assert ask(demo, model=None).json == {"detail": "No models are currently loaded."}
    assert get(demo, "/v1/models").json["data"] == []
    assert get(demo, "/health").status == 200


def test_memory_follows_loads_and_prompts(start: Start) -> None:
    demo = start(speed=20)
    before = get(demo, "/demo/memory").json
    assert before["simulated"] is True
    assert before["total"] == before["used"] + before["available"]
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        running = pool.submit(exchange, demo.port, "POST", "/v1/chat/completions", chat("so on and on " * 1_500, max_tokens=9))
        time.sleep(0.25)
        during = get(demo, "/demo/memory").json
        running.result()
    assert during["used"] > before["used"]
    assert get(demo, "/demo/memory").json == before
    exchange(demo.port, "POST", "/v1/model/unload", {})
    assert get(demo, "/demo/memory").json["used"] < 10e9


def test_a_needle_in_a_long_context(start: Start) -> None:
    demo = start(speed=2_000)
    spots = needles((0.3,), 5)
    prompt = first_line("n1") + haystack(370_000, spots, 5) + question(spots)
    answer = ask(demo, prompt, max_tokens=200)
    assert needle_found(spots[0].code, answer.text)
    assert answer.usage["prompt_tokens"] > 90_000
    assert answer.usage["prompt_tokens_per_sec"] / 2_000 == pytest.approx(800, rel=0.08)
    again = ask(demo, prompt, max_tokens=200)
    cached = int(logged(demo, rf"ID: {again.request_id}.*?Process: (\d+) cached")[1])
    assert 0 < answer.usage["prompt_tokens"] - cached <= 256


def test_structured_output_keeps_the_reference_band(start: Start) -> None:
    speed = 2_000.0
    demo = start(speed=speed)
    row = {"type": "object", "properties": {"a": {"type": "string"}}}
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": row}}}
    context = "Entry by entry the ledger goes on. " * 1_000
    fields = {"response_format": {"type": "json_schema", "json_schema": {"schema": schema}}, "temperature": 0, "max_tokens": 1_600}
    for draft in ({"draft_mode": "mtp", "draft_num_tokens": 4}, {"draft_mode": "mtp"}, {"draft_mode": "disabled"}):
        load(demo, draft_model=draft)
        for _ in range(3):
            answer = ask(demo, f"{context}\n\nList the rows.", **fields)
            assert json.loads(answer.text)["rows"]
            rate = answer.usage["completion_tokens_per_sec"] / speed
            assert 45 <= rate <= 53 if draft["draft_mode"] == "mtp" else rate == pytest.approx(29, abs=0.1)


def test_slow_prefill(start: Start) -> None:
    answer = ask(start(speed=100), model="demo+slow-prefill=15", max_tokens=20)
    assert answer.usage["prompt_time"] == pytest.approx(0.15, abs=0.01)


def test_a_stall_for_ever(demo: DemoProcess) -> None:
    answer = exchange(demo.port, "POST", "/v1/chat/completions", chat(model="demo+stall=4"), stop_after=0.25)
    assert len(answer.chunks) == 4
    assert not answer.raw.endswith(b"0\r\n\r\n")


def test_a_stall_that_ends(start: Start) -> None:
    answer = ask(start(speed=100), model="demo+stall=4:20", max_tokens=60)
    gaps = [b - a for (a, _), (b, _) in zip(answer.reads, answer.reads[1:], strict=False)]
    assert 0.19 < max(gaps) < 0.6
    assert answer.usage["completion_tokens"] == 54


def test_a_cut(demo: DemoProcess) -> None:
    answer = ask(demo, model="demo+cut=5")
    assert len(answer.chunks) == 5
    assert not answer.raw.endswith(b"0\r\n\r\n")


def test_modes_by_header_and_unknown_ones(demo: DemoProcess) -> None:
    assert exchange(demo.port, "POST", "/v1/chat/completions", chat(), {"X-Demo": "401"}).status == 401
    unknown = ask(demo, model="demo+explode")
    assert unknown.status == 422
    assert "slow-prefill" in unknown.json["detail"][0]["msg"]


def test_loading_for_a_while(start: Start) -> None:
    demo = start(speed=100)
    first = ask(demo, model="demo+loading=20")
    assert first.status == 503
    assert "loading" in first.json["detail"]
    time.sleep(0.22)
    assert ask(demo, model="demo+loading=20", max_tokens=20).status == 200


def test_loading_from_the_start(start: Start) -> None:
    demo = start(speed=100, extra=["--loading", "20"])
    assert ask(demo).status == get(demo, "/v1/model").status == 503
    time.sleep(0.22)
    assert get(demo, "/v1/model").status == 200


def test_no_usage(demo: DemoProcess) -> None:
    assert all("usage" not in event for event in ask(demo, model="demo+no-usage", max_tokens=30).events)


def test_reasoning_comes_first(demo: DemoProcess) -> None:
    deltas = [event["choices"][0]["delta"] for event in ask(demo, model="demo+reasoning", max_tokens=200).events]
    assert "reasoning_content" in deltas[0]
    assert "content" not in deltas[0]
    kinds = ["reasoning_content" in delta for delta in deltas if delta]
    assert kinds.index(False) > 5
    assert "".join(delta.get("content", "") for delta in deltas)[0].isalpha()


def test_buffered_comes_in_one_piece(demo: DemoProcess) -> None:
    answer = ask(demo, model="demo+buffered", max_tokens=100)
    assert len(answer.events) > 10
    sizes = re.findall(rb"\r\n([0-9a-f]+)\r\ndata: ", b"\r\n" + answer.raw.partition(b"\r\n\r\n")[2])
    assert len(sizes) == 1


def test_one_connection_serves_several_requests(demo: DemoProcess) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", demo.port, timeout=10)
    for _ in range(2):
        connection.request("POST", "/v1/chat/completions", json.dumps(chat(max_tokens=20)))
        answer = connection.getresponse()
        assert answer.status == 200
        assert b"[DONE]" in answer.read()
        connection.request("GET", "/health")
        assert connection.getresponse().read() == b'{"status":"healthy","issues":[]}'
    connection.close()


@pytest.mark.parametrize("raw", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nno colon\r\n\r\n"])
def test_what_is_no_http(demo: DemoProcess, raw: bytes) -> None:
    with socket.create_connection(("127.0.0.1", demo.port), timeout=5) as sock:
        sock.sendall(raw)
        assert sock.recv(4_096).startswith(b"HTTP/1.1 400")
    assert exchange(demo.port, "PUT", "/health").status == 405
    assert get(demo, "/health").status == 200
