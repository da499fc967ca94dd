"""Lists of models as servers give them: the names that can be asked for, the loaded one first."""

from __future__ import annotations

from typing import Any

from sparktui.servers.base import Answer
from sparktui.servers.lenient import mapping, read_json, word


def json_of(answer: Answer) -> Any:
    """The decoded body of a 200 answer, None for any other answer or when it is no JSON."""
    if answer.status != 200:
        return None
    try:
        return read_json(answer.body)
    except ValueError:
        return None


def object_of(answer: Answer) -> dict[str, Any]:
    """The object in a 200 answer, an empty one otherwise."""
    return mapping(json_of(answer))


def entries_of(found: Any) -> list[dict[str, Any]] | None:
    """The models of a list under `data` or `models`, loaded ones first; None if it is no list of models (null counts as empty)."""
    body = mapping(found)
    listed = body.get("data", body.get("models", found))
    if listed is None and ("data" in body or "models" in body):
        return []
    if type(listed) is not list:
        return None
    entries = [entry for entry in listed if type(entry) is dict]
    return sorted(entries, key=lambda entry: not _is_loaded(entry))


def name_of(entry: dict[str, Any]) -> str:
    """The name a request would use for one entry."""
    return word(entry.get("id")) or word(entry.get("key")) or word(entry.get("name")) or word(entry.get("model"))


def names_of(entries: list[dict[str, Any]]) -> tuple[str, ...]:
    """Names of the entries that have one, in their order."""
    return tuple(name for entry in entries if (name := name_of(entry)))


def context_of(entry: dict[str, Any]) -> int | None:
    """Context length in tokens, as one entry tells it under any of its usual names."""
    meta = mapping(entry.get("meta"))
    for value in (entry.get("max_model_len"), meta.get("n_ctx"), entry.get("loaded_context_length"), entry.get("context_length")):
        if type(value) is int and value > 0:
            return value
    return None


def _is_loaded(entry: dict[str, Any]) -> bool:
    status = entry.get("status")
    state = word(entry.get("state")) or word(status) or word(mapping(status).get("value"))
    return state == "loaded" or bool(entry.get("loaded_instances"))
