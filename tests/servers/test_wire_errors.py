"""Errors of every server as one sentence, and what they mean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparktui.core.delta import StreamError
from sparktui.errors import EXIT_RUN_FAILED, EXIT_UNREACHABLE, RunFailedError, SparkError, UnreachableError
from sparktui.servers.wire_errors import (
    ContextOverflowError,
    error_in,
    explain_http,
    explain_stream,
    is_loading,
    overflow_in,
    refuses_options,
    retry_after_s,
)
from tests.servers.captures import FIXTURES, Http, capture, case_writes, replies

TABBY = FIXTURES / "tabbyapi-e632af4/errors"
LLAMA = replies(FIXTURES / "llamacpp-b11434/replies/errors-and-options.jsonl")


def explained(http: Http, kind: str, **extra: object) -> SparkError:
    error = explain_http(http.status, http.body, kind, content_type=http.headers.get("content-type", ""), **extra)  # type: ignore[arg-type]
    assert error.title.endswith(".")
    assert "\n" not in error.title
    assert error.hint
    assert str(http.status) in error.title
    return error


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"error": {"message": "m", "code": 4}}, StreamError("m", "4")),
        ({"error": {"message": "m", "code": None, "type": "t"}}, StreamError("m")),
        ({"error": {"message": "m", "http_status_code": 422}}, StreamError("m", "422")),
        ({"error": "text"}, StreamError("text")),
        ({"error": "text", "error_type": "overloaded"}, StreamError("text")),
        ({"error": True, "message": "m"}, StreamError("m")),
        ({"error": {"reason": {"message": "deep"}}}, StreamError("deep")),
        ({"error": {"a": 1}}, StreamError('{"a": 1}')),
        ({"object": "error", "message": "m", "code": 404}, StreamError("m", "404")),
        ({"detail": "text"}, StreamError("text")),
        ({"detail": [{"loc": ["body", "n"], "msg": "bad"}, {"msg": "worse"}]}, StreamError("n: bad; worse")),
        ({"detail": [{"loc": ["body", "tools", 0, "x"], "msg": "bad"}]}, StreamError("tools.0.x: bad")),
        ({"error": None}, None),
        ({"choices": [], "detail": "no error"}, None),
        ({"choices": [], "object": "chat.completion.chunk"}, None),
        ({}, None),
        ([], None),
        ("error", None),
    ],
)
def test_five_shapes(body: object, expected: StreamError | None) -> None:
    assert error_in(body) == expected


BODIES = [
    "vllm/error_400_nested",
    "vllm/error_404_flat_before_0.10.1",
    "sglang/error_400",
    "ollama/error_404_native",
    "ollama/error_404_v1",
    "openwebui/error_401",
    "openwebui/error_model",
    "misc/trtllm_error_flat",
]


@pytest.mark.parametrize("name", BODIES)
def test_composed_error_bodies_hold_a_message(name: str) -> None:
    found = error_in(json.loads((FIXTURES / f"{name}.json").read_text("utf-8")))
    assert found is not None
    assert len(found.message) > 8


@pytest.mark.parametrize("path", sorted(TABBY.glob("*.jsonl")), ids=lambda path: path.stem)
def test_every_captured_refusal_of_tabbyapi_is_explained_with_its_own_words(path: Path) -> None:
    http = capture(path)
    error = explained(http, "tabbyapi", url="http://h/v1/chat/completions")
    try:
        detail = json.loads(http.body)
    except ValueError:
        words = http.body.decode()
    else:
        found = error_in(detail)
        assert found is not None
        words = found.message
    assert words in error.title
    assert "TabbyAPI" in error.title or isinstance(error, ContextOverflowError)


def test_key_refused_names_the_header_and_never_the_key() -> None:
    wrong = explained(capture(TABBY / "401-wrong-key-chat.jsonl"), "tabbyapi", key_header="Authorization")
    assert isinstance(wrong, UnreachableError)
    assert "Authorization header (HTTP 401: Invalid API key)" in wrong.title
    none = explained(capture(TABBY / "401-no-key.jsonl"), "tabbyapi")
    assert "none was sent" in none.title
    assert "SPARKTUI_API_KEY" in none.hint
    forbidden = explain_http(403, b"", "openai", key_header="x-api-key")
    assert "x-api-key" in forbidden.title


def test_a_key_that_a_server_repeats_is_masked() -> None:
    body = b'{"error":{"message":"Incorrect API key provided: sk-SPKCANARY0123456789. See the docs."}}'
    assert "SPKCANARY" not in str(explain_http(401, body, "openai", key_header="Authorization"))
    body = b'{"detail":"bad header Authorization: Bearer SPKCANARY0123456789"}'
    assert "SPKCANARY" not in str(explain_http(422, body, "openai"))
    assert "SPKCANARY" not in str(explain_stream(StreamError("Bearer SPKCANARY0123456789 expired")))


@pytest.mark.parametrize(
    ("body", "n_prompt", "n_ctx"),
    [
        (capture(TABBY / "400-context-too-long-stream.jsonl").body, 9000, 8192),
        (capture(TABBY / "400-cache-allocation.jsonl").body, 9216, 8192),
        (LLAMA["prompt_too_long_stream"].body, 6003, 2048),
        (case_writes("B14"), 19000, 16000),
        ((FIXTURES / "vllm/error_400_nested.json").read_bytes(), 9000, 8192),
        ((FIXTURES / "sglang/error_400.json").read_bytes(), None, None),
        (b'{"error":{"message":"This model\'s maximum context length is 8192 tokens. However, you requested 9,000 tokens."}}', 9000, 8192),
    ],
)
def test_b14_context_overflow_is_a_thing_of_its_own(body: bytes, n_prompt: int | None, n_ctx: int | None) -> None:
    error = explain_http(400, body, "openai")
    assert isinstance(error, ContextOverflowError)
    assert (error.n_prompt, error.n_ctx, error.exit_code) == (n_prompt, n_ctx, EXIT_RUN_FAILED)
    assert (f"{n_prompt} tokens, and the context holds {n_ctx}" in error.title) == (n_prompt is not None)


def test_a21_overflow_inside_a_stream() -> None:
    found = error_in(json.loads(case_writes("A21")))
    assert found is not None
    error = explain_stream(found, "llamacpp")
    assert isinstance(error, ContextOverflowError)
    assert (error.n_prompt, error.n_ctx) == (19000, 16000)
    assert overflow_in("max_tokens must be at most 2000") is None


def test_error_in_a_stream_keeps_its_words() -> None:
    error = explain_stream(StreamError("Chat completion aborted. Please check the server console."), "tabbyapi")
    assert error.title == "TabbyAPI broke off with an error: Chat completion aborted. Please check the server console."
    assert "code 503" in explain_stream(StreamError("gone", "503")).title


def test_a40_wrong_model_lists_what_is_served() -> None:
    body = (FIXTURES / "vllm/error_404_flat_before_0.10.1.json").read_bytes()
    error = explain_http(404, body, "vllm", model="nope", served=("demo-27b", "b"))
    assert isinstance(error, RunFailedError)
    assert "'nope'" in error.title
    assert error.hint == "It serves: demo-27b, b."
    many = explain_http(404, body, "vllm", served=[f"m{n}" for n in range(20)])
    assert many.hint.endswith("m7 ….")


def test_wrong_path() -> None:
    error = explained(LLAMA["unknown_route_post"], "llamacpp", url="http://u:SPK-CANARY@h/v9/chat/completions?key=SPK-CANARY")
    assert (error.exit_code, "http://h/v9/chat/completions" in error.title) == (EXIT_UNREACHABLE, True)
    assert "/v1" in error.hint
    assert "SPK-CANARY" not in str(error)


def test_unreadable_request_names_the_field() -> None:
    error = explained(capture(TABBY / "422-bad-field.jsonl"), "tabbyapi")
    assert "max_tokens: Input should be a valid integer" in error.title
    assert "messages: Input should be a valid list" in error.title


def test_tabbyapi_500_without_words_means_no_model() -> None:
    http = capture(TABBY / "500-no-model-with-model-field.jsonl")
    error = explained(http, "tabbyapi")
    assert "no model is loaded" in error.title
    assert "Load a model" in error.hint
    assert "no model" not in explained(http, "openai").title
    clean = explained(capture(TABBY / "503-no-model-without-model-field.jsonl"), "tabbyapi")
    assert "no model loaded (HTTP 503: No models are currently loaded.)" in clean.title


def test_a35_loading_in_both_shapes_and_not_other_503s() -> None:
    for response in (0, 1):
        body = case_writes("A35", response=response)
        assert is_loading(503, body)
        assert "still loading the model" in explain_http(503, body, "llamacpp").title
    assert not is_loading(503, capture(TABBY / "503-no-model-without-model-field.jsonl").body)
    assert not is_loading(503, capture(TABBY / "503-generator-failure-nonstream.jsonl").body)
    assert not is_loading(200, b'{"status":"loading model"}')
    failure = explained(capture(TABBY / "503-generator-failure-nonstream.jsonl"), "tabbyapi")
    assert "is not available (HTTP 503: Chat completion" in failure.title


def test_a36_slow_down() -> None:
    error = explain_http(429, case_writes("A36"), "openai", retry_after="1")
    assert error.title == "The server asks to slow down and says to wait 1 s (HTTP 429: slow down)."
    assert [retry_after_s(text) for text in (" 1 ", "2.5", "", "Wed, 21 Oct 2026 07:28:00 GMT", "-1", "9" * 9)] == [1.0, 2.5] + [None] * 4


def test_a43_web_page_is_no_api() -> None:
    error = explain_http(200, case_writes("A43", "html"), "", content_type="text/html", url="http://h:3000/v1/chat/completions")
    assert error.title == "http://h:3000/v1/chat/completions answers with a web page, not an API (HTTP 200)."
    assert "/api on Open WebUI" in error.hint
    proxy = explain_http(502, b"<html><head><title>502 Bad Gateway</title></head></html>", "", content_type="text/html")
    assert "(HTTP 502: 502 Bad Gateway)" in proxy.title
    assert "<" not in proxy.title


def test_redirects_name_their_target_without_secrets() -> None:
    error = explain_http(302, b"", "", location="https://u:SPK-CANARY@sso.example.com/login?token=SPK-CANARY")
    assert "redirects to https://sso.example.com/login (HTTP 302)" in error.title
    assert "SPK-CANARY" not in str(error)
    assert "does not name" in explain_http(301, b"").title


@pytest.mark.parametrize(
    ("status", "message", "refused"),
    [
        (400, "Unrecognized request argument supplied: stream_options", True),
        (422, "stream_options.continuous_usage_stats: Extra inputs are not permitted", True),
        (400, "unknown field `return_spec_tokens_details`", True),
        (400, "Prompt length 9000 exceeds the available context size of 8192 tokens", False),
        (500, "stream_options", False),
        (422, "temperature: too high", False),
    ],
)
def test_a_server_that_refuses_usage_is_told_apart(status: int, message: str, refused: bool) -> None:
    assert refuses_options(status, json.dumps({"error": {"message": message}}).encode()) is refused


@pytest.mark.parametrize("case", ["malformed_json", "empty_body", "no_messages", "bad_temperature_type", "n_2_stream", "wrong_method"])
def test_captured_refusals_of_llamacpp(case: str) -> None:
    http = LLAMA[case]
    assert json.loads(http.body)["error"]["message"][:60] in explained(http, "llamacpp").title


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"[]", b"null", b"\xff\xfe", b'{"a":', b'{"error":[]}', b"\x1b[31mred\x1b[0m\x00", b"x" * 100_000]
)
@pytest.mark.parametrize("status", [100, 200, 204, 302, 400, 401, 404, 418, 422, 429, 500, 502, 503, 599])
def test_any_answer_gives_one_plain_short_sentence(body: bytes, status: int) -> None:
    error = explain_http(status, body, "tabbyapi", url="http://h/v1")
    assert str(status) in error.title
    assert error.title.isprintable()
    assert len(error.title) < 700
