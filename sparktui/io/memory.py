"""Memory of the machine that serves, when it is this one: system memory, the server process's own, and graphics cards'."""

from __future__ import annotations

import socket
import threading
import urllib.parse
from typing import TYPE_CHECKING

from sparktui.core.events import MemoryNow

# psutil is imported where it is used: a command's first request need not wait for it
if TYPE_CHECKING:
    import psutil

    from sparktui.io.gpumemory import GpuSampler

_RESOLVE_FAILED = (OSError, UnicodeError)
_TUNNELS = ("ssh", "sshd", "autossh", "sshd-session")
_FORWARDERS = ("docker-proxy", "rootlessport", "socat")


class MemorySampler:
    """Called, it gives memory now, in bytes (used = total − available); None when the server is another machine.

    The serving process is looked up beside, which takes some 30 ms, and again when it is gone; its resident memory is None until then and
    where it cannot be seen. A local port that an ssh tunnel listens on leads to another machine.
    """

    def __init__(self, base_url: str) -> None:
        parts = urllib.parse.urlsplit(base_url)
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._local = is_loopback(self._host)
        self._process: psutil.Process | None = None
        self._gpus: GpuSampler | None = None
        self._looking = threading.Thread(target=self._look, name="memory", daemon=True)
        self._looking.start()

    def local(self, within_s: float = 2.0) -> bool:
        """Whether there is anything to sample here; waits for the look-up."""
        self._looking.join(within_s)
        return self._local

    def __call__(self) -> MemoryNow | None:
        if not self._local:
            return None
        import psutil

        memory = psutil.virtual_memory()
        gpus = self._gpus() if self._gpus is not None else ()
        return MemoryNow(total=memory.total, used=memory.total - memory.available, available=memory.available, rss=self._rss(), gpus=gpus)

    def _rss(self) -> int | None:
        import psutil

        if self._process is None:
            return None
        try:
            rss: int = self._process.memory_info().rss
            return rss
        except psutil.Error:
            self._process = None
            self._looking = threading.Thread(target=self._look, name="memory", daemon=True)
            self._looking.start()
            return None

    def _look(self) -> None:
        if not is_this_machine(self._host):
            self._local = False
            return
        import psutil

        from sparktui.io.gpumemory import GpuSampler

        process = listening_process(self._port)
        try:
            name = process.name() if process is not None else ""
        except psutil.Error:
            name = ""
        self._process = None if name in _TUNNELS or name in _FORWARDERS else process
        self._local = name not in _TUNNELS
        if self._local and self._gpus is None:
            self._gpus = GpuSampler()


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its very name; nothing is looked up."""
    name = host.strip("[]").rstrip(".").lower()
    return name in ("localhost", "::1") or name.endswith(".localhost") or name.startswith("127.")


def is_this_machine(host: str) -> bool:
    """Whether a host name or address is one of this machine's own."""
    name = host.strip("[]").rstrip(".").lower()
    if not name or is_loopback(name):
        return bool(name)
    try:
        found = {str(entry[4][0]).partition("%")[0] for entry in socket.getaddrinfo(name, None)}
    except _RESOLVE_FAILED:
        return False
    if any(is_loopback(address) for address in found):
        return True
    import psutil

    own = {entry.address.partition("%")[0] for entries in psutil.net_if_addrs().values() for entry in entries}
    return bool(found & own)


def listening_process(port: int) -> psutil.Process | None:
    """The process that listens on a TCP port here; None where there is none or it may not be seen."""
    import psutil

    try:
        for connection in psutil.net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr and connection.laddr.port == port and connection.pid:
                return psutil.Process(connection.pid)
    except psutil.Error:
        return None
    return None
