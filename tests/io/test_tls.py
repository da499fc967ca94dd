"""https: certificates are checked, a private CA can be named, checking can be switched off, and errors name the cause."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparktui.engine.running.cancel import Cancel
from sparktui.errors import ConfigError, UnreachableError
from sparktui.io.http.client import Client
from sparktui.io.http.failures import StoppedError
from sparktui.io.http.tls import tls_context
from sparktui.servers.url import BaseUrl
from tests.support_server import Peer, Received, ScriptedServer, serving

FOLDER = Path(__file__).parents[1] / "fixtures" / "tls"
CERTIFICATE = str(FOLDER / "server-cert.pem")


def script(_: Received, peer: Peer) -> None:
    peer.head()
    peer.chunk(b"a")
    peer.pause(0.03)
    peer.chunk(b"b")
    peer.end()


def server_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE, FOLDER / "server-key.pem")
    return context


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with serving(script, tls=server_context()) as running:
        yield running


def client_of(url: str, **options: object) -> Client:
    return Client(BaseUrl.parse(url), environ={}, **options)  # type: ignore[arg-type]


def named(server: ScriptedServer) -> str:
    """The server's address by the name its certificate holds."""
    return server.url.replace("127.0.0.1", "localhost")


def texts(client: Client) -> list[bytes]:
    with client, client.stream(b"{}") as stream:
        return [data for _, data in stream.reads()]


def test_a38_a_certificate_nobody_vouches_for_is_refused_with_the_cause(server: ScriptedServer) -> None:
    with pytest.raises(UnreachableError) as caught:
        texts(client_of(named(server)))
    assert "certificate" in caught.value.title
    assert "self-signed" in caught.value.title
    assert "ca_file" in caught.value.hint


def test_a38_its_own_ca_is_trusted_when_named(server: ScriptedServer) -> None:
    client = client_of(named(server), ca_file=CERTIFICATE)
    assert client.tls_verified
    assert texts(client) == [b"a", b"b"]


def test_a38_the_ca_can_come_from_the_environment(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", CERTIFICATE)
    assert texts(client_of(named(server))) == [b"a", b"b"]


def test_a38_checking_can_be_switched_off_and_shows(server: ScriptedServer) -> None:
    client = client_of(named(server), verify=False)
    assert not client.tls_verified
    assert texts(client) == [b"a", b"b"]
    assert client_of("http://127.0.0.1:1", verify=False).tls_verified


def test_a_name_that_is_not_in_the_certificate_is_refused(server: ScriptedServer) -> None:
    with pytest.raises(UnreachableError, match="certificate"):
        texts(client_of(server.url, ca_file=CERTIFICATE))


def test_a_warmed_tls_connection_is_the_one_that_is_used(server: ScriptedServer) -> None:
    with client_of(named(server), ca_file=CERTIFICATE) as client:
        assert client.warm() > 0
        with client.stream(b"{}") as stream:
            assert stream.connect_s == 0.0
            assert [data for _, data in stream.reads()] == [b"a", b"b"]
            assert stream.late_ns < 20e6
        assert server.connections == 1


def test_a_server_without_tls_is_told_as_such() -> None:
    with serving(lambda _, peer: peer.answer(200, b"ok")) as plain, pytest.raises(UnreachableError, match="TLS"):
        texts(client_of(plain.url.replace("http:", "https:")))


def test_an_unfinished_handshake_can_be_stopped() -> None:
    cancel = Cancel()
    with socket.create_server(("127.0.0.1", 0)) as silent, client_of(f"https://127.0.0.1:{silent.getsockname()[1]}") as client:
        threading.Timer(0.1, cancel.set).start()
        with pytest.raises(StoppedError), client.stream(b"{}", cancel):
            pass


def test_a_stop_in_the_middle_of_a_tls_stream_takes_effect_at_once() -> None:
    def slow(_: Received, peer: Peer) -> None:
        peer.head()
        peer.chunk(b"a")
        peer.pause(5)

    cancel = Cancel()
    with serving(slow, tls=server_context()) as running, client_of(named(running), ca_file=CERTIFICATE) as client:
        threading.Timer(0.1, cancel.set).start()
        begin = time.perf_counter()
        with client.stream(b"{}", cancel) as stream, pytest.raises(StoppedError):
            list(stream.reads())
        assert time.perf_counter() - begin < 1


def test_https_goes_through_a_proxy_by_a_tunnel_that_sees_no_key(server: ScriptedServer) -> None:
    def proxy_script(request: Received, peer: Peer) -> None:
        peer.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        peer.relay(("127.0.0.1", server.port))

    with serving(proxy_script) as proxy:
        environ = {"HTTPS_PROXY": proxy.url}
        url = BaseUrl.parse("https://models.example.com")
        with Client(url, environ=environ, verify=False, api_key="sk-1") as client, client.stream(b"{}") as stream:
            assert b"".join(data for _, data in stream.reads()) == b"ab"
            assert stream.connect_s > 0
        assert proxy.requests[0].method == "CONNECT"
        assert proxy.requests[0].path == "models.example.com:443"
        assert "authorization" not in proxy.requests[0].headers
        assert server.requests[0].headers["authorization"] == "Bearer sk-1"


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_ca_file_that_cannot_be_used_is_named(content: str | None, tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ConfigError) as caught:
        tls_context(verify=True, ca_file=str(file))
    assert str(file) in caught.value.title
    assert "tls.ca_file" in caught.value.title
