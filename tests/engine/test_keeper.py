"""Opening a server in the background: what is told, retried, swapped and given up."""

import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from sparktui.core.config import Config
from sparktui.core.events import AnyEvent, Server
from sparktui.core.records import ServerInfo
from sparktui.engine.running.emit import Emitter
from sparktui.engine.server.keeper import ServerKeeper, Wanted, at_address
from sparktui.engine.server.target import SeveralServersError, Target
from sparktui.errors import UnreachableError
from sparktui.servers.base import Recognition


class FakeTarget:
    info = ServerInfo(kind="openai", base_url="http://127.0.0.1:1")
    seen = Recognition(kind="openai")

    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        self.closed = True


class Opener:
    """Fails with `errors` in turn, then opens."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.targets: list[FakeTarget] = []
        self.origins: list[str] = []

    def __call__(self, config: Config, **options: Any) -> Target:
        self.origins.append(options["origin"])
        if self.errors:
            raise self.errors.pop(0)
        self.targets.append(FakeTarget())
        return cast(Target, self.targets[-1])


def until(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 5
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.005)
    return holds()


def keeper_of(opener: Opener, retry_s: float = 0.02) -> tuple[ServerKeeper, list[AnyEvent], list[Target]]:
    events: list[AnyEvent] = []
    ready: list[Target] = []
    return ServerKeeper(Emitter([events.append]), ready.append, opener=opener, retry_s=retry_s), events, ready


def test_unreachable_is_told_with_the_next_try_and_tried_again() -> None:
    opener = Opener(UnreachableError("nobody answers", detail="The address comes from: config.yml:3.", hint="start it"))
    keeper, events, ready = keeper_of(opener)
    keeper.use(Wanted(config=Config(), origin="config.yml:3"))
    assert until(lambda: any(isinstance(event, Server) and event.state == "ready" for event in events))
    assert ready
    told = [event for event in events if isinstance(event, Server)]
    assert [(event.state, event.retry_in_s, event.hint) for event in told] == [("unreachable", 0.02, "start it"), ("ready", None, "")]
    assert "config.yml:3" in told[0].cause
    keeper.close()
    assert opener.targets[0].closed


def test_retry_does_not_wait() -> None:
    opener = Opener(UnreachableError("gone"))
    keeper, events, ready = keeper_of(opener, retry_s=60)
    keeper.use(Wanted(config=Config()))
    assert until(lambda: bool(events))
    keeper.retry()
    assert until(lambda: bool(ready))
    keeper.close()


def test_another_wish_closes_what_was_open() -> None:
    opener = Opener()
    keeper, _, ready = keeper_of(opener)
    keeper.use(Wanted(config=Config(), origin="first"))
    assert until(lambda: len(ready) == 1)
    keeper.use(Wanted(config=Config(), origin="second"))
    assert until(lambda: len(ready) == 2)
    assert opener.targets[0].closed and not opener.targets[1].closed
    assert opener.origins == ["first", "second"]
    keeper.close()


def test_several_servers_are_offered_and_one_is_picked() -> None:
    found = [SimpleNamespace(base_url=url, seen=SimpleNamespace(kind="openai")) for url in ("http://127.0.0.1:1", "http://127.0.0.1:2")]
    keeper, events, ready = keeper_of(Opener(SeveralServersError(cast(Any, found))))
    wanted = Wanted(config=Config(), demo=True)
    keeper.use(wanted)
    assert until(lambda: bool(events))
    offer = events[0]
    assert isinstance(offer, Server) and offer.candidates == ("http://127.0.0.1:1", "http://127.0.0.1:2")
    picked = at_address(wanted, offer.candidates[1])
    assert picked.config.server.base_url == "http://127.0.0.1:2" and not picked.demo
    keeper.use(picked)
    assert until(lambda: bool(ready))
    keeper.close()


def test_a_lost_server_is_opened_again_once() -> None:
    opener = Opener()
    keeper, _, ready = keeper_of(opener)
    keeper.use(Wanted(config=Config()))
    assert until(lambda: len(ready) == 1)
    keeper.lost()
    assert until(lambda: len(ready) == 2)
    assert threading.active_count() < 20
    keeper.close()


def test_a_fault_is_told_and_tried_again_instead_of_connecting_for_ever() -> None:
    keeper, events, ready = keeper_of(Opener(KeyError("secret value")))
    keeper.use(Wanted(config=Config()))
    assert until(lambda: bool(ready))
    told = next(event for event in events if isinstance(event, Server))
    assert told.state == "unreachable" and "KeyError" in told.cause and "secret" not in told.cause
    keeper.close()
