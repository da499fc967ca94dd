"""Whatever a server sends, a run ends in a record, soon, and the next one works."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.events import RunDone
from sparktui.core.records import RunRecord
from tests.engine.support_runs import measure, target_of
from tests.support_server import Hangup, Peer, Received, serving

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"

KEYS = ["choices", "delta", "content", "usage", "completion_tokens", "timings", "error", "message", "finish_reason", "index", "id", "model"]

anything = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**19) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
)


def ran_to_the_end(raw: bytes) -> RunRecord:
    def script(_: Received, peer: Peer) -> None:
        peer.send(raw)
        raise Hangup

    with serving(script) as server, target_of(server.url) as target:
        ran = measure(target)
    assert isinstance(ran.events[-1], RunDone)
    assert "fault in sparktui" not in (ran.record.error or "")
    return ran.record


@settings(max_examples=40, deadline=None)
@given(raw=st.binary(max_size=300), head=st.sampled_from([b"", HEAD, HEAD.replace(b"200 OK", b"503 No"), HEAD.replace(b"chunked", b"x")]))
def test_bytes_that_mean_nothing(raw: bytes, head: bytes) -> None:
    assert ran_to_the_end(head + raw).status in ("failed", "cut_off", "ok")


@settings(max_examples=60, deadline=None)
@given(events=st.lists(st.dictionaries(st.sampled_from(KEYS), anything, max_size=6), max_size=6), done=st.booleans())
def test_events_of_any_shape(events: list[dict[str, Any]], done: bool) -> None:
    data = b"".join(b"data: %b\n\n" % json.dumps(event).encode() for event in events) + b"data: [DONE]\n\n" * done
    ran_to_the_end(HEAD + (b"%x\r\n%b\r\n" % (len(data), data) if data else b"") + b"0\r\n\r\n")


def test_headers_without_end_and_chunks_without_size() -> None:
    for raw in (b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 60_000, HEAD + b"fffffffffffff\r\nabc", HEAD + b"\r\n\r\n", b"HTTP/1.1 999\r\n\r\n"):
        assert ran_to_the_end(raw).status == "failed"
