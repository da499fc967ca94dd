from __future__ import annotations

import json
from typing import Any

import pytest

from sparktui.demo import tokens
from sparktui.demo.structured import schema_in, structured_answer

ORDERS: dict[str, Any] = {
    "type": "object",
    "required": ["orders"],
    "properties": {
        "customer": {"type": "string", "minLength": 12, "maxLength": 20},
        "since": {"type": "string", "format": "date"},
        "orders": {"type": "array", "items": {"$ref": "#/$defs/order"}},
    },
    "$defs": {
        "order": {
            "type": "object",
            "properties": {
                "id": {"type": "integer", "minimum": 10, "maximum": 99},
                "state": {"enum": ["open", "sent", "lost"]},
                "weight": {"type": ["number", "null"], "minimum": 0, "maximum": 5},
                "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
                "next": {"anyOf": [{"type": "null"}, {"type": "boolean"}]},
                "version": {"const": 3},
            },
        },
    },
}


def test_the_value_fits_its_schema() -> None:
    value = json.loads(structured_answer(ORDERS, 600, "a"))
    assert list(value) == ["customer", "since", "orders"]
    assert 12 <= len(value["customer"]) <= 20
    assert len(value["orders"]) > 3
    for order in value["orders"]:
        assert 10 <= order["id"] <= 99
        assert order["state"] in ("open", "sent", "lost")
        assert 0 <= order["weight"] <= 5
        assert 1 <= len(order["tags"]) <= 3
        assert isinstance(order["next"], bool)
        assert order["version"] == 3


@pytest.mark.parametrize("target", [400, 784, 1_500])
def test_arrays_fill_the_length_asked_for(target: int) -> None:
    count = tokens.count(structured_answer(ORDERS, target, "b"))
    assert 0.85 * target <= count <= target


def test_a_schema_without_arrays_ends_early() -> None:
    assert json.loads(structured_answer({"type": "object", "properties": {"ok": {"type": "boolean"}}}, 1_500, "c")).keys() == {"ok"}


def test_a_schema_that_refers_to_itself_ends() -> None:
    tree = {"type": "object", "properties": {"left": {"$ref": "#"}, "leaf": {"type": "integer"}}}
    assert "left" in json.loads(structured_answer(tree, 300, "d"))


@pytest.mark.parametrize(
    ("body", "schema"),
    [
        ({}, None),
        ({"response_format": {"type": "text"}}, None),
        ({"json_schema": {"type": "array"}}, {"type": "array"}),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}}, {"type": "object"}),
        ({"response_format": {"type": "json_object"}}, {}),
        ({"response_format": {"type": "json", "schema": {"type": "null"}}}, {"type": "null"}),
    ],
)
def test_where_a_schema_is_found(body: dict[str, Any], schema: dict[str, Any] | None) -> None:
    assert schema_in(body) == schema
