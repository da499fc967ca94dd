"""Looking for a server on this machine, at the ports where such servers usually listen."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from msgspec import Struct

from sparktui.engine.server.probe import ask
from sparktui.io.http.client import Client
from sparktui.io.http.connect import open_socket
from sparktui.io.http.exchange import Stop
from sparktui.servers.base import Recognition
from sparktui.servers.recognise import recognise
from sparktui.servers.url import BaseUrl

USUAL_PORTS = (5000, 8080, 8000, 30000, 11434, 1234)
_CONNECT_S = 0.25
_RECOGNISE_S = 2.0


class Found(Struct, frozen=True):
    """A server that answered, and what it was recognised as."""

    base_url: str
    seen: Recognition


def discover(ports: Sequence[int] = USUAL_PORTS, stop: Stop | None = None) -> list[Found]:
    """The language-model servers on loopback, in the order of `ports`; all asked at once, 2 s at most. Keys are not sent."""
    found: dict[int, Found] = {}
    threads = [threading.Thread(target=_look, args=(port, found, stop), daemon=True) for port in ports if _listens(port)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_RECOGNISE_S + 1)
    return [found[port] for port in ports if port in found]


def _listens(port: int) -> bool:
    try:
        open_socket("127.0.0.1", port, _CONNECT_S).close()
    except OSError:
        return False
    return True


def _look(port: int, found: dict[int, Found], stop: Stop | None) -> None:
    base = BaseUrl.parse(f"http://127.0.0.1:{port}")
    with Client(base, connect_timeout_s=_CONNECT_S, environ={}) as client:
        seen = ask(recognise(), client, within_s=_RECOGNISE_S, stop=stop)
    # an unknown server counts only if it lists models: any web application may listen at these ports
    if seen.reachable and (seen.kind != "openai" or seen.models):
        found[port] = Found(base.shown, seen)
