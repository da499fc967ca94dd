"""The two ways an answer leaves: as a stream of events, or whole at its end."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from sparktui.demo import wire
from sparktui.demo.http import Connection
from sparktui.demo.wire import Dialect, Ending, Said

Usage = dict[str, Any]


class Outlet(Protocol):
    """Where one answer goes."""

    def open(self) -> None:
        """The request is accepted."""
        ...

    async def chunk(self, said: Said) -> None: ...

    async def finish(self, whole: Said, ending: Ending, usage: Usage | None) -> None:
        """The answer is complete. `usage` None = not asked for."""
        ...

    async def abort(self) -> str:
        """The server ends it; returns what the client is told."""
        ...

    def quiet(self) -> None:
        """Send no keep-alives from now on."""
        ...

    def close(self) -> None: ...


class StreamOutlet:
    """Events, each in one write, with a keep-alive comment every `ping_s`. `buffered`: all of it in one write at the end."""

    def __init__(self, connection: Connection, dialect: Dialect, ping_s: float, *, buffered: bool = False) -> None:
        self._connection = connection
        self._dialect = dialect
        self._ping_s = ping_s
        self._held: list[bytes] | None = [] if buffered else None
        self._pinging: asyncio.Task[None] | None = None

    def open(self) -> None:
        self._connection.start(200, wire.STREAM_HEADERS)
        if self._ping_s > 0 and self._held is None:
            self._pinging = asyncio.get_running_loop().create_task(self._ping())

    async def chunk(self, said: Said) -> None:
        await self._send(self._dialect.chunk(said))

    async def finish(self, whole: Said, ending: Ending, usage: Usage | None) -> None:
        self.quiet()
        await self._send(self._dialect.finish(ending) if usage is None else self._dialect.usage(ending, usage))
        await self._send(wire.DONE)
        await self._release()
        self._connection.end()

    async def abort(self) -> str:
        self.quiet()
        await self._release()
        await self._connection.send(wire.error_event(wire.ABORTED))
        self._connection.end()
        return wire.ABORTED

    def quiet(self) -> None:
        if self._pinging is not None:
            self._pinging.cancel()

    def close(self) -> None:
        self.quiet()

    async def _send(self, event: bytes) -> None:
        if self._held is None:
            await self._connection.send(event)
        else:
            self._held.append(event)

    async def _release(self) -> None:
        if self._held:
            await self._connection.send(b"".join(self._held))

    async def _ping(self) -> None:
        while True:
            await asyncio.sleep(self._ping_s)
            await self._connection.send(wire.ping())


class WholeOutlet:
    """One JSON answer."""

    def __init__(self, connection: Connection, dialect: Dialect) -> None:
        self._connection = connection
        self._dialect = dialect

    def open(self) -> None:
        """Nothing leaves before the end."""

    async def chunk(self, said: Said) -> None:
        """Nothing leaves before the end."""

    async def finish(self, whole: Said, ending: Ending, usage: Usage | None) -> None:
        self._connection.reply(200, wire.compact(self._dialect.whole(whole, ending, usage)))

    async def abort(self) -> str:
        told = f"Chat completion {self._dialect.request_id} aborted. Maybe the model was unloaded? Please check the server console."
        self._connection.reply(503, wire.compact({"detail": told}))
        return told

    def quiet(self) -> None:
        """There are no keep-alives."""

    def close(self) -> None:
        """There is nothing to end."""
