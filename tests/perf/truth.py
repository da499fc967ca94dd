"""A streaming server whose true timing is known: the request's `plan` says what leaves when, and the stamps of what left can be asked for.

Started as a process of its own (`python -m tests.perf.truth`), it prints its port. `GET /truth` answers with the newest stream's stamps:
`received_ns`, and for every event of the plan `[kind, tokens, ns just before its send]`, on the machine's monotonic clock, which is the
one that `time.perf_counter_ns` reads in every process. An event is one HTTP chunk and one send().
"""

from __future__ import annotations

import gc
import json
import os
import socket
import threading
import time
from dataclasses import asdict
from typing import Any

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_SPIN_NS = 1_000_000
_MODEL = "truth"
_SHORT = {"usage": "asked", "sends": [{"at_us": 1000 * n, "kind": "content", "text": "word ", "tokens": 1} for n in range(5)]}


class Truth:
    """Serves connections; `newest` is what `GET /truth` tells."""

    def __init__(self) -> None:
        self.newest: dict[str, Any] = {}
        self.first_byte_ns: dict[str, int] = {}

    def serve(self, sock: socket.socket) -> None:
        """Answer the requests of one connection until it ends."""
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with sock, sock.makefile("rb") as file:
            while line := file.readline():
                begun_ns = time.perf_counter_ns()
                method, path, _ = line.decode("latin-1").split(" ", 2)
                self.first_byte_ns.setdefault(method, begun_ns)
                self.first_byte_ns.setdefault("any", begun_ns)
                length = 0
                while (header := file.readline().strip()) != b"":
                    name, _, value = header.partition(b":")
                    if name.lower() == b"content-length":
                        length = int(value)
                body = file.read(length)
                try:
                    self._stream(sock, body) if method == "POST" else self._answer(sock, path)
                except OSError:
                    return

    def _answer(self, sock: socket.socket, path: str) -> None:
        found: Any = None
        if path == "/truth":
            found = {**self.newest, "first_byte_ns": self.first_byte_ns}
        elif path == "/v1/models":
            found = {"object": "list", "data": [{"id": _MODEL, "object": "model", "owned_by": "truth"}]}
        body = json.dumps(found if found is not None else {"detail": "Not Found"}).encode()
        status = b"200 OK" if found is not None else b"404 Not Found"
        sock.sendall(b"HTTP/1.1 %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (status, len(body), body))

    def _stream(self, sock: socket.socket, body: bytes) -> None:
        received_ns = time.perf_counter_ns()
        request = json.loads(body)
        plan = _planned(request.get("plan"))
        asked = (request.get("stream_options") or {}).get("include_usage") is True
        sends = plan["sends"]
        frames = _frames(sends, running=plan["usage"] == "running")
        total = sum(send["tokens"] for send in sends)
        tail = _frame(_event({}, finish="stop"))
        if plan["usage"] != "never" and asked:
            tail += _frame({"choices": [], "usage": _usage(total)})
        sock.sendall(_HEAD)
        stamps = _sent(sock, frames, [received_ns + int(send["at_us"] * 1000) for send in sends])
        sock.sendall(tail + _chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
        told = [[send["kind"], send["tokens"], stamp] for send, stamp in zip(sends, stamps, strict=True)]
        self.newest = {"received_ns": received_ns, "sends": told}


def _planned(asked: dict[str, Any] | None) -> dict[str, Any]:
    """The plan in full; `{"make": NAME, "with": {…}}` is made here (tests.perf.plan), so that a long one need not travel."""
    if not asked:
        return _SHORT
    if "make" not in asked:
        return asked
    from tests.perf import plan

    return asdict(getattr(plan, asked["make"])(**asked.get("with", {})))


def _sent(sock: socket.socket, frames: list[bytes], due_ns: list[int]) -> list[int]:
    """Send each frame when it is due, and return when that really was."""
    stamps = []
    now = time.perf_counter_ns
    for frame, due in zip(frames, due_ns, strict=True):
        while (left := due - now()) > 0:
            if left > _SPIN_NS:
                time.sleep((left - _SPIN_NS) / 1e9)
        stamps.append(now())
        sock.sendall(frame)
    return stamps


def _frames(sends: list[dict[str, Any]], *, running: bool) -> list[bytes]:
    frames, total = [], 0
    for send in sends:
        total += send["tokens"]
        event = _event(_delta(send["kind"], send["text"]))
        frames.append(_frame({**event, "usage": _usage(total)} if running else event))
    return frames


def _delta(kind: str, text: str) -> dict[str, Any]:
    if kind == "role":
        return {"role": "assistant", "content": ""}
    return {"reasoning_content": text} if kind == "reasoning" else {"content": text}


def _event(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chatcmpl-truth", "object": "chat.completion.chunk", "created": 1, "model": _MODEL, "choices": [choice]}


def _usage(completion: int) -> dict[str, int]:
    return {"prompt_tokens": 10, "completion_tokens": completion, "total_tokens": 10 + completion}


def _frame(event: dict[str, Any]) -> bytes:
    return _chunk(b"data: %b\n\n" % json.dumps(event, separators=(",", ":")).encode())


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def main() -> None:
    """Serve on a free port of 127.0.0.1 until the parent is gone."""
    truth = Truth()
    listener = socket.create_server(("127.0.0.1", 0))
    print(json.dumps({"port": listener.getsockname()[1]}), flush=True)
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    gc.disable()
    while True:
        sock, _ = listener.accept()
        threading.Thread(target=truth.serve, args=(sock,), daemon=True).start()


def _end_with_stdin() -> None:
    os.read(0, 1)
    os._exit(0)


if __name__ == "__main__":
    main()
