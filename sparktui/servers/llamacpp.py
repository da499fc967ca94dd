"""llama.cpp's llama-server: per-token timings, prefill progress, slots and counters."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from sparktui.core.records import ServerInfo
from sparktui.servers.asking import Questions
from sparktui.servers.base import Asking, Counting, IdleAsking, IdleState, Recognition
from sparktui.servers.counting import llamacpp_count
from sparktui.servers.exposition import read_counters
from sparktui.servers.lenient import count, mapping, word
from sparktui.servers.model_list import context_of, json_of, name_of
from sparktui.servers.openai import OpenAiAdapter, first_model, first_name
from sparktui.servers.url import BaseUrl


class LlamaCppAdapter(OpenAiAdapter):
    """`timings` on every event gives exact token counts and draft counts while the answer streams; its counters could add nothing."""

    kind: ClassVar[str] = "llamacpp"
    steps_checked: ClassVar[bool] = True

    def describe(self, base_url: str, seen: Recognition) -> Asking:
        """Build, context and slots from /props, model from /v1/models, the way of drafting from /slots (/props always says none)."""
        questions = Questions(seen.needs_key)
        props = yield from questions.object("/props")
        entry = yield from first_model(questions, "/v1/models")
        slots = yield from questions.value("/slots")
        settings = mapping(props.get("default_generation_settings"))
        model = word(props.get("model_alias")) or name_of(entry) or first_name(seen) or word(props.get("model_path"))
        return ServerInfo(
            kind=self.kind,
            base_url=BaseUrl.parse(base_url).shown,
            model=_file_name(model),
            version=word(props.get("build_info")) or seen.version,
            ctx=count(settings.get("n_ctx")) or context_of(entry),
            draft=_drafting(slots),
            slots=count(props.get("total_slots")) or (len(slots) if isinstance(slots, list) else None),
        )

    def idle(self) -> IdleAsking:
        """From /slots, which can be switched off, else from /metrics, which has to be switched on."""
        questions = Questions(timeout_s=1.5)
        slots = json_of((yield from questions.answer("/slots")))
        states = [slot.get("is_processing") for slot in slots if isinstance(slot, dict)] if isinstance(slots, list) else []
        if states and all(isinstance(state, bool) for state in states):
            return IdleState(any(states), "slots")
        answer = yield from questions.answer("/metrics")
        counters = read_counters(answer.body) if answer.status == 200 else None
        busy = counters.busy if counters is not None else None
        return IdleState(busy, "" if busy is None else "metrics")

    def count_tokens(self, text: str, model: str, *, chat: bool = False) -> Counting:
        """By the loaded model's tokenizer."""
        return llamacpp_count(text, chat=chat)

    def caching_params(self) -> dict[str, Any]:
        """`cache_prompt`, which every other request switches off."""
        return {"cache_prompt": True}

    def _own_options(self) -> dict[str, Any]:
        return {"timings_per_token": True, "cache_prompt": False, "return_progress": True}


def _file_name(model: str) -> str:
    """A model named by its file's path, without the folders: the server takes any name."""
    return re.split(r"[/\\]", model)[-1] if model.lower().endswith(".gguf") else model


def _drafting(slots: Any) -> str | None:
    """How the slots draft ("draft-simple", "ngram-simple"), "none" if they do not, None if they do not say."""
    first = mapping(slots[0]) if isinstance(slots, list) and slots else {}
    speculative = first.get("speculative")
    if not isinstance(speculative, bool):
        return None
    types = word(mapping(first.get("params")).get("speculative.types"))
    ways = [way for way in types.split(",") if way and way != "none"]
    return ", ".join(ways) or "speculative" if speculative else "none"
