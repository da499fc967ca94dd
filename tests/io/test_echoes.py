"""A server that sends back the key it was given: nothing that is read of it holds the key."""

from __future__ import annotations

import json

import pytest

from sparktui.errors import SparkError
from sparktui.io.http.client import Client
from sparktui.io.http.echoes import Echoes
from sparktui.servers.base import Get
from sparktui.servers.url import BaseUrl
from tests.support_server import Peer, Received, serving

KEY = "0f3a9b7c1d2e4f60"


def key_of(request: Received) -> str:
    return request.headers["authorization"].removeprefix("Bearer ")


def test_in_an_answer_its_headers_and_its_errors() -> None:
    def script(request: Received, peer: Peer) -> None:
        assert key_of(request) == KEY
        peer.answer(400, json.dumps({"detail": f"bad {key_of(request)}"}).encode(), {"x-said": key_of(request)})

    with serving(script) as server, Client(BaseUrl.parse(server.url), api_key=KEY, environ={}) as client:
        with client.stream(b"{}") as stream:
            assert stream.headers["X-Said"] == "***"
            assert b"".join(piece for _, piece in stream.reads()) == b'{"detail": "bad ***"}'
        assert client.get(Get(path="/v1/models", with_key=True)).body == b'{"detail": "bad ***"}'


@pytest.mark.parametrize("said", ["GARBAGE {key}\r\n\r\n", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{key} is no size\r\n"])
def test_in_what_is_no_http(said: str) -> None:
    with (
        serving(lambda request, peer: peer.send(said.format(key=key_of(request)).encode())) as server,
        Client(BaseUrl.parse(server.url), api_key=KEY, environ={}) as client,
    ):
        with pytest.raises(SparkError) as caught, client.stream(b"{}") as stream:
            list(stream.reads())
        assert "***" in str(caught.value)
        assert KEY not in str(caught.value)


def test_in_where_it_redirects_to() -> None:
    def script(request: Received, peer: Peer) -> None:
        target = f"/again/{key_of(request)}"
        peer.answer(200, b"{}") if request.path == target else peer.answer(307, b"", {"location": target})

    with serving(script) as server, Client(BaseUrl.parse(server.url), api_key=KEY, environ={}) as client, client.stream(b"{}") as stream:
        assert stream.status == 200
        assert stream.hops == (f"{server.url}/again/***",)


def test_a_login_comes_back_masked_in_both_its_forms() -> None:
    echoes = Echoes(("p4ss/word", "bWU6cDRzcy93b3Jk"))
    assert echoes.masked(b"p4ss/word p4ss%2Fword Basic bWU6cDRzcy93b3Jk") == b"*** *** Basic ***"


@pytest.mark.parametrize("dummy", ["", "x", "none", "lm-studio", "not-needed", "sk-no-key-required"])
def test_what_stands_where_no_key_is_needed_is_no_secret(dummy: str) -> None:
    answer = f"an answer about {dummy}".encode()
    assert Echoes((dummy,)).masked(answer) == answer
