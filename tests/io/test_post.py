"""POSTs of JSON that are no prompts, on real sockets."""

from __future__ import annotations

import json
import threading
import time

import pytest

from sparktui.engine.running.cancel import Cancel
from sparktui.io.http.client import Client
from sparktui.servers.base import Post
from sparktui.servers.url import BaseUrl
from tests.support_server import Peer, Received, serving

COUNT = Post(path="/tokenize", body={"content": "é 1"})


def client_of(url: str, key: str | None = None) -> Client:
    return Client(BaseUrl.parse(url), api_key=key, environ={})


def test_the_body_goes_out_as_json_with_the_key_and_the_answer_comes_whole() -> None:
    big = json.dumps({"tokens": list(range(300_000))}).encode()

    def script(request: Received, peer: Peer) -> None:
        peer.answer(200, big)

    with serving(script) as server, client_of(f"{server.url}/v1", "SPK-CANARY") as client:
        answer = client.post_json(COUNT)
        again = client.post_json(COUNT)
    assert (answer.status, answer.body) == (200, big)
    assert len(big) > 1 << 20
    assert again.status == 200
    first, second = server.requests
    assert (first.method, first.path, json.loads(first.body)) == ("POST", "/tokenize", {"content": "é 1"})
    assert "SPK-CANARY" in first.headers["authorization"]
    assert first.connection == second.connection


@pytest.mark.parametrize("status", [400, 401, 404, 500, 503])
def test_refusals_are_answers(status: int) -> None:
    with serving(lambda request, peer: peer.answer(status, b'{"detail":"no"}')) as server, client_of(server.url) as client:
        assert client.post_json(COUNT).status == status


def test_nobody_there_is_no_exception() -> None:
    with client_of("http://127.0.0.1:9") as client:
        answer = client.post_json(COUNT)
    assert (answer.status, bool(answer.failure)) == (0, True)


def test_silence_ends_by_the_time_limit_and_by_a_stop() -> None:
    with serving(lambda request, peer: peer.pause(5)) as server, client_of(server.url) as client:
        begun = time.monotonic()
        assert client.post_json(Post(path="/tokenize", body={}, timeout_s=0.1)).status == 0
        cancel = Cancel()
        threading.Timer(0.1, cancel.set).start()
        assert client.post_json(COUNT, cancel).failure == "stopped"
        assert time.monotonic() - begun < 2
