"""Which server answers: every kind, the traps, at most three GETs and never a key."""

from __future__ import annotations

import pytest

from sparktui.servers.base import Answer, Recognition
from sparktui.servers.recognise import recognise
from tests.servers.captures import FIXTURES, replies
from tests.servers.dialogue import FASTAPI_404, NOTHING, PAGE, answer_of, file_answer, json_answer, play, tabby

INFO, MODELS, VERSION = "/.well-known/serviceinfo", "/v1/models", "/api/version"
LLAMA = FIXTURES / "llamacpp-b11434"
LLAMA_404 = answer_of(replies(LLAMA / "replies/errors-and-options.jsonl")["unknown_route_get"])
LLAMA_401 = answer_of(replies(LLAMA / "replies/401-api-key-set.jsonl")["no key GET /v1/models"])
LLAMA_503 = answer_of(replies(LLAMA / "replies/503-model-loading.jsonl")["loading GET /v1/models"])
LLAMA_MODELS = file_answer("llamacpp-b11434/endpoints/none-models.json", server="llama.cpp")
GIN_404 = Answer(status=404, content_type="text/plain", body=b"404 page not found")
UNEXPECTED = file_answer("lmstudio/unexpected_endpoint_200.json")
UNAUTHORISED = file_answer("openwebui/error_401.json")
LOCKED = Answer(status=401, content_type="application/json", body=UNAUTHORISED.body)
OLLAMA_MODELS = json_answer({"object": "list", "data": [{"id": "demo:27b", "owned_by": "library"}, {"id": "x:1b", "owned_by": "me"}]})
DEMO_INFO = json_answer({"version": 0.1, "software": {"name": "sparktui-demo", "version": "0.1.0"}})
LM_MODELS = json_answer({"data": [{"id": "demo-27b", "object": "model", "owned_by": "organization_owner"}]})


def concluded(answers: dict[str, Answer], default: Answer = FASTAPI_404) -> tuple[Recognition, list[str]]:
    found, asked = play(recognise(), answers, default)
    assert len(asked) <= 3
    assert not any("*" in path for path in asked)
    assert len(found.seen) == len(asked)
    return found, asked


@pytest.mark.parametrize(
    ("kind", "answers", "default", "asked"),
    [
        ("tabbyapi", {INFO: tabby("serviceinfo")}, FASTAPI_404, [INFO]),
        ("demo", {INFO: DEMO_INFO}, FASTAPI_404, [INFO]),
        ("llamacpp", {MODELS: LLAMA_MODELS}, LLAMA_404, [INFO, MODELS]),
        ("llamacpp", {MODELS: file_answer("llamacpp-b11434/endpoints/none-models.json")}, GIN_404, [INFO, MODELS]),
        ("llamacpp", {MODELS: json_answer({"data": [{"id": "m", "owned_by": "me"}]}),
                      "/props": file_answer("llamacpp-b11434/endpoints/none-props.json")}, GIN_404, [INFO, MODELS, "/props"]),
        ("vllm", {MODELS: file_answer("vllm/models.json")}, FASTAPI_404, [INFO, MODELS]),
        ("vllm", {MODELS: LOCKED, "/version": file_answer("vllm/version.json")}, FASTAPI_404, [INFO, MODELS, "/version"]),
        ("sglang", {MODELS: file_answer("sglang/models.json")}, FASTAPI_404, [INFO, MODELS]),
        ("ollama", {MODELS: OLLAMA_MODELS, VERSION: file_answer("ollama/version.json")}, GIN_404, [INFO, MODELS, VERSION]),
        ("ollama", {MODELS: json_answer({"object": "list", "data": None}), VERSION: file_answer("ollama/version.json")}, GIN_404,
         [INFO, MODELS, VERSION]),
        ("lmstudio", {MODELS: LM_MODELS}, UNEXPECTED, [INFO, MODELS]),
        ("openai", {MODELS: json_answer({"data": [{"id": "gpt", "owned_by": "openai"}]})}, FASTAPI_404, [INFO, MODELS, "/props"]),
        ("openai", {MODELS: json_answer({"data": [{"id": "a", "owned_by": "llama-swap"}]})}, GIN_404, [INFO, MODELS]),
        ("openai", {VERSION: file_answer("ollama/version.json")}, PAGE, [INFO, MODELS, VERSION]),
        ("openai", {MODELS: LOCKED, VERSION: file_answer("ollama/version.json")}, PAGE, [INFO, MODELS, VERSION]),
        ("openai", {INFO: json_answer({"software": {"name": "KoboldCpp"}}), MODELS: LM_MODELS}, FASTAPI_404, [INFO, MODELS]),
        ("openai", {}, PAGE, [INFO, MODELS, VERSION]),
        ("openai", {}, Answer(status=502, content_type="text/html", body=b"<html>Bad Gateway</html>"), [INFO, MODELS, VERSION]),
    ],
)  # fmt: skip
def test_kinds(kind: str, answers: dict[str, Answer], default: Answer, asked: list[str]) -> None:
    found, paths = concluded(answers, default)
    assert (found.kind, paths) == (kind, asked)
    assert found.reachable


def test_names_served_and_version() -> None:
    assert concluded({MODELS: file_answer("vllm/models.json")})[0].models == ("demo-27b",)
    ollama, _ = concluded({MODELS: OLLAMA_MODELS, VERSION: file_answer("ollama/version.json")}, GIN_404)
    assert (ollama.models, ollama.version) == (("demo:27b", "x:1b"), "0.9.7")
    swap, _ = concluded(
        {MODELS: json_answer({"data": [{"id": "a", "owned_by": "llama-swap"}, {"id": "b", "status": {"value": "loaded"}}]})}, GIN_404
    )
    assert swap.models == ("b", "a")
    lmstudio, _ = concluded({MODELS: LM_MODELS}, UNEXPECTED)
    assert lmstudio.models == ("demo-27b",)
    demo, _ = concluded({INFO: DEMO_INFO})
    assert demo.version == "0.1.0"


def test_lm_studios_200_is_no_proof_of_a_path() -> None:
    found, asked = concluded({}, UNEXPECTED)
    assert (found.kind, found.models, asked) == ("lmstudio", (), [INFO, MODELS])


def test_a_locked_llamacpp_is_known_by_its_header_alone() -> None:
    found, asked = concluded({}, LLAMA_401)
    assert (found.kind, found.needs_key, asked) == ("llamacpp", True, [INFO])


def test_a_locked_server_that_says_nothing_else_wants_a_key() -> None:
    found, _ = concluded({}, LOCKED)
    assert (found.kind, found.needs_key, found.loading) == ("openai", True, False)


@pytest.mark.parametrize("answer", [LLAMA_503, Answer(status=503, content_type="application/json", body=LLAMA_503.body),
                                    json_answer({"status": "loading model"}, 503)])  # fmt: skip
def test_loading_ends_it_at_once(answer: Answer) -> None:
    found, asked = concluded({}, answer)
    assert (found.kind, found.loading, asked) == ("llamacpp", True, [INFO])


def test_no_model_loaded_is_not_loading() -> None:
    found, _ = concluded({MODELS: tabby("model-503-no-model")})
    assert not found.loading


def test_silence_is_asked_twice_and_then_unreachable() -> None:
    found, asked = concluded({}, NOTHING)
    assert (found.reachable, found.kind, asked) == (False, "openai", [INFO, MODELS])
    assert found.seen[0] == "GET /.well-known/serviceinfo: connection refused"


def test_a_slow_first_answer_does_not_hide_the_server() -> None:
    found, asked = concluded({INFO: NOTHING, MODELS: file_answer("vllm/models.json")})
    assert (found.kind, found.reachable, asked) == ("vllm", True, [INFO, MODELS])


def test_a_busy_tabbyapi_that_missed_the_first_question_is_asked_it_again() -> None:
    asking = recognise()
    paths = [asking.send(None).path, asking.send(NOTHING).path, asking.send(LOCKED).path]  # type: ignore[arg-type]
    with pytest.raises(StopIteration) as stop:
        asking.send(tabby("serviceinfo"))
    assert paths == [INFO, MODELS, INFO]
    assert (stop.value.value.kind, stop.value.value.needs_key) == ("tabbyapi", True)


def test_what_was_seen_is_one_plain_line_a_get() -> None:
    hostile = json_answer({"software": {"name": "\x1b[31mred\n[bold]" + "x" * 500}})
    found, _ = concluded({INFO: hostile})
    assert all(line.isprintable() and len(line) < 200 for line in found.seen)
    found, _ = concluded({MODELS: file_answer("sglang/models.json")})
    assert found.seen == (
        "GET /.well-known/serviceinfo: 404 application/json",
        "GET /v1/models: 200 application/json, owned by sglang",
    )
