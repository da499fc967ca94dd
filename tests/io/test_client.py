"""The client on real sockets: stamps, kept connections, stopping, redirects, keys."""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from sparktui.engine.running.cancel import Cancel
from sparktui.errors import ConfigError, RunFailedError, UnreachableError
from sparktui.io.http.client import Client
from sparktui.io.http.exchange import Sent
from sparktui.io.http.failures import ConnectionLostError, SilenceError, StoppedError
from sparktui.servers.base import Get
from sparktui.servers.url import BaseUrl
from tests.support_server import Hangup, Peer, Received, ScriptedServer, serving

BODY = json.dumps({"model": "m", "messages": []}).encode()


_open: list[Client] = []


def client_of(url: str, **options: object) -> Client:
    client = Client(BaseUrl.parse(url), **{"environ": {}, **options})  # type: ignore[arg-type]
    _open.append(client)
    return client


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while _open:
        _open.pop().close()


def read_all(client: Client, **options: object) -> bytes:
    with client.stream(BODY, **options) as stream:  # type: ignore[arg-type]
        data = b"".join(piece for _, piece in stream.reads())
        stream.finish()
        return data


def later(seconds: float, action: Callable[[], None]) -> threading.Timer:
    timer = threading.Timer(seconds, action)
    timer.start()
    return timer


def test_each_read_is_stamped_when_it_arrives_and_chunks_of_a_read_come_together() -> None:
    sends: list[int] = []

    def script(_: Received, peer: Peer) -> None:
        peer.head()
        for part in (b"a", b"b"):
            peer.pause(0.03)
            sends.append(time.perf_counter_ns())
            peer.chunk(part)
        peer.pause(0.03)
        peer.send(b"1\r\nc\r\n1\r\nd\r\n")
        peer.end()

    with serving(script) as server, client_of(server.url).stream(BODY) as stream:
        got = list(stream.reads())
        assert [data for _, data in got] == [b"a", b"b", b"cd"]
        for (stamp, _), sent in zip(got, sends, strict=False):
            assert 0 <= stamp - sent < 20e6
        assert stream.t_send_ns < server.requests[0].at_ns < stream.t_headers_ns < got[0][0]
        assert stream.late_ns < 5e6


def test_what_waited_in_the_socket_is_known_to_be_late() -> None:
    def script(_: Received, peer: Peer) -> None:
        peer.head()
        peer.chunk(b"a")
        peer.pause(0.01)
        peer.chunk(b"b")
        peer.end()

    with serving(script) as server, client_of(server.url).stream(BODY) as stream:
        reads = stream.reads()
        next(reads)
        time.sleep(0.06)
        next(reads)
        assert 40e6 < stream.late_ns < 500e6


def test_the_request_is_posted_as_json_uncompressed_with_the_key_in_one_header() -> None:
    with serving(lambda _, peer: peer.answer(200, b"{}")) as server:
        assert read_all(client_of(server.url, api_key=" sk-1 \n")) == b"{}"
        request = server.requests[0]
        assert (request.method, request.path, request.body) == ("POST", "/v1/chat/completions", BODY)
        assert request.headers["accept-encoding"] == "identity"
        assert request.headers["content-type"] == "application/json"
        assert request.headers["authorization"] == "Bearer sk-1"
        assert "x-api-key" not in request.headers


def test_a_login_in_the_url_leaves_the_key_its_own_header() -> None:
    with serving(lambda _, peer: peer.answer(200, b"{}")) as server:
        client = client_of(server.url.replace("http://", "http://me:pa%40ss@"), api_key="sk-1")
        read_all(client)
        headers = server.requests[0].headers
        assert headers["authorization"] == "Basic bWU6cGFAc3M="
        assert headers["x-api-key"] == "sk-1"
        assert headers["host"] == f"127.0.0.1:{server.port}"
        assert client.key_header == "x-api-key"
        assert "pa" not in repr(client) + repr(client._credentials).replace("api_key", "")


def test_a39_key_forms() -> None:
    assert client_of("http://127.0.0.1:1", api_key="").key_header == ""
    with pytest.raises(ConfigError) as caught:
        client_of("http://127.0.0.1:1", api_key="\u201cpasted-secret\u201d")
    assert "pasted-secret" not in str(caught.value)
    assert "U+201C" in str(caught.value)


def test_a_body_in_pieces_arrives_as_one() -> None:
    pieces = [b'{"a": "', b"x" * 3_000_000, b'"}']
    with serving(lambda _, peer: peer.answer(200, b"{}")) as server, client_of(server.url).stream(pieces) as stream:
        assert stream.status == 200
        assert server.requests[0].body == b"".join(pieces)
        assert server.requests[0].headers["content-length"] == str(3_000_009)


def test_a_finished_stream_leaves_its_connection_for_the_next() -> None:
    def script(_: Received, peer: Peer) -> None:
        peer.head()
        peer.chunk(b"data: [DONE]\n\n")
        peer.pause(0.003)
        peer.end()

    with serving(script) as server:
        client = client_of(server.url)
        for _ in range(3):
            with client.stream(BODY) as stream:
                next(stream.reads())
                stream.finish()
        assert server.connections == 1
        assert client.warm() == 0.0


def test_a24_an_answer_that_does_not_end_is_left_at_once() -> None:
    def script(_: Received, peer: Peer) -> None:
        peer.head()
        peer.chunk(b"data: [DONE]\n\n")
        peer.pause(5)

    with serving(script) as server, client_of(server.url).stream(BODY) as stream:
        next(stream.reads())
        begin = time.perf_counter()
        stream.finish()
        assert time.perf_counter() - begin < 0.5


def test_a_warmed_connection_is_the_one_that_is_used() -> None:
    sent: list[Sent] = []
    with serving(lambda _, peer: peer.answer(200, b"{}")) as server:
        client = client_of(server.url)
        assert client.warm() > 0
        read_all(client, on_sent=sent.append)
        assert server.connections == 1
        assert sent[0].connect_s == 0.0
        read_all(client_of(server.url), on_sent=sent.append)
        assert 0 < sent[1].connect_s < 1


def closing_after(answers: int) -> Callable[[Received, Peer], None]:
    """Answers `answers` requests of a connection, then drops it when the next one comes."""
    counts: dict[int, int] = {}

    def script(_: Received, peer: Peer) -> None:
        counts[peer.number] = counts.get(peer.number, 0) + 1
        if counts[peer.number] > answers:
            raise Hangup
        peer.answer(200, b"ok")

    return script


def test_a34_a_stale_connection_is_tried_again_once_on_a_new_one() -> None:
    sent: list[Sent] = []
    with serving(closing_after(1)) as server:
        client = client_of(server.url)
        assert read_all(client) == b"ok"
        assert read_all(client, on_sent=sent.append) == b"ok"
        assert server.connections == 2
        assert len(sent) == 2
        assert sent[1].t_send_ns > sent[0].t_send_ns


def test_a34_a_connection_closed_while_idle_is_not_used() -> None:
    def script(_: Received, peer: Peer) -> None:
        peer.answer(200, b"ok")
        raise Hangup

    with serving(script) as server:
        client = client_of(server.url)
        for _ in range(3):
            assert read_all(client) == b"ok"
            time.sleep(0.02)
        assert len(server.requests) == 3


def test_a_new_connection_that_is_dropped_is_an_error_and_not_tried_again() -> None:
    with serving(closing_after(0)) as server:
        with pytest.raises(ConnectionLostError):
            read_all(client_of(server.url))
        assert len(server.requests) == 1


def test_a31_a_body_that_breaks_off_is_an_error_after_what_came() -> None:
    def script(request: Received, peer: Peer) -> None:
        peer.head()
        peer.chunk(b"abc")
        peer.pause(0.02)
        peer.reset() if request.path.endswith("?reset") else None
        raise Hangup

    for query in ("", "?reset"):
        with serving(script) as server, client_of(server.url + "/v1/chat/completions" + query).stream(BODY) as stream:
            reads = stream.reads()
            assert next(reads)[1] == b"abc"
            with pytest.raises(ConnectionLostError):
                next(reads)


@contextlib.contextmanager
def deaf_port() -> Iterator[int]:
    """A port whose queue of waiting connections is full, so that a further connection gets no answer."""
    with socket.socket() as listener, contextlib.ExitStack() as stack:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            sock = stack.enter_context(socket.socket())
            sock.setblocking(False)
            sock.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


def test_stopping_a_connection_attempt() -> None:
    cancel = Cancel()
    with deaf_port() as port:
        later(0.1, cancel.set)
        begin = time.perf_counter()
        with pytest.raises(StoppedError):
            read_all(client_of(f"http://127.0.0.1:{port}"), stop=cancel)
        assert 0.05 < time.perf_counter() - begin < 1


@pytest.mark.parametrize("where", ["head", "body"])
def test_a49_stopping_from_another_thread_takes_effect_at_once(where: str) -> None:
    gone = threading.Event()

    def script(_: Received, peer: Peer) -> None:
        if where == "body":
            peer.head()
            peer.chunk(b"a")
        if peer.gone(3):
            gone.set()
        raise Hangup

    cancel = Cancel()
    with serving(script) as server:
        client = client_of(server.url)
        later(0.1, cancel.set)
        begin = time.perf_counter()
        with pytest.raises(StoppedError):
            read_all(client, stop=cancel)
        assert time.perf_counter() - begin < 1
        assert gone.wait(1)
    with pytest.raises(StoppedError):
        read_all(client_of("http://127.0.0.1:9"), stop=cancel)


def test_a_stop_after_the_end_leaves_the_next_request_alone() -> None:
    cancel = Cancel()
    with serving(lambda _, peer: peer.answer(200, b"ok")) as server:
        client = client_of(server.url)
        read_all(client, stop=cancel)
        cancel.set()
        assert read_all(client) == b"ok"
        assert server.connections == 1


def test_silence_is_limited_only_when_asked() -> None:
    def script(_: Received, peer: Peer) -> None:
        peer.pause(0.15)
        peer.head()
        peer.chunk(b"a")
        peer.pause(2)

    with serving(script) as server, client_of(server.url).stream(BODY) as stream:
        reads = stream.reads()
        next(reads)
        stream.limit_silence(0.05)
        begin = time.perf_counter()
        with pytest.raises(SilenceError):
            next(reads)
        assert time.perf_counter() - begin < 0.5


def test_a37_a_redirect_within_the_origin_keeps_method_body_and_key() -> None:
    def script(request: Received, peer: Peer) -> None:
        if "moved" not in request.path:
            peer.answer(308, b"", {"location": "/moved/chat"})
        else:
            peer.answer(200, b"ok")

    with serving(script) as server, client_of(server.url, api_key="sk-1").stream(BODY) as stream:
        assert stream.status == 200
        assert len(stream.hops) == 1
        assert server.requests[1].method == "POST"
        assert server.requests[1].body == BODY
        assert server.requests[1].headers["authorization"] == "Bearer sk-1"
        assert server.connections == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a37_a_redirect_elsewhere_is_shown_and_nothing_is_sent_there(status: int) -> None:
    with (
        serving(lambda _, peer: peer.answer(200, b"stolen")) as other,
        serving(lambda _, peer: peer.answer(status, b"", {"location": other.url + "/login"})) as server,
        client_of(server.url, api_key="sk-1").stream(BODY) as stream,
    ):
        assert stream.status == status
        assert stream.headers["location"].endswith("/login")
        assert other.connections == 0


def test_a_circle_of_redirects_ends() -> None:
    with (
        serving(lambda _, peer: peer.answer(307, b"", {"location": "/round"})) as server,
        client_of(server.url).stream(BODY) as stream,
    ):
        assert stream.status == 307
        assert len(server.requests) == 6


def test_a29_a_compressed_answer_is_undone_and_told() -> None:
    packed = gzip.compress(b"data: hello\n\n")

    def script(_: Received, peer: Peer) -> None:
        peer.head(200, {"content-encoding": "gzip"})
        peer.chunk(packed[:12])
        peer.chunk(packed[12:])
        peer.end()

    with serving(script) as server, client_of(server.url).stream(BODY) as stream:
        assert stream.compressed == "gzip"
        assert b"".join(data for _, data in stream.reads()) == b"data: hello\n\n"


@pytest.mark.parametrize(("encoding", "body"), [("br", b"xx"), ("gzip", b"not gzip at all")])
def test_a_compression_that_cannot_be_undone_is_an_error(encoding: str, body: bytes) -> None:
    with (
        serving(lambda _, peer: peer.answer(200, body, {"content-encoding": encoding})) as server,
        client_of(server.url).stream(BODY) as stream,
        pytest.raises(RunFailedError, match=encoding),
    ):
        list(stream.reads())


def test_a_chunk_that_is_none_breaks_an_answer_off_and_is_not_called_another_protocol() -> None:
    def script(_: Received, peer: Peer) -> None:
        peer.head()
        peer.chunk(b"a")
        peer.pause(0.02)
        peer.send(b"-5\r\nb\r\n")

    with serving(script) as server, client_of(server.url).stream(BODY) as stream:
        reads = stream.reads()
        assert next(reads)[1] == b"a"
        with pytest.raises(ConnectionLostError, match="framing"):
            next(reads)


def test_an_answer_that_is_not_http_is_told_as_such() -> None:
    with serving(lambda _, peer: peer.send(b"SSH-2.0-x\r\nhello\r\n\r\n")) as server, pytest.raises(UnreachableError, match="HTTP"):
        read_all(client_of(server.url))


class TestUnreachable:
    def test_refused(self) -> None:
        with ScriptedServer(lambda _, peer: None) as server:
            url = server.url
        with pytest.raises(UnreachableError, match="refused"):
            read_all(client_of(url))
        with pytest.raises(UnreachableError, match="refused"):
            client_of(url).warm()

    def test_no_answer_to_the_connection(self) -> None:
        with deaf_port() as port, pytest.raises(UnreachableError, match=r"within 0\.1 s"):
            client_of(f"http://127.0.0.1:{port}", connect_timeout_s=0.1).warm()

    def test_unknown_name(self) -> None:
        with pytest.raises(UnreachableError):
            client_of("http://no-such-host.invalid:9", connect_timeout_s=1).warm()


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a42_localhost_is_found_on_either_family(host: str) -> None:
    try:
        server = ScriptedServer(lambda _, peer: peer.answer(200, b"ok"), host=host)
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    with server:
        assert read_all(client_of(f"http://localhost:{server.port}")) == b"ok"


class TestGet:
    def test_answer(self) -> None:
        with serving(lambda _, peer: peer.answer(404, b'{"detail":"x"}', {"server": "uvicorn"})) as server:
            client = client_of(server.url + "/v1", api_key="sk-1")
            answer = client.get(Get(path="/props"))
            assert (answer.status, answer.body, answer.server_header) == (404, b'{"detail":"x"}', "uvicorn")
            assert answer.content_type == "application/json"
            assert "authorization" not in server.requests[0].headers
            client.get(Get(path="/v1/models", with_key=True))
            assert server.requests[1].headers["authorization"] == "Bearer sk-1"
            assert server.connections == 1

    def test_redirect_within_the_origin(self) -> None:
        def script(request: Received, peer: Peer) -> None:
            if request.path.endswith("/"):
                peer.answer(200, b"[]")
            else:
                peer.answer(301, b"", {"location": request.path + "/"})

        with serving(script) as server:
            assert client_of(server.url).get(Get(path="/v1/models")).body == b"[]"

    def test_time_limit_is_for_all_of_it(self) -> None:
        def script(_: Received, peer: Peer) -> None:
            peer.head()
            for _ in range(100):
                peer.pause(0.03)
                peer.chunk(b"x")

        with serving(script) as server:
            begin = time.perf_counter()
            answer = client_of(server.url).get(Get(path="/", timeout_s=0.15))
            assert time.perf_counter() - begin < 0.5
            assert answer.status == 200
            assert 1 <= len(answer.body) < 10

    def test_nobody_there(self) -> None:
        with ScriptedServer(lambda _, peer: None) as server:
            url = server.url
        answer = client_of(url).get(Get(path="/"))
        assert answer.status == 0
        assert "refused" in answer.failure

    def test_too_long_is_cut(self) -> None:
        with serving(lambda _, peer: peer.answer(200, b"x" * 3_000_000)) as server:
            assert len(client_of(server.url).get(Get(path="/")).body) == 1 << 20


def test_proxies_are_for_public_hosts_only() -> None:
    def script(request: Received, peer: Peer) -> None:
        peer.answer(200, request.path.encode())

    with serving(script) as proxy, serving(script) as server:
        environ = {"HTTP_PROXY": proxy.url.replace("http://", "http://u:p@"), "NO_PROXY": "spared.example.com"}
        near = client_of(server.url, environ=environ)
        assert read_all(near) == b"/v1/chat/completions"
        far = client_of("http://models.example.com:8000", environ=environ)
        assert far.warm() == 0.0
        assert read_all(far) == b"http://models.example.com:8000/v1/chat/completions"
        assert proxy.requests[0].headers["proxy-authorization"] == "Basic dTpw"
    with pytest.raises(UnreachableError) as caught:
        read_all(far)
    assert "proxy" in caught.value.title
    assert "u:p" not in str(caught.value)
