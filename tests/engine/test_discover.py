"""Servers at the usual ports of this machine: asked at once, told apart from any other web application."""

from __future__ import annotations

import json
import time

from sparktui.engine.server.discover import discover
from tests.support_server import Peer, Received, ScriptedServer, serving

MODELS = json.dumps({"object": "list", "data": [{"id": "some-model", "object": "model", "owned_by": "vllm"}]}).encode()


def vllm(request: Received, peer: Peer) -> None:
    if request.path == "/v1/models":
        peer.answer(200, MODELS)
    else:
        peer.answer(404, b'{"detail":"Not Found"}')


def web_page(_: Received, peer: Peer) -> None:
    peer.answer(200, b"<!doctype html><title>Notes</title>", {"content-type": "text/html"})


def forbidden(_: Received, peer: Peer) -> None:
    peer.answer(403, b"", {"server": "AirTunes"})


def silent(_: Received, peer: Peer) -> None:
    peer.pause(5)


def test_only_language_model_servers_are_found_and_in_port_order() -> None:
    with ScriptedServer(lambda _, peer: None) as closed:
        free = closed.port
    with serving(vllm) as first, serving(web_page) as page, serving(forbidden) as other, serving(vllm) as second:
        found = discover((free, page.port, second.port, other.port, first.port))
        assert [one.base_url for one in found] == [second.url, first.url]
        assert found[0].seen.kind == "vllm"
        assert found[0].seen.models == ("some-model",)
        assert all("authorization" not in request.headers for request in first.requests)


def test_nobody_there() -> None:
    with ScriptedServer(lambda _, peer: None) as closed:
        free = closed.port
    begin = time.perf_counter()
    assert discover((free,)) == []
    assert time.perf_counter() - begin < 0.3


def test_a_port_that_says_nothing_delays_little(monkeypatch: object) -> None:
    import sparktui.engine.server.discover as module

    monkeypatch.setattr(module, "_RECOGNISE_S", 0.2)  # type: ignore[attr-defined]
    with serving(silent) as hung, serving(vllm) as server:
        begin = time.perf_counter()
        assert [one.base_url for one in discover((hung.port, server.port))] == [server.url]
        assert time.perf_counter() - begin < 1
