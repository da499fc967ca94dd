"""The text of an event's choices: answer, reasoning and tool calls, under every name servers use for them."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from sparktui.core.delta import TextPart
from sparktui.servers.lenient import count, mapping, word


class Texts(Struct, frozen=True):
    """What the choices of one event hold. `other_choices`: (index, text) of choices other than the first."""

    parts: tuple[TextPart, ...] = ()
    other_choices: tuple[tuple[int, str], ...] = ()
    finish_reason: str | None = None


_NOTHING = Texts()


def texts_in(choices: Any) -> Texts:
    """Text and finish reason of `choices`; a choice without an index is the first one, "" is no finish reason."""
    if type(choices) is not list or not choices:
        return _NOTHING
    parts: tuple[TextPart, ...] = ()
    others: list[tuple[int, str]] = []
    finish: str | None = None
    for choice in choices:
        if type(choice) is not dict:
            continue
        index = choice.get("index") or 0
        found = _choice_parts(choice)
        if type(index) is int and index > 0:
            if found:
                others.append((index, "".join(part.text for part in found)))
            continue
        parts += found
        finish = _reason(choice.get("finish_reason")) or finish
    return Texts(parts, tuple(others), finish)


def _choice_parts(choice: dict[str, Any]) -> tuple[TextPart, ...]:
    """Reasoning before content before tool calls: the order in which a model makes them."""
    delta = choice.get("delta")
    if type(delta) is not dict:
        delta = choice.get("message")
        if type(delta) is not dict:
            text = word(choice.get("text"))
            return (TextPart("content", text),) if text else ()
    get = delta.get
    content = get("content") or get("refusal") or ""
    reasoning = get("reasoning") or get("reasoning_content") or ""
    if not reasoning and type(content) is str and "tool_calls" not in delta and "function_call" not in delta:
        return (TextPart("content", content),) if content else ()
    parts: list[TextPart] = []
    if reasoning := _plain(reasoning):
        parts.append(TextPart("reasoning", reasoning))
    if content := _plain(content):
        parts.append(TextPart("content", content))
    parts += _tool_parts(get("tool_calls"), get("function_call"))
    return tuple(parts)


def _tool_parts(calls: Any, legacy_call: Any) -> list[TextPart]:
    """Each call's name, a blank, its arguments; a later call of the same answer starts on a line of its own."""
    entries = list(calls) if type(calls) is list else []
    if type(legacy_call) is dict:
        entries.append({"function": legacy_call})
    parts = []
    for place, entry in enumerate(entries):
        call = mapping(entry)
        function = mapping(call.get("function"))
        name, arguments = word(function.get("name")), function.get("arguments")
        text = arguments if type(arguments) is str else "" if arguments is None else msgspec.json.encode(arguments).decode()
        if name:
            number = count(call.get("index"))
            text = ("\n" if (place if number is None else number) else "") + f"{name} {text}"
        if text:
            parts.append(TextPart("tool", text, name))
    return parts


def _plain(value: Any) -> str:
    """Text as it is, or the texts of a list of typed content parts."""
    if type(value) is list:
        return "".join(word(mapping(item).get("text")) for item in value)
    return word(value)


def _reason(value: Any) -> str | None:
    if type(value) is dict:
        value = value.get("type")
    return value if type(value) is str and value else None
