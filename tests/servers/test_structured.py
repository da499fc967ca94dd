"""The built-in prompt with structured output, as every kind of server is asked for it."""

from __future__ import annotations

import json

import pytest

from sparktui.core.config import KINDS, Config
from sparktui.io.config.prompts import JSON_SCHEMA, resolve_prompt
from sparktui.servers.base import ChatRequest
from sparktui.servers.registry import adapter_for


@pytest.mark.parametrize("kind", [*(kind for kind in KINDS if kind != "auto"), "demo"])
def test_every_kind_is_given_the_schema(kind: str) -> None:
    prompt = resolve_prompt(Config(), "json")
    body = adapter_for(kind).body(ChatRequest(prompt=prompt.sent, model="m", schema=prompt.schema))
    asked = body["response_format"]
    assert (asked["type"], asked["json_schema"]["schema"], asked["json_schema"]["strict"]) == ("json_schema", JSON_SCHEMA, True)
    assert body.get("json_schema") == (JSON_SCHEMA if kind in ("tabbyapi", "demo") else None)
    plain = adapter_for(kind).body(ChatRequest(prompt="x", model="m"))
    assert "response_format" not in plain
    assert json.dumps(body)


def test_the_schema_fits_the_strict_mode_of_servers_that_have_one() -> None:
    """Strict schemas name every property as required and allow no others."""
    boat = JSON_SCHEMA["properties"]["boats"]["items"]
    for part in (JSON_SCHEMA, boat):
        assert part["additionalProperties"] is False
        assert set(part["required"]) == set(part["properties"])
