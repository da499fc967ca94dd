"""vLLM: exact token counts on every event, per-request metrics where enabled, counters on /metrics."""

from __future__ import annotations

from typing import Any, ClassVar

from sparktui.core.records import ServerInfo
from sparktui.servers.asking import Questions
from sparktui.servers.base import Asking, Counting, Recognition
from sparktui.servers.counting import vllm_count
from sparktui.servers.exposition import read_counters
from sparktui.servers.lenient import word
from sparktui.servers.model_list import context_of, name_of
from sparktui.servers.openai import OpenAiAdapter, first_model, first_name
from sparktui.servers.url import BaseUrl


class VllmAdapter(OpenAiAdapter):
    """Its verify steps are not completion − accepted (off by one or more): only its own count is used."""

    kind: ClassVar[str] = "vllm"
    metrics_path: ClassVar[str] = "/metrics"

    def describe(self, base_url: str, seen: Recognition) -> Asking:
        """Model and context from /v1/models, version from /version; it drafts if /metrics has counters for it."""
        questions = Questions(seen.needs_key)
        entry = yield from first_model(questions, "/v1/models")
        version = yield from questions.object("/version")
        answer = yield from questions.answer("/metrics")
        counters = read_counters(answer.body) if answer.status == 200 else None
        draft = None if counters is None else "none" if counters.draft_tokens is None else "speculative"
        return ServerInfo(
            kind=self.kind,
            base_url=BaseUrl.parse(base_url).shown,
            model=name_of(entry) or first_name(seen),
            version=word(version.get("version")) or seen.version,
            ctx=context_of(entry),
            draft=draft,
        )

    def count_tokens(self, text: str, model: str, *, chat: bool = False) -> Counting:
        """By the served model's tokenizer."""
        return vllm_count(text, model, chat=chat)

    def _stream_options(self) -> dict[str, Any]:
        return {"continuous_usage_stats": True}
