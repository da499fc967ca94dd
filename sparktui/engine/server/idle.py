"""Whether the server is busy with someone else, before a run."""

from __future__ import annotations

from sparktui.engine.server.probe import ask
from sparktui.engine.server.target import Target
from sparktui.io.http.exchange import Stop
from sparktui.servers.base import IdleState

_WITHIN_S = 3.0


def check_idle(target: Target, stop: Stop | None = None) -> IdleState:
    """What the server itself says; `busy` None where it cannot (then the queue time tells afterwards). Takes 3 s at most."""
    return ask(target.adapter.idle(), target.client, within_s=_WITHIN_S, stop=stop)
