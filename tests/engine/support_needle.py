"""A server with a tokenizer of its own making, and a model that looks for needles."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.support_server import Peer, Received, ScriptedServer

TEMPLATE_TOKENS = 7


def tokens_in(text: str) -> int:
    """A word or a sign is a token."""
    return len(re.findall(r"\w+|[^\w\s]", text))


def answer_to(prompt: str) -> str:
    """Every code that the prompt tells."""
    return " and ".join(re.findall(r"secret code of [^.]* is (\d+)\.", prompt)) or "none"


@dataclass
class TokenServer(ScriptedServer):
    """`tokenizer`: /tokenize and /apply-template as llama.cpp has them. `usage`: counts in the stream. `ctx`: refuses what is longer.

    `answer` makes the text; `factor` makes the stream's count differ from the tokenizer's.
    """

    tokenizer: bool = True
    usage: bool = True
    ctx: int = 1 << 30
    factor: float = 1.0
    answer: Callable[[str], str] = answer_to
    before: Callable[[Peer], object] = lambda peer: None
    prompts: list[dict[str, Any]] = field(default_factory=list)
    counted: int = 0

    def __post_init__(self) -> None:
        super().__init__(self._play)

    def _play(self, request: Received, peer: Peer) -> None:
        body = json.loads(request.body or b"{}")
        if request.path == "/v1/chat/completions":
            self._chat(body, peer)
        elif not self.tokenizer:
            peer.answer(404, b'{"error":{"message":"File Not Found"}}')
        elif request.path == "/apply-template":
            peer.answer(200, json.dumps({"prompt": body["messages"][0]["content"] + " x" * TEMPLATE_TOKENS}).encode())
        else:
            self.counted += len(body["content"])
            peer.answer(200, json.dumps({"tokens": [0] * tokens_in(body["content"])}).encode())

    def _chat(self, body: dict[str, Any], peer: Peer) -> None:
        self.prompts.append(body)
        text = body["messages"][0]["content"]
        tokens = round((tokens_in(text) + TEMPLATE_TOKENS) * self.factor)
        if tokens + body["max_tokens"] > self.ctx:
            error = {"code": 400, "type": "exceed_context_size_error", "message": "too long", "n_prompt_tokens": tokens, "n_ctx": self.ctx}
            peer.answer(400, json.dumps({"error": error}).encode())
            return
        peer.head()
        self.before(peer)
        for delta, finish in (({"content": self.answer(text)}, None), ({}, "stop")):
            self._event(peer, {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
        if self.usage:
            self._event(peer, {"choices": [], "usage": {"prompt_tokens": tokens, "completion_tokens": 3, "total_tokens": tokens + 3}})
        peer.chunk(b"data: [DONE]\n\n")
        peer.end()

    def _event(self, peer: Peer, value: dict[str, Any]) -> None:
        peer.chunk(b"data: " + json.dumps(value).encode() + b"\n\n")
