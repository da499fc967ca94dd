"""The request body each kind sends."""

from __future__ import annotations

import pytest

from sparktui.errors import UsageError
from sparktui.servers.base import Adapter, ChatRequest
from sparktui.servers.registry import ADAPTERS, adapter_for

KINDS = sorted(ADAPTERS)
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


def test_every_kind_of_config_and_the_demo_has_an_adapter() -> None:
    assert KINDS == ["demo", "llamacpp", "lmstudio", "ollama", "openai", "sglang", "tabbyapi", "vllm"]
    assert {kind for kind in KINDS if adapter_for(kind).steps_checked} == {"tabbyapi", "demo", "llamacpp"}
    assert {kind for kind in KINDS if adapter_for(kind).metrics_path} == {"vllm", "sglang"}
    with pytest.raises(UsageError):
        adapter_for("auto")


def test_a_plain_request() -> None:
    body = adapter_for("openai").body(ChatRequest(prompt="Hi", model="m", temperature=0, max_tokens=800))
    assert body == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
        "max_tokens": 800,
        "temperature": 0,
        "stream_options": {"include_usage": True},
        "stream": True,
    }
    assert type(body["temperature"]) is int


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=lambda adapter: adapter.kind)
def test_nothing_is_sent_that_was_not_set_and_a_strict_server_can_be_pleased(adapter: Adapter) -> None:
    body = adapter.body(ChatRequest(prompt="Hi", model="", include_usage=False))
    assert body == {"messages": [{"role": "user", "content": "Hi"}], "stream": True}


@pytest.mark.parametrize(
    ("kind", "own", "stream_options"),
    [
        ("tabbyapi", {}, {"include_usage": True}),
        ("demo", {}, {"include_usage": True}),
        ("ollama", {}, {"include_usage": True}),
        ("lmstudio", {}, {"include_usage": True}),
        ("llamacpp", {"timings_per_token": True, "cache_prompt": False, "return_progress": True}, {"include_usage": True}),
        ("vllm", {}, {"include_usage": True, "continuous_usage_stats": True}),
        ("sglang", {"return_spec_tokens_details": True}, {"include_usage": True, "continuous_usage_stats": True}),
    ],
)
def test_options_that_make_measuring_exact(kind: str, own: dict, stream_options: dict) -> None:
    body = adapter_for(kind).body(ChatRequest(prompt="Hi", model="m"))
    assert body == {"model": "m", "messages": [{"role": "user", "content": "Hi"}], **own, "stream_options": stream_options, "stream": True}


def test_parameters_of_the_prompt_win_but_the_answer_streams() -> None:
    extra = {"temperature": 0.3, "cache_prompt": True, "top_p": 0.9, "stream": False, "stream_options": {"include_usage": False, "x": 1}}
    body = adapter_for("llamacpp").body(ChatRequest(prompt="Hi", model="m", temperature=1.0, extra=extra))
    assert (body["temperature"], body["cache_prompt"], body["top_p"], body["stream"]) == (0.3, True, 0.9, True)
    assert body["stream_options"] == {"include_usage": False, "x": 1}
    assert extra["stream"] is False


def test_structured_output() -> None:
    standard = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
    body = adapter_for("vllm").body(ChatRequest(prompt="Hi", model="m", schema=SCHEMA))
    assert body["response_format"] == standard
    assert "json_schema" not in body
    tabby = adapter_for("tabbyapi").body(ChatRequest(prompt="Hi", model="m", schema=SCHEMA))
    assert (tabby["json_schema"], tabby["response_format"]) == (SCHEMA, standard)
