"""Playing a server to the generators that ask: answers by path, and what was asked."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import msgspec

from sparktui.servers.base import Answer, Get
from tests.servers.captures import FIXTURES, Http, capture

NOTHING = Answer(status=0, failure="connection refused")
FASTAPI_404 = Answer(status=404, content_type="application/json", body=b'{"detail":"Not Found"}', server_header="uvicorn")
PAGE = Answer(status=200, content_type="text/html; charset=utf-8", body=b"<!doctype html><title>UI</title>")


def answer_of(http: Http) -> Answer:
    return Answer(
        status=http.status, content_type=http.headers.get("content-type", ""), body=http.body, server_header=http.headers.get("server", "")
    )


def tabby(name: str) -> Answer:
    return answer_of(capture(FIXTURES / f"tabbyapi-e632af4/endpoints/{name}.jsonl"))


def file_answer(name: str, server: str = "") -> Answer:
    kind = "text/plain; version=0.0.4" if name.endswith(".prom") else "application/json"
    return Answer(status=200, content_type=kind, body=(FIXTURES / name).read_bytes(), server_header=server)


def json_answer(value: Any, status: int = 200, server: str = "") -> Answer:
    return Answer(status=status, content_type="application/json", body=msgspec.json.encode(value), server_header=server)


def play(
    asking: Generator[Get, Answer, Any], answers: Mapping[str, Answer], default: Answer, locked: Answer | None = None
) -> tuple[Any, list[str]]:
    """What the generator concludes and the paths it asked, `*` behind those with the key. `locked`: the answer to a GET without it."""
    asked: list[str] = []
    answer = None
    try:
        while True:
            get = asking.send(answer)  # type: ignore[arg-type]
            asked.append(get.path + ("*" if get.with_key else ""))
            assert 0 < get.timeout_s <= 5
            answer = locked if locked is not None and not get.with_key else answers.get(get.path, default)
    except StopIteration as stop:
        return stop.value, asked
