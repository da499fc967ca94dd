"""TabbyAPI's bodies and stream events, key for key. Stream events are JSON with blanks after `:` and `,`; plain answers have none."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

DONE = b"data: [DONE]\r\n\r\n"
STREAM_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"connection", b"keep-alive"),
    (b"x-accel-buffering", b"no"),
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"vary", b"Origin"),
)
ABORTED = "Chat completion aborted. Please check the server console."


def compact(value: Any) -> bytes:
    """JSON of a plain answer."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def event(data: bytes) -> bytes:
    """One stream event."""
    return b"data: " + data + b"\r\n\r\n"


def ping() -> bytes:
    """The keep-alive comment, with the time in UTC."""
    now = time.time()
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(now))
    return f": ping - {stamp}.{int(now * 1_000_000) % 1_000_000:06d}+00:00\r\n\r\n".encode()


def error_event(message: str) -> bytes:
    return event(compact({"error": {"message": message, "trace": None}}))


@dataclass(frozen=True, slots=True)
class Said:
    """Text of one event, by kind. An event where reasoning ends can hold both."""

    content: str = ""
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """Why an answer ended: finish_reason (stop, length), and TabbyAPI's eos_reason."""

    finish_reason: str
    eos_reason: str
    stop_string: str = ""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One request's events and bodies. `chat` False = text completion."""

    request_id: str
    model: str
    chat: bool

    def chunk(self, said: Said) -> bytes:
        return self._event({**self._delta(said), "finish_reason": None})

    def usage(self, ending: Ending, usage: dict[str, Any]) -> bytes:
        """The last event where usage was asked for: its choice is empty but for the finish reason."""
        return self._event({**self._delta(Said()), "finish_reason": ending.finish_reason}, usage)

    def finish(self, ending: Ending) -> bytes:
        """The last event where it was not."""
        return self._event({**self._delta(Said()), "finish_reason": ending.finish_reason, "eos_reason": ending.eos_reason})

    def whole(self, said: Said, ending: Ending, usage: dict[str, Any] | None) -> dict[str, Any]:
        """The answer to `stream: false`."""
        choice: dict[str, Any] = {"index": 0, "finish_reason": ending.finish_reason, "eos_reason": ending.eos_reason}
        if self.chat:
            stop = {"stop_token": "<|im_end|>", "stop_string": ending.stop_string}.get(ending.eos_reason)
            message = {"role": "assistant", "content": said.content, "reasoning_content": said.reasoning or None}
            choice |= {"stop_str": stop} if stop else {}
            choice |= {"message": {**message, "tool_calls": None, "tool_call_id": None}, "logprobs": None}
        else:
            choice |= {"logprobs": None, "text": said.content}
        kind = "chat.completion" if self.chat else "text_completion"
        head = {"id": f"cmpl-{self.request_id}", "choices": [choice], "created": int(time.time()), "model": self.model}
        return {**head, "object": kind, "usage": usage}

    def _delta(self, said: Said) -> dict[str, Any]:
        if not self.chat:
            return {"index": 0, "text": said.content}
        delta = {"reasoning_content": said.reasoning, "content": said.content}
        return {"index": 0, "delta": {name: text for name, text in delta.items() if text}}

    def _event(self, choice: dict[str, Any], usage: dict[str, Any] | None = None) -> bytes:
        told = {} if usage is None else {"usage": usage}
        request, created = f"chatcmpl-{self.request_id}", int(time.time())
        if self.chat:
            body = {"id": request, "object": "chat.completion.chunk", "created": created, "choices": [choice], **told, "model": self.model}
        else:
            body = {"id": request, "object": "text_completion", "choices": [choice], "created": created, **told, "model_name": self.model}
        return event(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))


def model_card(name: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
    """A model in a list, or with its parameters the loaded one's card."""
    return {
        "id": name,
        "object": "model",
        "created": int(time.time()),
        "owned_by": "sparktui-demo",
        "logging": None,
        "parameters": parameters,
    }
