"""Reaching a server, recognising it, waiting while it loads, and asking it what is worth recording."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec
from msgspec import Struct

from sparktui.core.config import ServerConfig
from sparktui.core.events import Server
from sparktui.core.records import ServerInfo
from sparktui.engine.server.probe import ask
from sparktui.errors import SparkError, UnreachableError
from sparktui.io.http.client import Client
from sparktui.io.http.exchange import Stop
from sparktui.io.http.failures import StoppedError
from sparktui.servers.base import Adapter, Recognition
from sparktui.servers.recognise import recognise
from sparktui.servers.registry import adapter_for
from sparktui.servers.url import BaseUrl

RECOGNISE_S = 4.5
OPEN_S = 5.0
_LOADING_POLL_S = 2.0

OnServer = Callable[[Server], object]


class Opened(Struct, frozen=True):
    """A server ready to be measured."""

    client: Client
    adapter: Adapter
    info: ServerInfo
    seen: Recognition


class Opening:
    """One attempt to open the server of a configuration. `origin`: where its address was set. `tell` hears of every state on the way."""

    def __init__(self, server: ServerConfig, origin: str, tell: OnServer, stop: Stop | None) -> None:
        self._server = server
        self._origin = origin
        self._tell = tell
        self._stop = stop
        self._base = BaseUrl.parse(server.base_url)

    def open(self, wait_loading_s: float) -> Opened:
        """Recognise and describe, in 5 s at most; then wait up to `wait_loading_s` while the model loads.

        Raises UnreachableError, ConfigError, StoppedError.
        """
        client = client_for(self._server, self._base)
        try:
            self._tell(Server(state="probing"))
            self._reach(client)
            begun = time.monotonic()
            seen = self._recognised(client)
            deadline = begun + wait_loading_s
            while seen.loading and time.monotonic() < deadline:
                self._tell(Server(state="loading", cause="the model is loading", retry_in_s=_LOADING_POLL_S))
                self._pause(_LOADING_POLL_S)
                begun = time.monotonic()
                seen = self._recognised(client)
            opened = self._described(client, seen, max(0.5, OPEN_S - (time.monotonic() - begun)))
        except BaseException:
            client.close()
            raise
        self._tell(Server(state="loading" if seen.loading else "ready", info=opened.info))
        return opened

    def _reach(self, client: Client) -> None:
        try:
            client.warm(self._stop)
        except StoppedError:
            raise
        except SparkError as error:
            self._tell(Server(state="unreachable", cause=error.title, hint=error.hint))
            if self._origin and isinstance(error, UnreachableError):
                error.detail = f"The address comes from: {self._origin}."
            raise

    def _recognised(self, client: Client) -> Recognition:
        kind = self._server.kind
        if kind not in ("auto", "tabbyapi"):
            return Recognition(kind=kind)
        seen = ask(recognise(), client, within_s=RECOGNISE_S, stop=self._stop)
        # the simulated server speaks TabbyAPI's dialect, and what it gives is marked as simulated whatever kind is asked for
        return seen if kind == "auto" or seen.kind == "demo" else Recognition(kind=kind)

    def _described(self, client: Client, seen: Recognition, within_s: float) -> Opened:
        adapter = adapter_for(seen.kind)
        info = ask(adapter.describe(self._base.shown, seen), client, within_s=within_s, stop=self._stop)
        if self._server.model:
            info = msgspec.structs.replace(info, model=self._server.model)
        return Opened(client, adapter, info, seen)

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self._stop is not None and self._stop.is_set():
                raise StoppedError()
            time.sleep(0.05)


def client_for(server: ServerConfig, base: BaseUrl) -> Client:
    """A client with the configured key, limits and certificates. Raises ConfigError."""
    return Client(
        base,
        api_key=server.api_key,
        connect_timeout_s=server.connect_timeout_s,
        idle_timeout_s=server.idle_timeout_s,
        verify=server.tls.verify,
        ca_file=server.tls.ca_file,
    )
