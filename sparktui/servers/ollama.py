"""Ollama: usage when asked for; it names no draft figures and no requests in flight over HTTP."""

from __future__ import annotations

from typing import ClassVar

from sparktui.core.records import ServerInfo
from sparktui.servers.asking import Questions
from sparktui.servers.base import Asking, Recognition
from sparktui.servers.lenient import word
from sparktui.servers.model_list import context_of, name_of
from sparktui.servers.openai import OpenAiAdapter, first_model, first_name
from sparktui.servers.url import BaseUrl


class OllamaAdapter(OpenAiAdapter):
    """Lists every model it could load; the one in memory comes first where there is one."""

    kind: ClassVar[str] = "ollama"

    def describe(self, base_url: str, seen: Recognition) -> Asking:
        """The model in memory and its context from /api/ps, else the first one listed."""
        questions = Questions(seen.needs_key)
        loaded = yield from first_model(questions, "/api/ps")
        model = name_of(loaded) or first_name(seen)
        if not model:
            listed = yield from first_model(questions, "/v1/models")
            model = name_of(listed)
        version = seen.version
        if not version:
            answer = yield from questions.object("/api/version")
            version = word(answer.get("version"))
        return ServerInfo(kind=self.kind, base_url=BaseUrl.parse(base_url).shown, model=model, version=version, ctx=context_of(loaded))
