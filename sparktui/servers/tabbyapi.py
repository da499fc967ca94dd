"""TabbyAPI, and the demo server, which speaks the same."""

from __future__ import annotations

from typing import Any, ClassVar

from sparktui.core.records import ServerInfo
from sparktui.servers.asking import AskedValue, Questions
from sparktui.servers.base import Asking, Counting, Recognition
from sparktui.servers.counting import tabbyapi_count
from sparktui.servers.lenient import count, mapping, word
from sparktui.servers.model_list import entries_of, names_of
from sparktui.servers.openai import OpenAiAdapter, first_name
from sparktui.servers.url import BaseUrl


class TabbyApiAdapter(OpenAiAdapter):
    """Usage carries times and rates; newer versions add draft and cache counters. There is no idle check and no metrics endpoint."""

    kind: ClassVar[str] = "tabbyapi"
    steps_checked: ClassVar[bool] = True

    def describe(self, base_url: str, seen: Recognition) -> Asking:
        """The loaded model's card: context, cache, batch size, and what it drafts with."""
        questions = Questions(seen.needs_key)
        card = yield from questions.object("/v1/model")
        model = word(card.get("id"))
        parameters = mapping(card.get("parameters"))
        draft = word(mapping(parameters.get("draft")).get("id")) or None
        if model and draft is None:
            draft = yield from _self_draft(questions, model)
        return ServerInfo(
            kind=self.kind,
            base_url=BaseUrl.parse(base_url).shown,
            model=model or first_name(seen),
            version=seen.version,
            ctx=count(parameters.get("max_seq_len")) or None,
            draft=draft,
            cache_mode=word(parameters.get("cache_mode")) or None,
            cache_tokens=count(parameters.get("cache_size")) or None,
            slots=count(parameters.get("max_batch_size")) or None,
        )

    def count_tokens(self, text: str, model: str, *, chat: bool = False) -> Counting:
        """By the loaded model's tokenizer."""
        return tabbyapi_count(text, chat=chat)

    def _schema_options(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Its own field, which constrains the answer on versions whose response_format does not."""
        return {**super()._schema_options(schema), "json_schema": schema}


class DemoAdapter(TabbyApiAdapter):
    """The simulated server."""

    kind: ClassVar[str] = "demo"


def _self_draft(questions: Questions, model: str) -> AskedValue:
    """ "MTP" where the list of draft models names the main model, else None.

    That holds for an API key only: an admin's list (and everyone's, with authentication off) is every folder there is.
    """
    found = yield from questions.value("/v1/model/draft/list")
    if names_of(entries_of(found) or []) != (model,):
        return None
    permission = yield from questions.object("/v1/auth/permission")
    return "MTP" if permission.get("permission") == "api" else None
