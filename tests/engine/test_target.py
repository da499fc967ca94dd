"""From configuration to a server that can be measured."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import sparktui.engine.server.target as target_module
from sparktui.core.config import Config, ServerConfig
from sparktui.core.events import Server
from sparktui.demo.process import DemoProcess
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.server import opening
from sparktui.engine.server.discover import Found
from sparktui.engine.server.idle import check_idle
from sparktui.engine.server.target import SeveralServersError, open_target
from sparktui.errors import ConfigError, UnreachableError
from sparktui.io.http.failures import StoppedError
from sparktui.servers.base import Recognition
from tests.support_server import Peer, Received, ScriptedServer, serving


def config(url: str, **server: Any) -> Config:
    return Config(server=ServerConfig(base_url=url, **server))


def routes(table: dict[str, tuple[int, Any]]) -> Callable[[Received, Peer], None]:
    def script(request: Received, peer: Peer) -> None:
        status, body = table.get(request.path, (404, {"detail": "Not Found"}))
        peer.answer(status, json.dumps(body).encode())

    return script


VLLM = routes({"/v1/models": (200, {"object": "list", "data": [{"id": "served", "owned_by": "vllm", "max_model_len": 4096}]})})


def test_recognised_described_and_told() -> None:
    told: list[Server] = []
    with serving(VLLM) as server, open_target(config(server.url + "/v1"), on_event=told.append) as target:
        assert (target.info.kind, target.info.model, target.info.ctx) == ("vllm", "served", 4096)
        assert target.info.base_url == server.url
        assert target.adapter.kind == "vllm"
        assert not target.simulated
        assert [event.state for event in told] == ["probing", "ready"]
        assert told[-1].info == target.info


def test_a_kind_that_is_given_is_believed_and_a_model_that_is_given_is_used() -> None:
    with serving(VLLM) as server, open_target(config(server.url, kind="sglang", model="mine")) as target:
        assert (target.info.kind, target.info.model) == ("sglang", "mine")
        assert not any("serviceinfo" in request.path for request in server.requests)


def test_nobody_there_says_so_and_where_the_address_came_from() -> None:
    told: list[Server] = []
    with ScriptedServer(lambda _, peer: None) as server:
        url = server.url
    with pytest.raises(UnreachableError) as caught:
        open_target(config(url), origin="config.yml:3", on_event=told.append)
    assert url in caught.value.title
    assert "config.yml:3" in caught.value.detail
    assert told[-1].state == "unreachable"
    assert told[-1].cause == caught.value.title


def test_a_busy_server_that_answers_no_probe_is_used_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "RECOGNISE_S", 0.1)
    monkeypatch.setattr(opening, "OPEN_S", 0.2)
    with serving(lambda _, peer: peer.pause(9)) as server:
        begin = time.perf_counter()
        with open_target(config(server.url, model="m")) as target:
            assert time.perf_counter() - begin < 1.5
            assert (target.info.kind, target.info.model) == ("openai", "m")


def test_a_loading_model_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_LOADING_POLL_S", 0.1)
    ready_at = time.monotonic() + 0.15
    loading = {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}

    def script(request: Received, peer: Peer) -> None:
        if time.monotonic() < ready_at:
            peer.answer(503, json.dumps(loading).encode(), {"server": "llama.cpp"})
        else:
            VLLM(request, peer)

    told: list[Server] = []
    with serving(script) as server, open_target(config(server.url), on_event=told.append) as target:
        assert target.info.model == "served"
    assert [event.state for event in told][:2] == ["probing", "loading"]
    assert told[-1].state == "ready"
    assert told[1].retry_in_s == 0.1


def test_waiting_for_a_model_can_be_stopped() -> None:
    cancel = Cancel()
    body = json.dumps({"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}).encode()
    with serving(lambda _, peer: peer.answer(503, body)) as server:
        threading.Timer(0.15, cancel.set).start()
        begin = time.perf_counter()
        with pytest.raises(StoppedError):
            open_target(config(server.url), stop=cancel)
        assert time.perf_counter() - begin < 1


def test_the_key_is_sent_only_once_it_is_wanted() -> None:
    def script(request: Received, peer: Peer) -> None:
        if "serviceinfo" in request.path:
            peer.answer(200, json.dumps({"version": 0.1, "software": {"name": "TabbyAPI"}}).encode())
        elif request.headers.get("authorization") != "Bearer sk-1":
            peer.answer(401, b'{"detail":"Please provide an API key"}')
        elif request.path == "/v1/model":
            peer.answer(200, json.dumps({"id": "Big-Model", "parameters": {"max_seq_len": 65536, "cache_mode": "Q8"}}).encode())
        else:
            peer.answer(404, b"{}")

    with serving(script) as server, open_target(config(server.url, api_key="sk-1")) as target:
        assert (target.info.kind, target.info.model, target.info.ctx) == ("tabbyapi", "Big-Model", 65536)
        assert "authorization" not in server.requests[0].headers


def test_a_bad_key_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(ConfigError):
        open_target(config("http://127.0.0.1:1", api_key="a\u201db"))


class TestAuto:
    @staticmethod
    def finds(monkeypatch: pytest.MonkeyPatch, *urls: str) -> None:
        found = [Found(url, Recognition(kind="vllm")) for url in urls]
        monkeypatch.setattr(target_module, "discover", lambda stop=None: found)

    def test_one_is_used(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with serving(VLLM) as server:
            self.finds(monkeypatch, server.url)
            with open_target(config("auto")) as target:
                assert target.info.base_url == server.url
                assert target.origin == "found on this machine"

    def test_several_are_offered(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with serving(VLLM) as server:
            self.finds(monkeypatch, "http://127.0.0.1:1", server.url)
            told: list[Server] = []
            with pytest.raises(SeveralServersError) as caught:
                open_target(config("auto"), on_event=told.append)
            assert server.url in caught.value.title
            assert told[-1].candidates == ("http://127.0.0.1:1", server.url)
            with open_target(config("auto"), choose=lambda found: found[1].base_url) as target:
                assert target.info.base_url == server.url

    def test_none_means_the_simulated_server(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.finds(monkeypatch)
        with open_target(config("auto", api_key="sk-secret"), demo_speed=50) as target:
            assert target.simulated
            assert target.demo is not None
            assert target.client.key_header == "", "a key is never sent to it"
            assert target.info.model


def test_demo_is_forced_whatever_the_config_says() -> None:
    with open_target(config("http://127.0.0.1:1"), demo=True, demo_speed=50) as target:
        assert target.info.kind == "demo"


def test_modes_in_the_model_reach_the_simulated_server_and_a_real_models_name_does_not() -> None:
    with open_target(config("auto", model="demo+no-draft"), demo=True, demo_speed=50) as target:
        assert target.info.model == "demo+no-draft"
    with open_target(config("auto", model="Qwen3-27B"), demo=True, demo_speed=50) as target:
        assert target.info.model.startswith("sparktui-demo")


def test_the_simulated_server_is_known_for_what_it_is_whatever_kind_is_given() -> None:
    with DemoProcess.start(speed=50) as process:
        for kind in ("auto", "tabbyapi"):
            with open_target(config(process.base_url, kind=kind)) as target:
                assert target.simulated


def test_another_shares_the_connections_and_leaves_them_open() -> None:
    with serving(VLLM) as server, open_target(config(server.url)) as target:
        with target.another() as twin:
            assert twin.client is target.client
        assert target.client.warm() >= 0
        check_idle(target)


@pytest.mark.parametrize(("running", "busy"), [(0, False), (2, True)])
def test_idle_is_what_the_server_says(running: int, busy: bool) -> None:
    metrics = f'vllm:num_requests_running{{model_name="m"}} {running}\nvllm:num_requests_waiting{{model_name="m"}} 0\n'

    def script(request: Received, peer: Peer) -> None:
        if request.path == "/metrics":
            peer.answer(200, metrics.encode(), {"content-type": "text/plain; version=0.0.4"})
        else:
            VLLM(request, peer)

    with serving(script) as server, open_target(config(server.url)) as target:
        state = check_idle(target)
        assert (state.busy, state.source) == (busy, "metrics")


def test_a_server_that_cannot_say_is_neither_busy_nor_idle() -> None:
    with serving(routes({})) as server, open_target(config(server.url, kind="openai")) as target:
        assert check_idle(target).busy is None


