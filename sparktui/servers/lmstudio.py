"""LM Studio: usage when asked for, `stats` where its answers carry them; it answers 200 to paths it does not know."""

from __future__ import annotations

from typing import Any, ClassVar

from sparktui.core.records import ServerInfo
from sparktui.servers.asking import AskedValue, Questions
from sparktui.servers.base import Asking, Recognition
from sparktui.servers.lenient import count, mapping, word
from sparktui.servers.model_list import context_of, name_of
from sparktui.servers.openai import OpenAiAdapter, first_model, first_name
from sparktui.servers.url import BaseUrl


class LmStudioAdapter(OpenAiAdapter):
    """Its own lists say what is loaded; the OpenAI one names everything on disk."""

    kind: ClassVar[str] = "lmstudio"

    def describe(self, base_url: str, seen: Recognition) -> Asking:
        """The loaded model and its context from /api/v1/models, from /api/v0/models on versions before it."""
        questions = Questions(seen.needs_key)
        instance = yield from _loaded_instance(questions)
        entry = {} if instance else (yield from _loaded_v0(questions))
        config = mapping(instance.get("config"))
        return ServerInfo(
            kind=self.kind,
            base_url=BaseUrl.parse(base_url).shown,
            model=word(instance.get("id")) or name_of(entry) or first_name(seen),
            version=seen.version,
            ctx=count(config.get("context_length")) or context_of(entry),
            slots=count(config.get("parallel")) or None,
        )


def _loaded_instance(questions: Questions) -> AskedValue:
    entry: dict[str, Any] = yield from first_model(questions, "/api/v1/models")
    instances = entry.get("loaded_instances")
    return mapping(instances[0]) if isinstance(instances, list) and instances else {}


def _loaded_v0(questions: Questions) -> AskedValue:
    entry: dict[str, Any] = yield from first_model(questions, "/api/v0/models")
    return entry if entry.get("state") == "loaded" else {}
