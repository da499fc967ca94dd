"""What a completion request asks for, read from its body as TabbyAPI's validation reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sparktui.demo import tokens
from sparktui.demo.answers import Question, question_in
from sparktui.demo.faults import HEADER, Faults, UnknownModeError, faults_in
from sparktui.demo.structured import schema_in

Problem = dict[str, Any]


class InvalidCallError(Exception):
    """A body that is refused with status 422; `detail` is what the answer says."""

    def __init__(self, *detail: Problem) -> None:
        super().__init__("invalid request")
        self.detail = list(detail)


@dataclass(frozen=True, slots=True)
class Call:
    """`temperature` None = not sent. `prompt` is every message's text, `prompt_tokens` counts it with the messages' own tokens."""

    model: str
    prompt: str
    prompt_tokens: int
    question: Question
    chat: bool
    stream: bool
    include_usage: bool
    temperature: float | None
    max_tokens: int | None
    stops: tuple[str, ...]
    faults: Faults
    early_ends: bool


def json_object(body: bytes) -> dict[str, Any]:
    """The JSON object in a body; an empty one is {}. Raises InvalidCallError."""
    try:
        found = json.loads(body or b"{}")
    except json.JSONDecodeError as wrong:
        raise InvalidCallError(_not_json(wrong.pos, wrong.msg)) from None
    except UnicodeDecodeError as wrong:
        raise InvalidCallError(_not_json(wrong.start, "Invalid UTF-8")) from None
    if not isinstance(found, dict):
        raise InvalidCallError(_problem("model_attributes_type", ("body",), "Input should be a valid dictionary", found))
    return found


def read_call(path: str, body: dict[str, Any], headers: Mapping[str, str]) -> Call:
    """Read a request for a completion. Raises InvalidCallError."""
    chat = path.endswith("/chat/completions")
    problems: list[Problem] = []
    max_tokens = _whole(body, "max_tokens", problems)
    temperature = _real(body, "temperature", problems)
    messages = _messages(body, problems) if chat else _prompts(body, problems)
    if body.get("n") not in (None, 1):
        problems.append(_problem("literal_error", ("body", "n"), "The demo server gives one choice", body["n"]))
    if problems:
        raise InvalidCallError(*problems)
    try:
        faults = faults_in(str(body.get("model") or ""), headers.get(HEADER, ""))
    except UnknownModeError as wrong:
        raise InvalidCallError(_problem("value_error", ("body", "model"), str(wrong), body.get("model"))) from None
    prompt = "\n\n".join(messages)
    options = body.get("stream_options")
    stops = body.get("stop") or ()
    return Call(
        model=str(body.get("model") or ""),
        prompt=prompt,
        prompt_tokens=tokens.count_messages(messages),
        question=question_in(prompt, schema_in(body)),
        chat=chat,
        stream=bool(body.get("stream", False)),
        include_usage=isinstance(options, dict) and bool(options.get("include_usage")) and not faults.no_usage,
        temperature=temperature,
        max_tokens=max_tokens,
        stops=(stops,) if isinstance(stops, str) else tuple(str(stop) for stop in stops),
        faults=faults,
        early_ends=path.startswith("/api/"),
    )


def texts_of(messages: Any) -> list[str] | None:
    """The texts of chat messages, parts of one message joined; None where they are not a list of messages."""
    if not isinstance(messages, list):
        return None
    texts = []
    for message in messages:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list):
            content = "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
        texts.append(content if isinstance(content, str) else "")
    return texts


def _messages(body: dict[str, Any], problems: list[Problem]) -> list[str]:
    texts = texts_of(body.get("messages"))
    if texts is None:
        problems.append(_problem("list_type", ("body", "messages"), "Input should be a valid list", body.get("messages")))
        return []
    return texts


def _prompts(body: dict[str, Any], problems: list[Problem]) -> list[str]:
    prompt = body.get("prompt")
    if isinstance(prompt, list) and all(isinstance(part, str) for part in prompt):
        prompt = "\n".join(prompt)
    if not isinstance(prompt, str):
        problems.append(_problem("string_type", ("body", "prompt"), "Input should be a valid string", prompt))
        return []
    return [prompt]


def _whole(body: dict[str, Any], name: str, problems: list[Problem]) -> int | None:
    value = _real(body, name, problems, kind="int", word="integer")
    if value is None:
        return None
    if value != int(value) or value < 0:
        problems.append(_problem("int_from_float", ("body", name), "Input should be a valid integer, 0 or more", body[name]))
        return None
    return int(value)


def _real(body: dict[str, Any], name: str, problems: list[Problem], *, kind: str = "float", word: str = "number") -> float | None:
    value = body.get(name)
    if value is None:
        return None
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise TypeError
        number = float(value)
        if not abs(number) < 1e9:
            raise ValueError
    except ValueError:
        message = f"Input should be a valid {word}, unable to parse string as {'an' if word == 'integer' else 'a'} {word}"
        problems.append(_problem(f"{kind}_parsing", ("body", name), message, value))
        return None
    except TypeError:
        problems.append(_problem(f"{kind}_type", ("body", name), f"Input should be a valid {word}", value))
        return None
    return number


def _problem(kind: str, place: tuple[str, ...], message: str, value: Any) -> Problem:
    return {"type": kind, "loc": list(place), "msg": message, "input": value}


def _not_json(place: int, message: str) -> Problem:
    return {"type": "json_invalid", "loc": ["body", place], "msg": "JSON decode error", "input": {}, "ctx": {"error": message}}
