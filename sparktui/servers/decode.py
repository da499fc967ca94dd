"""One stream event, or one whole answer, of any OpenAI-compatible server → Delta. Never raises; what cannot be read is `garbled`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import msgspec

from sparktui.core.delta import Delta, PromptProgress, StreamError
from sparktui.core.sse import SseEvent
from sparktui.servers.error_shapes import error_in, is_web_page, named_error, shortened
from sparktui.servers.figures import figures_in
from sparktui.servers.lenient import count, mapping, number, read_json, word
from sparktui.servers.texts import texts_in

_HEX_ID = re.compile(r"(?:chat)?cmpl-([0-9a-f]{32})\Z")
_NOTHING = Delta()
_DONE = Delta(done=True)
_FINGERPRINTS = (("vllm-", "vllm"), ("fp_ollama", "ollama"), ("b", "llamacpp"))


def decode_event(event: SseEvent) -> Delta:
    """What one stream event says, whichever server sent it."""
    data = event.data
    if data == "[DONE]" or data.strip() == "[DONE]":
        return _DONE
    try:
        found = read_json(data)
    except ValueError:
        if event.name == "error":
            return Delta(error=StreamError(shortened(data)))
        return Delta(garbled=True) if data.strip() else _NOTHING
    if event.name == "error":
        return Delta(error=named_error(found))
    if type(found) is not dict:
        return _NOTHING if found is None or found == "" else Delta(garbled=True)
    return _delta(found)


def decode_whole(body: bytes) -> Delta:
    """What an answer that is no stream says: a completion object, an error in any shape, or something that is no answer at all."""
    try:
        found = read_json(body)
    except ValueError:
        kind = "a web page, not an API" if is_web_page(body) else "something that is not JSON"
        said = "" if is_web_page(body) else f": {shortened(body.decode('utf-8', 'replace'))}"
        return Delta(garbled=True, error=StreamError(f"The server sent {kind}{said}"))
    if type(found) is not dict:
        return Delta(garbled=True, error=StreamError(f"The server sent JSON that is no completion: {shortened(str(found))}"))
    delta = _delta(found)
    if delta.error is None and "choices" not in found:
        text = shortened(body.decode("utf-8", "replace"))
        return Delta(garbled=True, error=StreamError(f"The server sent JSON without choices: {text}"))
    return msgspec.structs.replace(delta, done=delta.error is None)


def _delta(event: dict[str, Any]) -> Delta:
    choices = event.get("choices")
    texts = texts_in(choices)
    figures = figures_in(event)
    raw_id = event.get("id")
    progress = event.get("prompt_progress")
    return Delta(
        parts=texts.parts,
        other_choices=texts.other_choices,
        figures=figures,
        tokens_total=figures.completion_tokens if figures is not None else None,
        finish_reason=texts.finish_reason,
        error=error_in(event),
        progress=_progress(progress) if progress is not None else None,
        request_id=_request_id(raw_id) if type(raw_id) is str else "",
        model=word(event.get("model") or event.get("model_name") or event.get("selected_model_id")),
        seen_kind=_seen_kind(event, choices),
        invented=bool(texts.parts) and raw_id is None and _is_invented(event, choices),
    )


@lru_cache(maxsize=256)
def _request_id(raw: str) -> str:
    """TabbyAPI's log names a request by the 32 hex digits alone; other ids stay as they are."""
    match = _HEX_ID.match(raw)
    return match[1] if match else raw


def _progress(value: Any) -> PromptProgress | None:
    fields = mapping(value)
    processed, total, elapsed_ms = count(fields.get("processed")), count(fields.get("total")), number(fields.get("time_ms"))
    if processed is None or total is None:
        return None
    return PromptProgress(processed, total, count(fields.get("cache")) or 0, elapsed_ms / 1000 if elapsed_ms is not None else None)


def _seen_kind(event: dict[str, Any], choices: Any) -> str:
    """The engine behind this event, seen through any gateway that leaves its fields alone."""
    first: dict[str, Any] = mapping(choices[0]) if type(choices) is list and choices else {}
    usage = event.get("usage")
    if "eos_reason" in first or (type(usage) is dict and "completion_tokens_per_sec" in usage):
        return "tabbyapi"
    if "matched_stop" in first or "sglext" in event:
        return "sglang"
    fingerprint = event.get("system_fingerprint")
    if type(fingerprint) is str:
        for start, kind in _FINGERPRINTS:
            if fingerprint.startswith(start) and (start != "b" or fingerprint[1:2].isdigit()):
                return kind
    if "speculative_decoding" in mapping(event.get("metrics")):
        return "vllm"
    return "llamacpp" if type(event.get("timings")) is dict else ""


def _is_invented(event: dict[str, Any], choices: Any) -> bool:
    """llama-swap's loading text: reasoning in a bare choice, with no id, object, model or index, which a model's own events have."""
    if "object" in event or "model" in event or type(choices) is not list or len(choices) != 1:
        return False
    choice = mapping(choices[0])
    return "index" not in choice and set(mapping(choice.get("delta"))) == {"reasoning_content"}
