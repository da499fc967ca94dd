"""What is recorded of a server, and whether it is busy."""

from __future__ import annotations

import pytest

from sparktui.core.records import ServerInfo
from sparktui.servers.base import Answer, IdleState, Recognition
from sparktui.servers.registry import adapter_for
from tests.servers.captures import FIXTURES, capture
from tests.servers.dialogue import FASTAPI_404, NOTHING, answer_of, file_answer, json_answer, play, tabby

BASE = "http://user:pw@h:1/v1?key=SPK-CANARY"
LOCKED = answer_of(capture(FIXTURES / "tabbyapi-e632af4/errors/401-no-key.jsonl"))
TABBY = {
    "/v1/model": tabby("model"),
    "/v1/model/draft/list": tabby("draft-list-api-key"),
    "/v1/auth/permission": tabby("permission-api-key"),
}
LLAMA = "llamacpp-b11434/endpoints"


def described(
    kind: str,
    answers: dict[str, Answer],
    seen: Recognition | None = None,
    *,
    locked: Answer | None = None,
    default: Answer = FASTAPI_404,
    base: str = BASE,
) -> tuple[ServerInfo, list[str]]:
    info, asked = play(adapter_for(kind).describe(base, seen or Recognition(kind=kind)), answers, default, locked)
    assert info.kind == kind
    assert "SPK-CANARY" not in repr(info)
    assert "pw" not in info.base_url
    return info, asked


def test_tabbyapi_card_and_its_mtp_hint() -> None:
    info, asked = described("tabbyapi", TABBY)
    assert info == ServerInfo(
        kind="tabbyapi", base_url="http://h:1", model="Qwen3.5-27B-exl3-4bpw", ctx=8192, draft="MTP", cache_mode="8,8", cache_tokens=8192,
        slots=4,
    )  # fmt: skip
    assert asked == ["/v1/model", "/v1/model/draft/list", "/v1/auth/permission"]


def test_the_key_is_sent_only_once_the_server_asked_for_it() -> None:
    info, asked = described("tabbyapi", TABBY, locked=LOCKED)
    assert info.model == "Qwen3.5-27B-exl3-4bpw"
    assert asked == ["/v1/model", "/v1/model*", "/v1/model/draft/list*", "/v1/auth/permission*"]
    _, asked = described("vllm", {}, Recognition(kind="vllm", needs_key=True), locked=LOCKED)
    assert all(path.endswith("*") for path in asked)


def test_an_admins_list_of_folders_is_no_draft() -> None:
    assert described("tabbyapi", {**TABBY, "/v1/auth/permission": tabby("permission-admin-key")})[0].draft is None
    assert described("tabbyapi", {**TABBY, "/v1/model/draft/list": json_answer({"data": []})})[0].draft is None


def test_tabbyapi_names_a_draft_model_of_its_own() -> None:
    card = json_answer({"id": "big", "parameters": {"draft": {"id": "small"}, "max_seq_len": None}})
    info, asked = described("tabbyapi", {"/v1/model": card})
    assert (info.draft, info.ctx, asked) == ("small", None, ["/v1/model"])


@pytest.mark.parametrize("default", [FASTAPI_404, NOTHING, tabby("model-503-no-model")])
@pytest.mark.parametrize("kind", ["tabbyapi", "demo", "llamacpp", "vllm", "sglang", "ollama", "lmstudio", "openai"])
def test_a_server_that_tells_nothing_is_described_by_what_was_seen(kind: str, default: Answer) -> None:
    info, _ = described(kind, {}, Recognition(kind=kind, models=("seen-model",), version="9"), default=default)
    assert info == ServerInfo(kind=kind, base_url="http://h:1", model="seen-model", version="9")


@pytest.mark.parametrize("junk", [b"[]", b"{}", b"null", b'{"data": 3, "models": {}}', b'[{"speculative": 3}]', b"not json", b'{"id": 4}'])
@pytest.mark.parametrize("kind", ["tabbyapi", "llamacpp", "vllm", "sglang", "ollama", "lmstudio", "openai"])
def test_junk_answers_describe_nothing(kind: str, junk: bytes) -> None:
    info, _ = described(kind, {}, default=Answer(status=200, content_type="application/json", body=junk))
    assert (info.model, info.ctx, info.cache_tokens) == ("", None, None)


@pytest.mark.parametrize(("mode", "draft"), [("none", "none"), ("draft", "draft-simple"), ("ngram", "ngram-simple")])
def test_llamacpp_way_of_drafting_comes_from_its_slots(mode: str, draft: str) -> None:
    answers = {
        "/props": file_answer(f"{LLAMA}/none-props.json"),
        "/v1/models": file_answer(f"{LLAMA}/none-models.json"),
        "/slots": file_answer(f"{LLAMA}/{mode}-slots-idle.json"),
    }
    info, asked = described("llamacpp", answers)
    assert info == ServerInfo(
        kind="llamacpp", base_url="http://h:1", model="gemma-3-270m-q4_k_m.gguf", version="b11434-unknown", ctx=4096, draft=draft, slots=1
    )
    assert asked == ["/props", "/v1/models", "/slots"]


def test_vllm() -> None:
    answers = {"/v1/models": file_answer("vllm/models.json"), "/version": file_answer("vllm/version.json")}
    info, _ = described("vllm", {**answers, "/metrics": file_answer("vllm/metrics_before.prom")})
    assert info == ServerInfo(kind="vllm", base_url="http://h:1", model="demo-27b", version="0.32.0", ctx=32768, draft="speculative")
    assert described("vllm", answers)[0].draft is None
    assert described("vllm", {**answers, "/metrics": Answer(status=200, body=b"vllm:num_requests_running 0\n")})[0].draft == "none"


def test_sglang_and_its_older_path() -> None:
    answers = {"/v1/models": file_answer("sglang/models.json")}
    for path in ("/server_info", "/get_server_info"):
        info, _ = described("sglang", {**answers, path: file_answer("sglang/server_info.json")})
        assert info == ServerInfo(
            kind="sglang", base_url="http://h:1", model="demo-27b", version="0.5.21", ctx=32768, draft="EAGLE", cache_tokens=171234
        )
    assert described("sglang", {**answers, "/server_info": json_answer({"speculative_algorithm": None})})[0].draft == "none"


def test_ollama_the_model_in_memory_comes_first() -> None:
    seen = Recognition(kind="ollama", models=("other:1b", "demo:27b"), version="0.9.7")
    info, _ = described("ollama", {"/api/ps": file_answer("ollama/ps.json")}, seen)
    assert info == ServerInfo(kind="ollama", base_url="http://h:1", model="demo:27b", version="0.9.7", ctx=16384)
    info, _ = described("ollama", {"/api/ps": json_answer({"models": []})}, seen)
    assert (info.model, info.ctx) == ("other:1b", None)
    info, asked = described(
        "ollama", {"/api/version": file_answer("ollama/version.json"), "/v1/models": json_answer({"data": [{"id": "m:1"}]})}
    )
    assert (info.model, info.version, asked) == ("m:1", "0.9.7", ["/api/ps", "/v1/models", "/api/version"])


def test_lm_studio_loaded_context_is_only_in_its_newer_list() -> None:
    info, asked = described("lmstudio", {"/api/v1/models": file_answer("lmstudio/api_v1_models.json")})
    assert info == ServerInfo(kind="lmstudio", base_url="http://h:1", model="org/demo-27b", ctx=4096, slots=4)
    assert asked == ["/api/v1/models"]
    info, _ = described("lmstudio", {"/api/v0/models": file_answer("lmstudio/api_v0_models.json")})
    assert (info.model, info.ctx) == ("demo-27b", None)
    unknown = file_answer("lmstudio/unexpected_endpoint_200.json")
    assert described("lmstudio", {}, default=unknown)[0].model == ""


def test_open_webui_lists_its_models_under_api() -> None:
    info, asked = described("openai", {"/api/models": json_answer({"data": [{"id": "demo:27b"}]})}, base="http://h:3000/api")
    assert (info.model, info.base_url, asked) == ("demo:27b", "http://h:3000/api", ["/api/models"])


def test_openai_reads_a_context_where_the_list_has_one() -> None:
    info, _ = described("openai", {"/v1/models": file_answer("vllm/models.json")})
    assert (info.model, info.ctx) == ("demo-27b", 32768)


def idle(kind: str, answers: dict[str, Answer], locked: Answer | None = None) -> tuple[IdleState, list[str]]:
    return play(adapter_for(kind).idle(), answers, FASTAPI_404, locked)


def test_llamacpp_is_idle_or_busy_by_its_slots_then_its_metrics() -> None:
    assert idle("llamacpp", {"/slots": file_answer(f"{LLAMA}/draft-slots-idle.json")}) == (IdleState(False, "slots"), ["/slots"])
    assert idle("llamacpp", {"/slots": file_answer(f"{LLAMA}/draft-slots-in-flight.json")})[0] == IdleState(True, "slots")
    assert idle("llamacpp", {"/metrics": file_answer(f"{LLAMA}/draft-metrics.prom")}) == (
        IdleState(False, "metrics"), ["/slots", "/metrics"],
    )  # fmt: skip
    assert idle("llamacpp", {"/metrics": file_answer(f"{LLAMA}/draft-metrics-in-flight.prom")})[0] == IdleState(True, "metrics")
    assert idle("llamacpp", {})[0] == IdleState(None)


def test_vllm_and_sglang_are_idle_or_busy_by_their_metrics() -> None:
    for kind in ("vllm", "sglang"):
        page = file_answer(f"{kind}/metrics_before.prom")
        assert idle(kind, {"/metrics": page}) == (IdleState(False, "metrics"), ["/metrics"])
        busy = Answer(status=200, body=page.body.replace(b"_requests_running{", b'_requests_running{x="",').replace(b"} 0.0", b"} 2.0"))
        assert idle(kind, {"/metrics": busy})[0] == IdleState(True, "metrics")
        assert idle(kind, {})[0] == IdleState(None)
        assert idle(kind, {"/metrics": page}, locked=LOCKED) == (IdleState(False, "metrics"), ["/metrics", "/metrics*"])


@pytest.mark.parametrize("kind", ["tabbyapi", "demo", "ollama", "lmstudio", "openai"])
def test_others_cannot_say_and_are_not_asked(kind: str) -> None:
    assert idle(kind, {}) == (IdleState(None), [])
