"""Drives the servers' questions over HTTP, within a time that holds for all of them together."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import TypeVar

import msgspec

from sparktui.io.http.client import Client
from sparktui.io.http.exchange import Stop
from sparktui.servers.base import Answer, Get

Result = TypeVar("Result")


def ask(questions: Generator[Get, Answer, Result], client: Client, *, within_s: float, stop: Stop | None = None) -> Result:
    """What `questions` conclude from the answers. When `within_s` is over, or `stop` is set, the rest stays unanswered (status 0)."""
    until = time.monotonic() + within_s
    try:
        get = next(questions)
        while True:
            left_s = until - time.monotonic()
            if left_s <= 0:
                answer = Answer(status=0, failure="not asked: out of time")
            else:
                answer = client.get(msgspec.structs.replace(get, timeout_s=min(get.timeout_s, left_s)), stop)
            get = questions.send(answer)
    except StopIteration as end:
        result: Result = end.value
        return result
