"""A loopback HTTP server for tests that does exactly what a script says, socket by socket, and remembers what it was sent."""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass
class Received:
    """One request, with the number of its connection (from 1)."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int
    at_ns: int = field(default_factory=time.perf_counter_ns)


class Hangup(Exception):
    """Raised by a script to end the connection."""


class Peer:
    """The server's end of a connection."""

    def __init__(self, sock: socket.socket, number: int, stopping: threading.Event) -> None:
        self._sock = sock
        self._file = sock.makefile("rb")
        self._stopping = stopping
        self.number = number

    def send(self, data: bytes) -> None:
        self._sock.sendall(data)

    def head(self, status: int = 200, headers: dict[str, str] | None = None, *, chunked: bool = True) -> None:
        """A response head; event-stream and chunked unless told otherwise."""
        fields = {"content-type": "text/event-stream", **({"transfer-encoding": "chunked"} if chunked else {}), **(headers or {})}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.send(f"HTTP/1.1 {status} Said\r\n{lines}\r\n".encode())

    def chunk(self, data: bytes) -> None:
        """`data` as one HTTP chunk in one send."""
        if data:
            self.send(b"%x\r\n%b\r\n" % (len(data), data))

    def end(self) -> None:
        self.send(b"0\r\n\r\n")

    def answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        """A whole response of known length."""
        fields = {"content-type": "application/json", "content-length": str(len(body)), **(headers or {})}
        self.head(status, fields, chunked=False)
        self.send(body)

    def pause(self, seconds: float) -> None:
        """Sleep; ends the connection when the server is being closed."""
        if self._stopping.wait(seconds):
            raise Hangup

    def reset(self) -> None:
        """End the connection with a TCP reset."""
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Hangup

    def relay(self, address: tuple[str, int]) -> None:
        """Be a tunnel to another server until either end closes."""
        with socket.create_connection(address) as other:
            pairs = {self._sock: other, other: self._sock}
            while not self._stopping.is_set():
                for ready in select.select(list(pairs), [], [], 0.05)[0]:
                    data = ready.recv(65536)
                    if not data:
                        raise Hangup
                    pairs[ready].sendall(data)

    def gone(self, within_s: float) -> bool:
        """Whether the client closes within the time."""
        self._sock.settimeout(within_s)
        try:
            return self._sock.recv(1) == b""
        except TimeoutError:
            return False
        except OSError:
            return True

    def request(self) -> Received | None:
        line = self._file.readline()
        if not line.strip():
            return None
        method, path, _ = line.decode("latin-1").split(" ", 2)
        headers = {}
        while text := self._file.readline().decode("latin-1").strip():
            name, _, value = text.partition(":")
            headers[name.lower()] = value.strip()
        body = self._file.read(int(headers.get("content-length", "0")))
        return Received(method, path, headers, body, self.number)

    def close(self) -> None:
        self._file.close()
        self._sock.close()


Script = Callable[[Received, Peer], None]


class ScriptedServer:
    """Runs `script` for every request; connections are kept alive unless the script raises Hangup. `port`, `url`, `requests`."""

    def __init__(self, script: Script, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> None:
        self._script = script
        self._tls = tls
        self._listener = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        self._stopping = threading.Event()
        self._peers: list[socket.socket] = []
        self.connections = 0
        self.requests: list[Received] = []
        self.port: int = self._listener.getsockname()[1]
        self.url = f"{'https' if tls else 'http'}://{f'[{host}]' if ':' in host else host}:{self.port}"
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def __enter__(self) -> ScriptedServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for sock in self._peers:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(2)

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            thread = threading.Thread(target=self._serve, args=(sock, self.connections), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, sock: socket.socket, number: int) -> None:
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is not None:
                sock = self._tls.wrap_socket(sock, server_side=True)
        except OSError:
            sock.close()
            return
        self._peers.append(sock)
        peer = Peer(sock, number, self._stopping)
        try:
            while (request := peer.request()) is not None:
                self.requests.append(request)
                self._script(request, peer)
        except (OSError, Hangup, ValueError):
            pass
        finally:
            peer.close()


@contextlib.contextmanager
def serving(script: Script, **options: object) -> Iterator[ScriptedServer]:
    """A running ScriptedServer."""
    with ScriptedServer(script, **options) as server:  # type: ignore[arg-type]
        yield server
