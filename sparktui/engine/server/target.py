"""The server that runs go to: the configured one, one found on this machine, or the simulated one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from sparktui.core.config import Config
from sparktui.core.events import Server
from sparktui.core.records import ServerInfo
from sparktui.engine.server.discover import Found, discover
from sparktui.engine.server.opening import OPEN_S, OnServer, Opening
from sparktui.engine.server.probe import ask
from sparktui.errors import UsageError
from sparktui.io.http.client import Client
from sparktui.io.http.exchange import Stop
from sparktui.servers.base import Adapter, Recognition
from sparktui.servers.registry import adapter_for
from sparktui.servers.url import BaseUrl

if TYPE_CHECKING:
    from sparktui.demo.process import DemoProcess


class Target:
    """A server that can be measured. `origin` says where its address came from; `demo` is the simulated server's process, if we run one.

    What runs learn stays here: `include_usage` (False once the server refused it), `chars_per_token`, this model's measured ratio, and
    `cancelled_s`, when (time.monotonic) a run was last cancelled.
    One target serves one run at a time; `another` is for a second one at once.
    """

    def __init__(
        self, client: Client, adapter: Adapter, info: ServerInfo, *, seen: Recognition, origin: str = "", demo: DemoProcess | None = None
    ) -> None:
        self._owner = True
        self.client = client
        self.adapter = adapter
        self.info = msgspec.structs.replace(info, tls_verified=client.tls_verified)
        self.seen = seen
        self.origin = origin
        self.demo = demo
        self.include_usage = True
        self.cancelled_s: float | None = None
        self.chars_per_token: float | None = None

    @property
    def simulated(self) -> bool:
        return self.info.kind == "demo"

    def __enter__(self) -> Target:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def another(self) -> Target:
        """The same server for a run beside this one. It shares the connections, which stay open when it is closed."""
        twin = Target(self.client, self.adapter, self.info, seen=self.seen, origin=self.origin)
        twin._owner = False
        twin.include_usage, twin.chars_per_token = self.include_usage, self.chars_per_token
        return twin

    def close(self) -> None:
        """Close the connections, and end the simulated server if it is ours."""
        if not self._owner:
            return
        self.client.close()
        if self.demo is not None:
            self.demo.stop()


class SeveralServersError(UsageError):
    """`base_url: auto` found more than one server. `found`: all of them, to choose from."""

    def __init__(self, found: Sequence[Found]) -> None:
        names = ", ".join(f"{one.base_url} ({one.seen.kind})" for one in found)
        super().__init__(f"Several servers answer on this machine: {names}.", hint="Name one with --base-url or server.base_url.")
        self.found = tuple(found)


def open_target(
    config: Config,
    *,
    demo: bool = False,
    demo_speed: float = 1.0,
    origin: str = "",
    on_event: OnServer | None = None,
    choose: Callable[[Sequence[Found]], str] | None = None,
    stop: Stop | None = None,
    wait_loading_s: float = 900.0,
) -> Target:
    """Find the server, recognise it in 5 s at most and ask it what is worth recording; wait while it loads its model.

    `origin`: where `server.base_url` was set, for messages. `on_event` hears of every state on the way (probing, loading, ready).
    `choose` picks a base URL when `base_url: auto` finds several. Raises UnreachableError, SeveralServersError, ConfigError, StoppedError.
    """
    tell = on_event or (lambda _: None)
    if demo:
        return _open_demo(config, demo_speed, "option --demo", tell)
    server = config.server
    if server.base_url == "auto":
        tell(Server(state="probing"))
        found = discover(stop=stop)
        if not found:
            return _open_demo(config, demo_speed, "no server was found on this machine", tell)
        if len(found) > 1:
            tell(Server(state="probing", candidates=tuple(one.base_url for one in found)))
            if choose is None:
                raise SeveralServersError(found)
        base_url = choose(found) if choose is not None and len(found) > 1 else found[0].base_url
        server = msgspec.structs.replace(server, base_url=base_url)
        origin = "found on this machine"
    opened = Opening(server, origin, tell, stop).open(wait_loading_s)
    return Target(opened.client, opened.adapter, opened.info, seen=opened.seen, origin=origin)


def _open_demo(config: Config, speed: float, origin: str, tell: OnServer) -> Target:
    from sparktui.demo.faults import MODES_PREFIX
    from sparktui.demo.process import DemoProcess

    tell(Server(state="probing"))
    process = DemoProcess.start(speed=speed)
    try:
        base = BaseUrl.parse(process.base_url)
        client = Client(base, connect_timeout_s=config.server.connect_timeout_s, idle_timeout_s=config.server.idle_timeout_s, environ={})
        seen = Recognition(kind="demo")
        adapter = adapter_for("demo")
        info = ask(adapter.describe(base.shown, seen), client, within_s=OPEN_S)
        if (config.server.model or "").startswith(MODES_PREFIX):
            info = msgspec.structs.replace(info, model=config.server.model)
    except BaseException:
        process.stop()
        raise
    target = Target(client, adapter, info, seen=seen, origin=origin, demo=process)
    tell(Server(state="ready", info=target.info))
    return target
