"""Keeps a worker's server: opens it in the background, tells every state on the way, tries again while it does not answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct

from sparktui.core.config import Config
from sparktui.core.events import Server
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.server.discover import Found
from sparktui.engine.server.target import SeveralServersError, Target, open_target
from sparktui.errors import SparkError
from sparktui.io.http.failures import StoppedError

RETRY_S = 5.0

Open = Callable[..., Target]


class Wanted(Struct, frozen=True, kw_only=True):
    """Which server to keep. `origin` says where its address came from."""

    config: Config
    demo: bool = False
    origin: str = ""
    demo_speed: float = 1.0


class ServerKeeper:
    """One target at a time. `on_ready` is called in the keeper's thread with each new target; the one before it is closed by `use`."""

    def __init__(
        self, emitter: Emitter, on_ready: Callable[[Target], None], *, opener: Open = open_target, retry_s: float = RETRY_S
    ) -> None:
        self._emitter = emitter
        self._on_ready = on_ready
        self._opener = opener
        self._retry_s = retry_s
        self._lock = threading.Lock()
        self._stop = Cancel()
        self._wake = threading.Event()
        self._wanted: Wanted | None = None
        self._thread: threading.Thread | None = None
        self.target: Target | None = None

    @property
    def wanted(self) -> Wanted | None:
        return self._wanted

    def use(self, wanted: Wanted) -> None:
        """Open `wanted` from now on; whatever was being opened or retried is given up, what was open is closed."""
        self._give_up()
        with self._lock:
            self._wanted = wanted
            self._stop = Cancel()
            self._thread = threading.Thread(target=self._keep, args=(wanted, self._stop), name="server", daemon=True)
            self._thread.start()

    def retry(self) -> None:
        """Do not wait for the next try."""
        self._wake.set()

    def lost(self) -> None:
        """A run found the server gone: begin again with what is wanted, unless that is under way."""
        if self._wanted is not None and (self._thread is None or not self._thread.is_alive()):
            self.use(self._wanted)

    def close(self) -> None:
        self._give_up()

    def _give_up(self) -> None:
        self._stop.set()
        self._wake.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(10)
        self._wake.clear()
        target, self.target = self.target, None
        if target is not None:
            target.close()

    def _keep(self, wanted: Wanted, stop: Cancel) -> None:
        while not stop.is_set():
            try:
                self._open(wanted, stop)
                return
            except StoppedError:
                return
            except SeveralServersError as error:
                self._offer(error.found)
                return
            except SparkError as error:
                self._unreachable(error)
            except Exception as error:  # noqa: BLE001 - the border of this thread: a fault is told, not an endless "connecting"
                self._unreachable(SparkError(f"A fault in sparktui kept the server from being opened: {type(error).__name__}."))
            self._wait(stop)

    def _open(self, wanted: Wanted, stop: Cancel) -> None:
        target = self._opener(
            wanted.config, demo=wanted.demo, demo_speed=wanted.demo_speed, origin=wanted.origin, on_event=self._tell, stop=stop
        )
        if stop.is_set():
            target.close()
            return
        self.target = target
        self._on_ready(target)
        self._emitter.emit(Server(state="loading" if target.seen.loading else "ready", info=target.info))

    def _tell(self, event: Server) -> None:
        # unreachable is told by us, with the time of the next try; ready only when a run can be sent
        if event.state != "unreachable" and event.info is None:
            self._emitter.emit(event)

    def _offer(self, found: Sequence[Found]) -> None:
        self._emitter.emit(Server(state="probing", candidates=tuple(one.base_url for one in found)))

    def _unreachable(self, error: SparkError) -> None:
        cause = "\n".join(part for part in (error.title, error.detail) if part)
        self._emitter.emit(Server(state="unreachable", cause=cause, hint=error.hint, retry_in_s=self._retry_s))

    def _wait(self, stop: Cancel) -> None:
        self._wake.wait(self._retry_s)
        if not stop.is_set():
            self._wake.clear()


def at_address(wanted: Wanted, base_url: str) -> Wanted:
    """The same wish with another address, picked on the screen."""
    server = msgspec.structs.replace(wanted.config.server, base_url=base_url)
    return msgspec.structs.replace(
        wanted, config=msgspec.structs.replace(wanted.config, server=server), demo=False, origin="picked on the screen"
    )
