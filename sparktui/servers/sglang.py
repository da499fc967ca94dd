"""SGLang: exact token counts on every event, per-request draft counts on request, server arguments on /server_info."""

from __future__ import annotations

from typing import Any, ClassVar

from sparktui.core.records import ServerInfo
from sparktui.servers.asking import Questions
from sparktui.servers.base import Asking, Recognition
from sparktui.servers.lenient import count, word
from sparktui.servers.model_list import context_of, name_of
from sparktui.servers.openai import OpenAiAdapter, first_model, first_name
from sparktui.servers.url import BaseUrl


class SglangAdapter(OpenAiAdapter):
    """Draft counts come in an event of their own (`sglext`) when asked for."""

    kind: ClassVar[str] = "sglang"
    metrics_path: ClassVar[str] = "/metrics"

    def describe(self, base_url: str, seen: Recognition) -> Asking:
        """Model and context from /v1/models; version, drafting and cache from /server_info (/get_server_info on older ones)."""
        questions = Questions(seen.needs_key)
        entry = yield from first_model(questions, "/v1/models")
        info = yield from questions.object("/server_info")
        if not info:
            info = yield from questions.object("/get_server_info")
        draft = word(info.get("speculative_algorithm")) or ("none" if "speculative_algorithm" in info else None)
        return ServerInfo(
            kind=self.kind,
            base_url=BaseUrl.parse(base_url).shown,
            model=name_of(entry) or word(info.get("served_model_name")) or first_name(seen),
            version=word(info.get("version")) or seen.version,
            ctx=context_of(entry) or count(info.get("context_length")),
            draft=draft,
            cache_mode=word(info.get("kv_cache_dtype")) or None,
            cache_tokens=count(info.get("max_total_num_tokens")) or None,
            slots=count(info.get("max_running_requests")) or None,
        )

    def _own_options(self) -> dict[str, Any]:
        return {"return_spec_tokens_details": True}

    def _stream_options(self) -> dict[str, Any]:
        return {"continuous_usage_stats": True}
