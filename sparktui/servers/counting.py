"""Counting tokens with the server's own tokenizer: what to post, and what the answer says. Pure."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from sparktui.servers.base import Answer, Counting, Post
from sparktui.servers.lenient import count, mapping, read_json, word

_Object = Generator[Post, Answer, dict[str, Any]]


def uncounted() -> Counting:
    """A server without a tokenizer endpoint."""
    yield from ()
    return None


def messages_of(text: str) -> list[dict[str, str]]:
    """`text` as the chat that a prompt of it is."""
    return [{"role": "user", "content": text}]


def tabbyapi_count(text: str, *, chat: bool) -> Counting:
    """POST /v1/token/encode, which takes a text or chat messages and says `length`."""
    body = {"text": messages_of(text) if chat else text, "add_bos_token": chat}
    found = yield from _posted(Post(path="/v1/token/encode", body=body))
    return counted(found, "length")


def llamacpp_count(text: str, *, chat: bool) -> Counting:
    """POST /tokenize; for a chat the server's template is asked for first (POST /apply-template), older builds have none."""
    content, templated = text, False
    if chat:
        found = yield from _posted(Post(path="/apply-template", body={"messages": messages_of(text)}))
        templated = bool(word(found.get("prompt")))
        content = word(found.get("prompt")) or text
    body = {"content": content, "add_special": chat, "parse_special": templated}
    found = yield from _posted(Post(path="/tokenize", body=body))
    return counted(found)


def vllm_count(text: str, model: str, *, chat: bool) -> Counting:
    """POST /tokenize, which takes a prompt or chat messages and says `count`."""
    own: dict[str, Any] = {"prompt": text, "add_special_tokens": False}
    if chat:
        own = {"messages": messages_of(text), "add_generation_prompt": True}
    found = yield from _posted(Post(path="/tokenize", body={"model": model, **own}))
    return counted(found, "count")


def counted(found: dict[str, Any], name: str = "") -> int | None:
    """The number in field `name`, else the length of the list of `tokens`; None where neither is there."""
    number = count(found.get(name)) if name else None
    tokens = found.get("tokens")
    return number if number is not None else len(tokens) if isinstance(tokens, list) else None


def _posted(post: Post) -> _Object:
    answer = yield post
    if answer.status != 200:
        return {}
    try:
        return mapping(read_json(answer.body))
    except ValueError:
        return {}
