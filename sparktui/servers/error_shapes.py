"""Errors in the shapes servers give them: found in any event or body, and told apart by what they mean."""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec import Struct

from sparktui.core.delta import StreamError
from sparktui.core.masking import mask_secrets
from sparktui.core.scrub import scrub
from sparktui.servers.lenient import count, mapping, read_json, word

_MESSAGE_KEYS = ("message", "error", "detail", "details", "msg", "title", "reason", "status")
_LONGEST = 400
_OVERFLOW_CODES = ("context_length_exceeded", "exceed_context_size_error")
_OVERFLOW = re.compile(
    r"exceeds? (?:the |this |its )?(?:model'?s? |available |maximum )*(?:context|model len)|maximum context length"
    r"|context (?:length|window|size) (?:was |is )?exceeded"
    r"|greater than the context length|longer than the (?:model'?s )?context"
    r"|(?:prompt|input) is too long|accepts at most \d+ tokens|exceeds the maximum (?:model|context|allowed) ",
    re.IGNORECASE,
)
_OWN_OPTIONS = (
    "stream_options", "include_usage", "continuous_usage_stats", "return_spec_tokens_details", "timings_per_token", "return_progress",
    "cache_prompt",
)  # fmt: skip


class Overflow(Struct, frozen=True):
    """A prompt that does not fit: its tokens and the server's context in tokens, where the server names them."""

    n_prompt: int | None = None
    n_ctx: int | None = None


def error_in(event: Any) -> StreamError | None:
    """The error in one decoded event or body, None if it is none.

    Shapes: `{"error": {"message"}}`, `{"error": "text"}`, `{"object": "error", "message"}`, `{"detail": "text"}`, `{"detail": [{"msg"}]}`.
    """
    if type(event) is not dict:
        return None
    if (error := event.get("error")) or event.get("object") == "error":
        inner = error if type(error) is dict else event
        code = _code(inner) or _code(event)
        return StreamError(message_in(error if type(error) in (dict, str, list) else event), code)
    if "detail" in event and "choices" not in event and event["detail"]:
        return StreamError(message_in(event["detail"]), _code(event))
    return None


def named_error(data: Any) -> StreamError:
    """The error of an event that is called `error`, whatever its data looks like."""
    return error_in(data) or StreamError(message_in(data), _code(mapping(data)))


def message_in(value: Any) -> str:
    """What an error value says, in the server's words, on one line; its JSON where no field is a message."""
    if type(value) is str:
        return shortened(value)
    if type(value) is list and value:
        return shortened("; ".join(_field_error(item) for item in value))
    if type(value) is dict:
        for key in _MESSAGE_KEYS:
            if (found := value.get(key)) and type(found) in (str, dict, list):
                return message_in(found)
    return shortened(json.dumps(value, ensure_ascii=False))


def message_of(body: bytes) -> tuple[str, Any]:
    """What an error body says, and the body decoded (None if it is no JSON). A web page gives its title, plain text itself."""
    try:
        found = read_json(body)
    except ValueError:
        text = body.decode("utf-8", "replace")
        if is_web_page(body):
            title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
            return (shortened(title[1]) if title else "a web page"), None
        return shortened(text), None
    if found is None or found in ({}, "", []):
        return "", found
    error = error_in(found)
    return (error.message if error else message_in(found)), found


def overflow_in(message: str, body: Any = None) -> Overflow | None:
    """Whether an error says that the prompt does not fit the context, with the numbers from its fields or its text."""
    error = mapping(mapping(body).get("error")) or mapping(body)
    codes = (word(error.get("type")), word(error.get("code")))
    if not any(code in _OVERFLOW_CODES for code in codes) and not _OVERFLOW.search(message):
        return None
    n_prompt, n_ctx = count(error.get("n_prompt_tokens")), count(error.get("n_ctx"))
    if n_prompt is None or n_ctx is None:
        numbers = [int(digits.replace(",", "")) for digits in re.findall(r"\d[\d,]{1,12}", message)][:2]
        if len(numbers) == 2:
            n_ctx, n_prompt = sorted(numbers)
        elif numbers:
            n_ctx = numbers[0]
    return Overflow(n_prompt, n_ctx)


def is_loading(status: int, body: bytes) -> bool:
    """Whether a 503 says that the model is being loaded, so that waiting helps; "no model is loaded" is another thing."""
    return status == 503 and re.search(r"\bloading\b", message_of(body)[0], re.IGNORECASE) is not None


def refuses_options(status: int, body: bytes) -> bool:
    """Whether a 400 or 422 objects to an option that was added to measure (usage in the stream and the like): ask again without."""
    if status not in (400, 422):
        return False
    message = message_of(body)[0]
    return any(option in message for option in _OWN_OPTIONS)


def is_web_page(body: bytes, content_type: str = "") -> bool:
    """Whether an answer is HTML, by its type or its first bytes."""
    start = body[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return content_type.lower().startswith(("text/html", "application/xhtml")) or start.startswith((b"<!doctype html", b"<html"))


def shortened(text: str) -> str:
    """`text` fit to be shown in a sentence: one line, at most 400 characters, control characters visible, keys masked."""
    line = " ".join(scrub(mask_secrets(text[: 4 * _LONGEST]), keep_newlines=False).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _field_error(item: Any) -> str:
    """One entry of a validation error: the field's path and what is wrong with it."""
    entry = mapping(item)
    message = word(entry.get("msg")) or message_in(item)
    place = entry.get("loc")
    path = ".".join(str(step) for step in place if step != "body") if type(place) is list else ""
    return f"{path}: {message}" if path else message


def _code(value: dict[str, Any]) -> str:
    for key in ("code", "http_status_code", "status_code"):
        found = value.get(key)
        if type(found) in (str, int) and found != "":
            return str(found)
    return ""
