"""Makes a JSON value that fits a schema, of about the length asked for: what the demo says where structured output is demanded."""

from __future__ import annotations

import json
import random
from functools import lru_cache
from typing import Any

from sparktui.demo import tokens

_WORDS = (
    "lantern", "harbour", "quiet", "amber", "signal", "drift", "copper", "evening", "north", "ledger", "open", "tide", "paper", "window",
    "early", "stone", "bright", "keeper", "green", "margin", "river", "salt", "cedar", "orbit", "café", "naïve", "garden", "morning",
)  # fmt: skip
_FORMATS = {
    "date": "2026-03-14",
    "time": "09:26:53Z",
    "date-time": "2026-03-14T09:26:53Z",
    "email": "keeper@example.org",
    "uri": "https://example.org/light",
    "uuid": "3f2b8c1e-5d47-4a90-9c11-7e0d2a6b4f58",
    "ipv4": "192.0.2.7",
    "hostname": "light.example.org",
}
_DEPTH = 8
_MOST_ITEMS = 2_000
_ANY = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "integer", "minimum": 1},
                    "name": {"type": "string"},
                    "ready": {"type": "boolean"},
                    "weight": {"type": "number", "minimum": 0, "maximum": 100},
                },
            },
        },
    },
}  # fmt: skip


def schema_in(body: dict[str, Any]) -> dict[str, Any] | None:
    """The JSON schema that a request asks for (`json_schema`, `response_format`); {} for any JSON, None for free text."""
    if isinstance(body.get("json_schema"), dict):
        return dict(body["json_schema"])
    wanted = body.get("response_format")
    if not isinstance(wanted, dict) or wanted.get("type") not in ("json_schema", "json_object", "json"):
        return None
    inner = wanted.get("json_schema")
    schema = inner.get("schema", inner) if isinstance(inner, dict) else wanted.get("schema")
    return dict(schema) if isinstance(schema, dict) else {}


def structured_answer(schema: dict[str, Any], target_tokens: int, seed: str) -> str:
    """JSON text for `schema`. Arrays without an upper bound are filled until the text has nearly `target_tokens` tokens."""
    return _filled(json.dumps(schema or _ANY), target_tokens, seed)


@lru_cache(maxsize=64)
def _filled(schema: str, target_tokens: int, seed: str) -> str:
    root = json.loads(schema)
    text = _made(root, 1, seed)
    fits, too_many = 1, _MOST_ITEMS
    while too_many - fits > 1:
        items = min((fits + too_many) // 2, 2 * fits)
        longer = _made(root, items, seed)
        if longer == text and items > 2:
            break
        if tokens.count(longer) > target_tokens:
            too_many = items
        else:
            text, fits = longer, items
    return text


def _made(root: dict[str, Any], items: int, seed: str) -> str:
    return json.dumps(_Maker(root, items, seed).value(root), ensure_ascii=False, indent=2)


class _Maker:
    """Makes values. The outermost arrays get `items` items, those inside them two."""

    def __init__(self, root: dict[str, Any], items: int, seed: str) -> None:
        self._root = root
        self._items = items
        self._rng = random.Random(seed)

    def value(self, schema: Any, depth: int = 0, inside: bool = False) -> Any:
        schema = self._resolved(schema, depth)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self._rng.choice(schema["enum"])
        kind = schema.get("type") or ("object" if "properties" in schema else "array" if "items" in schema else "string")
        if isinstance(kind, list):
            kind = next((one for one in kind if one != "null"), "null")
        if kind == "object":
            return self._object(schema, depth, inside)
        if kind == "array":
            return self._array(schema, depth, inside)
        return self._plain(kind, schema)

    def _resolved(self, schema: Any, depth: int) -> dict[str, Any]:
        """`schema` with references followed and its first alternative taken."""
        found: dict[str, Any] = dict(schema) if isinstance(schema, dict) else {}
        for _ in range(_DEPTH):
            if "$ref" in found:
                found = self._referred(str(found["$ref"])) if depth < _DEPTH else {"type": "null"}
            elif options := found.get("anyOf") or found.get("oneOf"):
                first = next((one for one in options if isinstance(one, dict) and one.get("type") != "null"), {})
                found = {**{k: v for k, v in found.items() if k not in ("anyOf", "oneOf")}, **first}
            elif found.get("allOf"):
                parts = found.pop("allOf")
                for part in parts:
                    found.update(part if isinstance(part, dict) else {})
            else:
                break
        return found

    def _referred(self, reference: str) -> dict[str, Any]:
        node: Any = self._root
        for key in reference.lstrip("#/").split("/"):
            node = node.get(key, {}) if isinstance(node, dict) else {}
        return dict(node) if isinstance(node, dict) else {}

    def _object(self, schema: dict[str, Any], depth: int, inside: bool) -> dict[str, Any]:
        properties = schema.get("properties")
        if not isinstance(properties, dict):
            return {word: self._phrase(2) for word in self._rng.sample(_WORDS, 3)}
        required = schema.get("required") or ()
        return {name: self.value(part, depth + 1, inside) for name, part in properties.items() if depth < _DEPTH or name in required}

    def _array(self, schema: dict[str, Any], depth: int, inside: bool) -> list[Any]:
        least, most = _whole(schema.get("minItems"), 0), _whole(schema.get("maxItems"), _MOST_ITEMS)
        wanted = 0 if depth >= _DEPTH else 2 if inside else self._items
        return [self.value(schema.get("items", {}), depth + 1, inside=True) for _ in range(min(max(wanted, least), most))]

    def _plain(self, kind: str, schema: dict[str, Any]) -> Any:
        if kind == "boolean":
            return self._rng.random() < 0.5
        if kind == "null":
            return None
        if kind in ("integer", "number"):
            return self._number(kind, schema)
        if schema.get("format") in _FORMATS:
            return _FORMATS[schema["format"]]
        text = self._phrase(self._rng.randint(2, 6))
        text = text.ljust(_whole(schema.get("minLength"), 0), ".")
        return text[: _whole(schema.get("maxLength"), len(text))]

    def _number(self, kind: str, schema: dict[str, Any]) -> int | float:
        low, high = _bound(schema, "minimum", "exclusiveMinimum", 1), _bound(schema, "maximum", "exclusiveMaximum", -1)
        low = low if low is not None else min(0.0, high - 1000 if high is not None else 0.0)
        high = high if high is not None else low + 1000
        drawn = self._rng.uniform(low, max(low, high))
        return min(max(round(drawn), round(low)), round(high)) if kind == "integer" else round(drawn, 2)

    def _phrase(self, words: int) -> str:
        return " ".join(self._rng.choice(_WORDS) for _ in range(words))


def _whole(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else otherwise


def _bound(schema: dict[str, Any], name: str, exclusive: str, step: int) -> float | None:
    value = schema.get(name)
    if isinstance(value, int | float):
        return float(value)
    beyond = schema.get(exclusive)
    return float(beyond) + step if isinstance(beyond, int | float) and not isinstance(beyond, bool) else None
