"""A server that was restarted: waiting until it answers and has its model, and learning anew what it is."""

from __future__ import annotations

import time

import msgspec

from sparktui.core.config import ServerConfig
from sparktui.core.events import Server
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.server.opening import Opening
from sparktui.engine.server.target import Target
from sparktui.errors import RunFailedError, UnreachableError

_PAUSE_S = 0.3


def wait_ready(target: Target, server: ServerConfig, emitter: Emitter, cancel: Cancel, *, within_s: float) -> None:
    """Try for `within_s` seconds; `target` then knows the server as it is now. Raises RunFailedError, StoppedError, ConfigError."""
    settings = msgspec.structs.replace(server, base_url=target.client.base.chat_url)
    if target.demo is not None:
        settings = msgspec.structs.replace(settings, api_key=None)
    emitter.emit(Server(state="loading", info=target.info, cause="waiting for the server"))
    until = time.monotonic() + within_s
    while True:
        left_s = until - time.monotonic()
        try:
            opened = Opening(settings, "", lambda _: None, cancel).open(max(0.0, left_s))
        except UnreachableError as error:
            if left_s <= 0:
                raise RunFailedError(f"The server did not come up within {within_s:g} s.", detail=str(error)) from None
        else:
            opened.client.close()
            if not opened.seen.loading:
                break
            if left_s <= 0:
                raise RunFailedError(f"The server was still loading its model after {within_s:g} s.")
        cancel.wait(_PAUSE_S)
    target.adapter, target.seen = opened.adapter, opened.seen
    target.info = msgspec.structs.replace(opened.info, tls_verified=target.client.tls_verified)
    emitter.emit(Server(state="ready", info=target.info))
