"""The common ground of every server: /v1/chat/completions as OpenAI defined it. Also used for gateways and servers nobody recognised."""

from __future__ import annotations

from typing import Any, ClassVar

from sparktui.core.delta import Delta
from sparktui.core.records import ServerInfo
from sparktui.core.sse import SseEvent
from sparktui.servers.asking import AskedValue, Questions
from sparktui.servers.base import Asking, ChatRequest, Counting, IdleAsking, IdleState, Recognition
from sparktui.servers.counting import uncounted
from sparktui.servers.decode import decode_event, decode_whole
from sparktui.servers.exposition import read_counters
from sparktui.servers.model_list import context_of, entries_of, name_of
from sparktui.servers.url import BaseUrl


class OpenAiAdapter:
    """Any OpenAI-compatible server. Other kinds add body options and questions; every figure is read whatever the kind."""

    kind: ClassVar[str] = "openai"
    steps_checked: ClassVar[bool] = False
    metrics_path: ClassVar[str] = ""

    def body(self, request: ChatRequest) -> dict[str, Any]:
        """The JSON body. The prompt's own parameters go in as they are and win; only `stream` stays on.

        Without `include_usage` nothing is asked for that a strict server could refuse.
        """
        body: dict[str, Any] = {"model": request.model} if request.model else {}
        body["messages"] = [{"role": "user", "content": request.prompt}]
        if request.max_tokens is not None:
            body["max_tokens"] = request.max_tokens
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.schema is not None:
            body.update(self._schema_options(request.schema))
        stream_options: dict[str, Any] = {}
        if request.include_usage:
            body.update(self._own_options())
            stream_options = {"include_usage": True, **self._stream_options()}
        body.update(request.extra)
        own = request.extra.get("stream_options")
        if isinstance(own, dict):
            stream_options.update(own)
        if stream_options:
            body["stream_options"] = stream_options
        body["stream"] = True
        return body

    def decode(self, event: SseEvent) -> Delta:
        """What one stream event says. Never raises."""
        return decode_event(event)

    def whole(self, body: bytes) -> Delta:
        """What a plain JSON answer says, errors included. Never raises."""
        return decode_whole(body)

    def describe(self, base_url: str, seen: Recognition) -> Asking:
        """Model and context from the list of models."""
        questions = Questions(seen.needs_key)
        base = BaseUrl.parse(base_url)
        entry = yield from first_model(questions, base.models_path)
        return ServerInfo(
            kind=self.kind, base_url=base.shown, model=name_of(entry) or first_name(seen), version=seen.version, ctx=context_of(entry)
        )

    def idle(self) -> IdleAsking:
        """Running and waiting requests where the server has counters, else unknown."""
        if not self.metrics_path:
            return IdleState(None)
        answer = yield from Questions(timeout_s=1.5).answer(self.metrics_path)
        counters = read_counters(answer.body) if answer.status == 200 else None
        busy = counters.busy if counters is not None else None
        return IdleState(busy, "" if busy is None else "metrics")

    def count_tokens(self, text: str, model: str, *, chat: bool = False) -> Counting:
        """None: there is no common way to ask."""
        return uncounted()

    def caching_params(self) -> dict[str, Any]:
        """Nothing: the cache is as the server has it."""
        return {}

    def _own_options(self) -> dict[str, Any]:
        """Body fields of this kind that make measuring exact."""
        return {}

    def _stream_options(self) -> dict[str, Any]:
        """What this kind adds to `stream_options`."""
        return {}

    def _schema_options(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Body fields that ask for an answer of this JSON schema."""
        return {"response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}}


def first_model(questions: Questions, path: str) -> AskedValue:
    """The first (loaded) entry of a list of models, an empty object if there is none."""
    found = yield from questions.value(path)
    entries = entries_of(found) or [{}]
    return entries[0]


def first_name(seen: Recognition) -> str:
    """The first model that recognition saw, "" if it saw none."""
    return seen.models[0] if seen.models else ""
