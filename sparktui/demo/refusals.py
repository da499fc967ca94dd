"""Requests that are turned down before anything streams."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sparktui.demo import wire
from sparktui.demo.call import Call
from sparktui.demo.machine import Machine
from sparktui.demo.prefill import PAGE_TOKENS
from sparktui.demo.settings import ModelSettings

NO_MODEL = "No models are currently loaded."
LOADING = "The model is loading, try again soon."


@dataclass(frozen=True, slots=True)
class Refusal:
    """`logged`: what the log says was sent, "" = nothing."""

    status: int
    body: bytes
    content_type: bytes = b"application/json"
    logged: str = ""


def detail(status: int, message: str | list[dict[str, Any]], logged: str = "") -> Refusal:
    """A refusal in the shape `{"detail": …}`."""
    return Refusal(status, wire.compact({"detail": message}), logged=logged)


def refusal_of(machine: Machine, call: Call) -> Refusal | None:
    """Why `call` is not answered now, or None."""
    if call.faults.refused:
        return detail(401, "Invalid API key")
    if machine.loading or (call.faults.loading_s and machine.is_loading_for(call.model, call.faults.loading_s)):
        return detail(503, LOADING, LOADING)
    if machine.settings is not None:
        return _too_long(call, machine.settings)
    if call.model:
        return Refusal(500, b"Internal Server Error", b"text/plain; charset=utf-8")
    return detail(503, NO_MODEL, NO_MODEL)


def _too_long(call: Call, settings: ModelSettings) -> Refusal | None:
    """A prompt longer than the context, or that leaves the cache no room for one chunk of new tokens in whole pages."""
    pages = math.ceil((call.prompt_tokens + settings.chunk_size) / PAGE_TOKENS) * PAGE_TOKENS
    if call.prompt_tokens > settings.max_seq_len:
        message = f"Prompt length {call.prompt_tokens} exceeds the available context size of {settings.max_seq_len} tokens"
    elif pages > settings.cache_size:
        room = settings.cache_size
        message = f"Initial job allocation requires {pages} cache tokens, which exceeds the available context size of {room} tokens"
    else:
        return None
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": "context_length_exceeded"}
    return Refusal(400, wire.compact({"error": error}), logged=message)
