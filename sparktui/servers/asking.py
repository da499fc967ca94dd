"""Asking a recognised server for what is worth recording: GETs that carry the key only once the server has wanted one."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from sparktui.servers.base import Answer, Get
from sparktui.servers.lenient import mapping
from sparktui.servers.model_list import json_of

Asked = Generator[Get, Answer, Answer]
AskedObject = Generator[Get, Answer, dict[str, Any]]
AskedValue = Generator[Get, Answer, Any]

PATIENT_S = 5.0


class Questions:
    """One conversation with one server; remembers whether it wants a key."""

    def __init__(self, needs_key: bool = False, timeout_s: float = PATIENT_S) -> None:
        self.needs_key = needs_key
        self._timeout_s = timeout_s

    def answer(self, path: str) -> Asked:
        """The answer to a GET, asked again with the key if it was refused without."""
        answer = yield Get(path=path, timeout_s=self._timeout_s, with_key=self.needs_key)
        if answer.status in (401, 403) and not self.needs_key:
            self.needs_key = True
            answer = yield Get(path=path, timeout_s=self._timeout_s, with_key=True)
        return answer

    def value(self, path: str) -> AskedValue:
        """The decoded body, None unless the status is 200 and it is JSON."""
        answer = yield from self.answer(path)
        return json_of(answer)

    def object(self, path: str) -> AskedObject:
        """The decoded body if it is an object, else an empty one."""
        found = yield from self.value(path)
        return mapping(found)
