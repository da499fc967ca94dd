"""Which server answers: at most three short GETs, without a key, none of which makes a server work or loses anything by being read.

Order: `/.well-known/serviceinfo` (TabbyAPI and the demo name themselves there without a key), `/v1/models`, then the one question that
is left. A conclusive answer ends it early. Status 200 alone proves nothing: LM Studio gives it to every path.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from msgspec import Struct, field

from sparktui.servers.base import Answer, Get, Probing, Recognition
from sparktui.servers.error_shapes import is_loading, is_web_page, message_of, shortened
from sparktui.servers.lenient import mapping, word
from sparktui.servers.model_list import entries_of, json_of, names_of, object_of

_SERVICE_INFO = "/.well-known/serviceinfo"
_OWNERS = {"vllm": "vllm", "sglang": "sglang", "llamacpp": "llamacpp", "tabbyapi": "tabbyapi", "ollama": "ollama"}
_GATEWAY_OWNERS = {"llama-swap": "llama-swap", "tensorrt_llm": "TensorRT-LLM"}
_SELF_NAMED = {"tabbyapi": "tabbyapi", "sparktui-demo": "demo"}


class _Clues(Struct, kw_only=True):
    """What the answers so far say. `kind` "" = still open."""

    kind: str = ""
    models: tuple[str, ...] = ()
    version: str = ""
    owner: str = ""
    needs_key: bool = False
    loading: bool = False
    reachable: bool = False
    too_slow: bool = False
    fastapi: bool = False
    pages: bool = False
    listed: bool = False
    settled: bool = False
    seen: list[str] = field(default_factory=list)


def recognise() -> Probing:
    """Ask and conclude. Yields GETs, takes Answers; a server that fits nothing is kind "openai"."""
    clues = _Clues()
    for path, read in ((_SERVICE_INFO, _read_serviceinfo), ("/v1/models", _read_models)):
        answer = yield from _asked(path, clues)
        read(answer, clues)
        if clues.settled:
            return _concluded(clues)
    if clues.reachable and not clues.kind:
        path = _third_path(clues)
        answer = yield from _asked(path, clues)
        _read_third(path, answer, clues)
    return _concluded(clues)


def _asked(path: str, clues: _Clues) -> Generator[Get, Answer, Answer]:
    answer = yield Get(path=path)
    clues.reachable |= answer.status != 0
    said = shortened(answer.content_type.partition(";")[0] or "no type")[:40] if answer.status else shortened(answer.failure) or "no answer"
    clues.seen.append(f"GET {path}: {answer.status} {said}" if answer.status else f"GET {path}: {said}")
    return answer


def _noted(clues: _Clues, what: str) -> None:
    clues.seen[-1] += f", {shortened(what)[:80]}"


def _read_serviceinfo(answer: Answer, clues: _Clues) -> None:
    software = mapping(object_of(answer).get("software"))
    name = word(software.get("name"))
    clues.version = word(software.get("version"))
    clues.too_slow = answer.status == 0
    clues.fastapi = answer.status == 404 and message_of(answer.body)[0] == "Not Found"
    if name:
        _noted(clues, f"names itself {name}")
        clues.kind = _SELF_NAMED.get(name.lower(), "openai")
        clues.settled = clues.kind != "openai"
        return
    _read_any(answer, clues)
    if clues.kind == "llamacpp" and answer.status in (401, 403):
        clues.needs_key = clues.settled = True


def _read_any(answer: Answer, clues: _Clues) -> None:
    """What any answer gives away: its Server header, a web page, LM Studio's words for an unknown path, a model that loads."""
    if answer.server_header.lower().startswith("llama.cpp"):
        _noted(clues, "server llama.cpp")
        clues.kind = "llamacpp"
    if is_web_page(answer.body, answer.content_type):
        _noted(clues, "a web page")
        clues.pages = True
    if _is_unexpected_endpoint(answer):
        _noted(clues, "LM Studio's answer to unknown paths")
        clues.kind = "lmstudio"
    if is_loading(answer.status, answer.body):
        found = message_of(answer.body)[1]
        _noted(clues, "loading the model")
        clues.loading = clues.settled = True
        if word(mapping(mapping(found).get("error")).get("type")) == "unavailable_error" or "status" in mapping(found):
            clues.kind = clues.kind or "llamacpp"


def _read_models(answer: Answer, clues: _Clues) -> None:
    known = clues.kind
    _read_any(answer, clues)
    if answer.status in (401, 403):
        clues.needs_key = True
    found = json_of(answer)
    entries = entries_of(found) if not _is_unexpected_endpoint(answer) else None
    if entries is not None:
        clues.listed = True
        clues.models = names_of(entries)
        clues.owner = word(entries[0].get("owned_by")) if entries else ""
        if clues.owner:
            _noted(clues, f"owned by {clues.owner}")
        clues.kind = known or _OWNERS.get(clues.owner.lower(), "") or clues.kind
        if gateway := _GATEWAY_OWNERS.get(clues.owner.lower()):
            _noted(clues, gateway)
            clues.kind = clues.kind or "openai"
    clues.settled = clues.settled or bool(clues.kind)


def _third_path(clues: _Clues) -> str:
    """The one question that tells the servers apart which are still possible; the first one again if a busy server missed it."""
    if clues.too_slow:
        return _SERVICE_INFO
    if clues.needs_key and clues.fastapi:
        return "/version"
    if clues.pages or not clues.listed or not clues.models or _looks_like_ollama(clues):
        return "/api/version"
    return "/props"


def _read_third(path: str, answer: Answer, clues: _Clues) -> None:
    if path == _SERVICE_INFO:
        _read_serviceinfo(answer, clues)
        return
    _read_any(answer, clues)
    found = object_of(answer)
    if clues.kind:
        return
    if path == "/props" and ("total_slots" in found or "default_generation_settings" in found):
        clues.kind, clues.version = "llamacpp", word(found.get("build_info"))
    elif path == "/version" and word(found.get("version")):
        clues.kind, clues.version = "vllm", word(found.get("version"))
    elif path == "/api/version" and word(found.get("version")):
        _read_api_version(found, clues)


def _read_api_version(found: dict[str, Any], clues: _Clues) -> None:
    clues.version = word(found.get("version"))
    if "commit" in found or "build_date" in found:
        _noted(clues, "llama-swap")
        clues.kind = "openai"
    elif clues.pages or clues.needs_key:
        _noted(clues, "Open WebUI")
        clues.kind = "openai"
    else:
        clues.kind = "ollama"


def _looks_like_ollama(clues: _Clues) -> bool:
    return clues.owner == "library" or any(":" in name for name in clues.models)


def _is_unexpected_endpoint(answer: Answer) -> bool:
    return answer.status == 200 and word(object_of(answer).get("error")).startswith("Unexpected endpoint")


def _concluded(clues: _Clues) -> Recognition:
    return Recognition(
        kind=clues.kind or "openai", models=clues.models, version=clues.version, needs_key=clues.needs_key, loading=clues.loading,
        reachable=clues.reachable, seen=tuple(clues.seen),
    )  # fmt: skip
