"""What the demo server sends, laid beside what a real TabbyAPI sent: heads, framing, keys and their order."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparktui.demo.process import DemoProcess
from tests.demo.client import Answered, ask, exchange, get

CAPTURES = Path(__file__).parents[1] / "fixtures"


def captured(name: str, version: str = "tabbyapi-e632af4") -> Answered:
    lines = [json.loads(line) for line in (CAPTURES / version / f"{name}.jsonl").read_text().splitlines()[1:]]
    return Answered([(line["t"], base64.b64decode(line["b64"]) if "b64" in line else line["text"].encode()) for line in lines])


def shape(value: Any, name: str = "") -> Any:
    """Keys in their order and the kinds of the values; names, texts and counts do not matter."""
    if isinstance(value, dict):
        return [(key, shape(inner, key)) for key, inner in value.items()]
    if isinstance(value, list):
        return [shape(inner) for inner in value[:1]]
    if isinstance(value, str) and name.startswith("prompt_tokens_per"):
        return "float"
    return type(value).__name__ if not name.endswith("per_sec") else "float"


def head_names(answer: Answered) -> list[str]:
    names = [line.split(b":")[0].decode().lower() for line in answer.head.split(b"\r\n")[1:]]
    return sorted({name for name in names if name not in ("connection", "content-length")})


def bytes_shape(event: bytes) -> bytes:
    """An event line with its values taken out: what is left is spacing, quoting and framing."""
    return re.sub(
        rb'"(?:[^"\\]|\\.)*":?|\d+(?:\.\d+)?', lambda found: found.group() if found.group().endswith(b":") else b"#", event
    )


@pytest.mark.parametrize(
    ("name", "path", "fields"),
    [
        ("story-draft-usage", "/v1/chat/completions", {}),
        ("chat-short-no-usage-option", "/v1/chat/completions", {"stream_options": None, "stop": "lamp"}),
        ("completions-usage", "/v1/completions", {"prompt": "Once"}),
        ("completions-no-usage-option", "/v1/completions", {"prompt": "Once", "stream_options": None}),
    ],
)
def test_streams_have_the_shape_of_the_captures(demo: DemoProcess, name: str, path: str, fields: dict[str, Any]) -> None:
    theirs, ours = captured(f"streams/{name}"), ask(demo, path=path, **fields)
    assert head_names(ours) == head_names(theirs)
    assert ours.head.startswith(b"HTTP/1.1 200 OK\r\ndate: ")
    for ours_event, theirs_event in ((ours.events[0], theirs.events[0]), (ours.events[-1], theirs.events[-1])):
        assert shape(ours_event) == shape(theirs_event)
    first, theirs_first = (answer.body.split(b"\r\n\r\n")[0] for answer in (ours, theirs))
    assert bytes_shape(first) == bytes_shape(theirs_first)
    assert ours.body.endswith(b"}\r\n\r\ndata: [DONE]\r\n\r\n")
    assert ours.raw.endswith(b"\r\n0\r\n\r\n")


@pytest.mark.parametrize("name", ["code-draft-usage"])
def test_newer_usage_has_the_shape_of_the_newer_captures(demo: DemoProcess, name: str) -> None:
    ours = ask(demo, model="demo+newer-usage")
    assert shape(ours.events[-1]) == shape(captured(f"streams/{name}", "tabbyapi-pr452").events[-1])
    details = ours.usage["completion_tokens_details"]
    assert details["accepted_prediction_tokens"] > 0
    assert details["rejected_prediction_tokens"] > 0


def test_newer_usage_without_a_draft_has_null(demo: DemoProcess) -> None:
    assert ask(demo, model="demo+newer-usage+no-draft").usage["completion_tokens_details"] is None


@pytest.mark.parametrize(
    ("name", "path", "fields"),
    [
        ("nonstream-chat-usage", "/v1/chat/completions", {}),
        ("nonstream-chat-no-usage-option", "/v1/chat/completions", {"stream_options": None}),
        ("nonstream-completions-usage", "/v1/completions", {"prompt": "Once"}),
    ],
)
def test_whole_answers_have_the_shape_of_the_captures(demo: DemoProcess, name: str, path: str, fields: dict[str, Any]) -> None:
    theirs, ours = captured(f"streams/{name}"), ask(demo, path=path, stream=False, max_tokens=2_000, **fields)
    assert shape(ours.json) == shape(theirs.json)
    assert b'":"' in ours.body
    assert b'": "' not in ours.body.split(b'"content"')[0]


def test_an_error_in_mid_stream(start: Callable[..., DemoProcess]) -> None:
    demo = start()
    ours, theirs = ask(demo, model="demo+error=3"), captured("streams/error-midstream")
    assert ours.status == 200
    assert len(ours.chunks) == 3
    assert ours.events[-1] == theirs.events[-1]
    assert b"[DONE]" not in ours.body
    assert ours.raw.endswith(b"\r\n0\r\n\r\n")
    health = get(demo, "/health")
    assert health.status == 503
    assert shape(health.json) == shape(captured("endpoints/health-503-after-generator-failure").json)
    assert ask(demo, max_tokens=40).status == 200


def test_a_failure_without_a_stream_is_a_503(start: Callable[..., DemoProcess]) -> None:
    answer = ask(start(), model="demo+error=1", stream=False)
    assert answer.status == 503
    assert re.fullmatch(r"Chat completion [0-9a-f]{32} aborted\. .*", answer.json["detail"])


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/v1/model", "model"),
        ("/v1/models", "models-api-key"),
        ("/v1/model/list", "model-list-api-key"),
        ("/v1/model/draft/list", "draft-list-api-key"),
        ("/v1/auth/permission", "permission-api-key"),
        ("/props", "props"),
        ("/health", "health-ok"),
        ("/metrics", "metrics-404"),
        ("/", "root-404"),
    ],
)
def test_endpoints_have_the_shape_of_the_captures(demo: DemoProcess, path: str, name: str) -> None:
    ours, theirs = get(demo, path), captured(f"endpoints/{name}")
    assert ours.status == theirs.status
    assert shape(ours.json) == shape(theirs.json)
    assert head_names(ours) == head_names(theirs)


def test_it_names_itself_and_says_that_it_is_simulated(demo: DemoProcess) -> None:
    software = get(demo, "/.well-known/serviceinfo").json["software"]
    assert software["name"] == "sparktui-demo"
    assert software["simulated"] is True
    assert get(demo, "/v1/models").json["data"][0]["owned_by"] == "sparktui-demo"


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b"{not json", "422-bad-json"),
        ({"messages": "x", "max_tokens": "many"}, "422-bad-field"),
    ],
)
def test_bad_bodies_are_refused_as_the_captures_are(demo: DemoProcess, body: Any, name: str) -> None:
    ours, theirs = exchange(demo.port, "POST", "/v1/chat/completions", body), captured(f"errors/{name}")
    assert ours.status == theirs.status == 422
    assert ours.json == theirs.json


@pytest.mark.parametrize("stream", [True, False])
def test_a_prompt_that_does_not_fit(start: Callable[..., DemoProcess], stream: bool) -> None:
    demo = start(extra=["--ctx", "4096"])
    ours = ask(demo, "so on and " * 2_000, stream=stream)
    theirs = captured("errors/400-context-too-long-stream")
    assert ours.status == theirs.status == 400
    assert shape(ours.json) == shape(theirs.json)
    assert ours.json["error"]["code"] == "context_length_exceeded"
    assert "Initial job allocation requires" in ask(demo, "so on and " * 1_000).json["error"]["message"]


def test_one_event_a_write(start: Callable[..., DemoProcess]) -> None:
    answer = ask(start(speed=20), max_tokens=90, model="demo+no-draft")
    sizes = re.findall(rb"(?:^|\r\n)([0-9a-f]+)\r\n(?=data: |: ping)", answer.raw)
    assert len(sizes) == len(answer.events) + 1
    assert len(answer.reads) > 0.8 * len(answer.events)


def test_keep_alives_are_dated_comments(start: Callable[..., DemoProcess]) -> None:
    answer = ask(start(speed=100, extra=["--ping", "1"]), model="demo+slow-prefill=5", max_tokens=20)
    pings = re.findall(rb"2d\r\n(: ping - \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00:00\r\n\r\n)\r\n", answer.raw)
    assert 3 <= len(pings) <= 8
    assert answer.raw.index(b"ping") < answer.raw.index(b"data: ")
