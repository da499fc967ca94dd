"""One connection: h11 over an asyncio transport. Each send is one write, so that each event leaves in a packet of its own."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import h11

from sparktui.demo import wire

LARGEST_BODY = 64 * 1024 * 1024
_LARGEST_HEAD = 64 * 1024
_REASONS = {422: "Unprocessable Entity", 413: "Content Too Large"}

Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Request:
    """Header names are lower case; of a repeated header the last counts. `peer` is `IP:PORT`."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    peer: str


Handler = Callable[[Request, "Connection"], Coroutine[Any, Any, None]]


class Connection(asyncio.Protocol):
    """Answers one request after the other. A handler's task is cancelled when the client goes away; `gone` tells it so."""

    def __init__(self, handle: Handler, on_status: Callable[[Request, int], None]) -> None:
        self._handle = handle
        self._on_status = on_status
        self._h11 = h11.Connection(h11.SERVER, max_incomplete_event_size=_LARGEST_HEAD)
        self._transport: asyncio.Transport | None = None
        self._head: h11.Request | None = None
        self._body = bytearray()
        self._request: Request | None = None
        self._task: asyncio.Task[None] | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._peer = ""
        self.gone = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        peer = transport.get_extra_info("peername") or ("", 0)
        self._peer = f"{peer[0]}:{peer[1]}"
        sock = transport.get_extra_info("socket")
        if sock is not None and sock.family in (socket.AF_INET, socket.AF_INET6):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        self._h11.receive_data(data)
        self._advance()

    def eof_received(self) -> bool:
        self._leave()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    async def send(self, data: bytes) -> None:
        """One piece of a started answer's body, in one write."""
        self._write(self._h11.send(h11.Data(data=data)))
        await self._writable.wait()

    def start(self, status: int, headers: Headers) -> None:
        """The head of an answer whose body follows in pieces."""
        self._write(self._head_bytes(status, headers))

    def end(self) -> None:
        """The end of a started answer."""
        self._write(self._h11.send(h11.EndOfMessage()))

    def reply(self, status: int, body: bytes, content_type: bytes = b"application/json") -> None:
        """A whole answer in one write."""
        length = str(len(body)).encode()
        head = self._head_bytes(status, ((b"content-length", length), (b"content-type", content_type), (b"vary", b"Origin")))
        self._write(head + (self._h11.send(h11.Data(data=body)) or b"") + (self._h11.send(h11.EndOfMessage()) or b""))

    def drop(self) -> None:
        """Close in the middle of an answer: the client sees it cut off."""
        if self._transport is not None:
            self._transport.close()

    def _head_bytes(self, status: int, headers: Headers) -> bytes:
        if self._request is not None:
            self._on_status(self._request, status)
        date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime()).encode()
        reason = (_REASONS.get(status) or HTTPStatus(status).phrase).encode()
        named = [(b"date", date), (b"server", b"uvicorn"), *headers]
        return self._h11.send(h11.Response(status_code=status, reason=reason, headers=named)) or b""

    def _write(self, data: bytes | None) -> None:
        if data and self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def _leave(self) -> None:
        self.gone = True
        self._writable.set()
        if self._task is not None and not self._task.done():
            self._task.cancel()

    def _advance(self) -> None:
        try:
            while True:
                event = self._h11.next_event()
                if self._h11.they_are_waiting_for_100_continue:
                    self._write(self._h11.send(h11.InformationalResponse(status_code=100, headers=[])))
                if event is h11.NEED_DATA or event is h11.PAUSED:
                    return
                self._take(event)
                if isinstance(event, h11.ConnectionClosed):
                    return
        except h11.RemoteProtocolError as wrong:
            self._refuse(wrong.error_status_hint)

    def _take(self, event: Any) -> None:
        if isinstance(event, h11.Request):
            self._head, self._body = event, bytearray()
        elif isinstance(event, h11.Data):
            self._body += event.data
            if len(self._body) > LARGEST_BODY:
                raise h11.RemoteProtocolError("body too large", error_status_hint=413)
        elif isinstance(event, h11.EndOfMessage) and self._head is not None:
            self._request = self._read(self._head)
            self._body = bytearray()
            self._task = asyncio.get_running_loop().create_task(self._answer(self._request))
        elif isinstance(event, h11.ConnectionClosed):
            self.drop()

    def _read(self, head: h11.Request) -> Request:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
        path = head.target.decode("latin-1").partition("?")[0]
        return Request(head.method.decode("latin-1"), path, headers, bytes(self._body), self._peer)

    async def _answer(self, request: Request) -> None:
        try:
            await self._handle(request, self)
        finally:
            if self._h11.our_state is not h11.DONE or self._h11.their_state is not h11.DONE:
                self.drop()
        if self._h11.our_state is h11.DONE:
            self._h11.start_next_cycle()
            self._advance()

    def _refuse(self, status: int) -> None:
        if self._h11.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.reply(status, wire.compact({"detail": "Invalid HTTP request received."}))
        self.drop()
