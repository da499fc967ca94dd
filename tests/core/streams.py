"""Captured streams as their reads and their answers, for tests that need real text and real times."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from sparktui.core.sse import SseParser

FIXTURES = Path(__file__).parents[1] / "fixtures"


def body_reads(name: str) -> list[tuple[float, bytes]]:
    """A captured stream ("server/stream name") as (seconds since the request, body bytes of one HTTP chunk), head and framing taken off."""
    server, stream = name.split("/")
    lines = (FIXTURES / server / "streams" / f"{stream}.jsonl").read_text(encoding="utf-8").split("\n")
    out: list[tuple[float, bytes]] = []
    head, body, in_body = b"", b"", False
    for read in (json.loads(line) for line in lines[1:] if line):
        data = base64.b64decode(read["b64"]) if "b64" in read else read["text"].encode()
        if not in_body:
            head += data
            if b"\r\n\r\n" not in head:
                continue
            data, in_body = head.partition(b"\r\n\r\n")[2], True
        body += data
        while b"\r\n" in body:
            size, _, rest = body.partition(b"\r\n")
            length = int(size, 16)
            if len(rest) < length + 2:
                break
            out.append((read["t"], rest[:length]))
            body = rest[length + 2 :]
    return out


def capture(name: str) -> list[tuple[float, dict[str, Any]]]:
    """JSON events of a captured stream with the time of the read that completed each."""
    parser = SseParser()
    events = [(t_s, event.data) for t_s, data in body_reads(name) for event in parser.feed(data)]
    return [(t_s, json.loads(data)) for t_s, data in events if data != "[DONE]"]


def pieces(name: str) -> list[tuple[float, str, str]]:
    """(time, kind, text) of every event with text of choice 0 in a captured stream."""
    out = []
    for t_s, event in capture(name):
        for choice in event.get("choices") or []:
            delta = choice.get("delta") or {}
            for key, kind in (("reasoning_content", "reasoning"), ("content", "content")):
                if delta.get(key) and not choice.get("index"):
                    out.append((t_s, kind, delta[key]))
    return out


def completion_tokens(name: str) -> int:
    """The count the server gave for a captured stream."""
    return int(next(event["usage"]["completion_tokens"] for _, event in reversed(capture(name)) if event.get("usage")))
