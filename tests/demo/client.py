"""A raw HTTP client for the demo server: reads as they came, nothing interpreted on the way."""

from __future__ import annotations

import json
import re
import socket
import time
from dataclasses import dataclass, field
from typing import Any

from sparktui.demo.process import DemoProcess

STORY = "Write a short story about a lighthouse keeper (about 500 words)."
CODE = (
    "Write a Python module implementing a thread-safe LRU cache class with get, put, capacity eviction, "
    "and a small pytest test file. Code only, no explanation."
)
FAST = 400.0


@dataclass
class Answered:
    """`reads`: what each recv brought, with its time since the request was sent."""

    reads: list[tuple[float, bytes]] = field(default_factory=list)

    @property
    def raw(self) -> bytes:
        return b"".join(data for _, data in self.reads)

    @property
    def status(self) -> int:
        return int(self.raw.split(b" ", 2)[1])

    @property
    def head(self) -> bytes:
        return self.raw.partition(b"\r\n\r\n")[0]

    @property
    def body(self) -> bytes:
        rest = self.raw.partition(b"\r\n\r\n")[2]
        if b"chunked" not in self.head.lower():
            return rest
        found = b""
        while rest:
            size, _, rest = rest.partition(b"\r\n")
            found, rest = found + rest[: int(size, 16)], rest[int(size, 16) + 2 :]
        return found

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[Any]:
        """Every JSON event of the stream."""
        return [json.loads(line[6:]) for line in self.body.decode().split("\r\n") if line.startswith("data: {")]

    @property
    def chunks(self) -> list[str]:
        choices = [event["choices"][0] for event in self.events if "choices" in event]
        texts = [choice.get("text") if "text" in choice else choice["delta"].get("content") for choice in choices]
        return [text for text in texts if text]

    @property
    def text(self) -> str:
        return "".join(self.chunks)

    @property
    def usage(self) -> dict[str, Any]:
        return self.events[-1]["usage"]

    @property
    def request_id(self) -> str:
        return self.events[0]["id"].removeprefix("chatcmpl-")


def exchange(
    port: int, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, *, stop_after: float | None = None
) -> Answered:
    """One request on a connection of its own, read to its end; closed by us after `stop_after` seconds."""
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    lines = {"Host": "demo", "Connection": "close", **(headers or {}), "Content-Length": str(len(data))}
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items()) + "\r\n"
    answered = Answered()
    with socket.create_connection(("127.0.0.1", port), timeout=10) as sock:
        begun = time.perf_counter()
        sock.sendall(head.encode() + data)
        while stop_after is None or time.perf_counter() - begun < stop_after:
            sock.settimeout(10 if stop_after is None else max(0.001, begun + stop_after - time.perf_counter()))
            try:
                found = sock.recv(65_536)
            except TimeoutError:
                assert stop_after is not None, "the demo server said nothing for 10 s"
                break
            if not found:
                break
            answered.reads.append((time.perf_counter() - begun, found))
    return answered


def chat(prompt: str = STORY, **fields: Any) -> dict[str, Any]:
    """The body of a streamed chat request that asks for usage."""
    message = [{"role": "user", "content": prompt}]
    return {"model": "demo", "messages": message, "stream": True, "stream_options": {"include_usage": True}, "max_tokens": 800, **fields}


def ask(demo: DemoProcess, prompt: str = STORY, *, path: str = "/v1/chat/completions", **fields: Any) -> Answered:
    body = chat(prompt, **fields) if "chat" in path else {**chat(prompt, **fields), "prompt": prompt}
    return exchange(demo.port, "POST", path, body)


def get(demo: DemoProcess, path: str, **headers: str) -> Answered:
    return exchange(demo.port, "GET", path, headers=headers)


def logged(demo: DemoProcess, pattern: str, within_s: float = 2.0) -> re.Match[str]:
    """The first match in the log, waited for: records come after the answer."""
    deadline = time.monotonic() + within_s
    while True:
        text = demo.log_path.read_text()
        if match := re.search(pattern, text):
            return match
        assert time.monotonic() < deadline, f"{pattern!r} is not in the log:\n{text[-2000:]}"
        time.sleep(0.005)
