"""The adapter of each server kind."""

from __future__ import annotations

from sparktui.errors import UsageError
from sparktui.servers.base import Adapter, AdapterTable
from sparktui.servers.llamacpp import LlamaCppAdapter
from sparktui.servers.lmstudio import LmStudioAdapter
from sparktui.servers.ollama import OllamaAdapter
from sparktui.servers.openai import OpenAiAdapter
from sparktui.servers.sglang import SglangAdapter
from sparktui.servers.tabbyapi import DemoAdapter, TabbyApiAdapter
from sparktui.servers.vllm import VllmAdapter

_ALL: tuple[Adapter, ...] = (
    TabbyApiAdapter(), DemoAdapter(), LlamaCppAdapter(), VllmAdapter(), SglangAdapter(), OllamaAdapter(), LmStudioAdapter(),
    OpenAiAdapter(),
)  # fmt: skip

ADAPTERS: AdapterTable = {adapter.kind: adapter for adapter in _ALL}


def adapter_for(kind: str) -> Adapter:
    """The adapter of a kind of config, or of "demo". Raises UsageError on a kind that is none ("auto" has to be recognised first)."""
    adapter = ADAPTERS.get(kind)
    if adapter is None:
        raise UsageError(f"There is no server kind {kind!r}.", hint=f"Kinds: {', '.join(sorted(ADAPTERS))}.")
    return adapter
