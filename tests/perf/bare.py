"""The least a client can do: one blocking socket, a stamp after every recv. What it adds to the truth nobody can do without."""

from __future__ import annotations

import json
import socket
import time

from tests.perf.plan import Plan


def bare_ttft_s(port: int, plan: Plan) -> float:
    """Seconds from the request's first byte to the read that brought the first text, over a connection made before."""
    body = json.dumps({"model": "truth", "stream": True, "messages": [{"role": "user", "content": "hello"}], **plan.params()}).encode()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: %d\r\n\r\n" % len(body)
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sent_ns = time.perf_counter_ns()
        sock.sendall(head + body)
        first_ns, seen = 0, b""
        while data := sock.recv(65536):
            stamp_ns = time.perf_counter_ns()
            seen += data
            if not first_ns and (b'content":"' in seen.replace(b'content":""', b"")):
                first_ns = stamp_ns
            if seen.endswith(b"0\r\n\r\n"):
                break
    return (first_ns - sent_ns) / 1e9
