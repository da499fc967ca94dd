"""Memory of the machine that serves, when it is this one: system memory, and the server process's own."""

from __future__ import annotations

import socket
import urllib.parse

import psutil

from sparktui.core.events import MemoryNow

_RESOLVE_FAILED = (OSError, UnicodeError)
_TUNNELS = ("ssh", "sshd", "autossh", "sshd-session")
_FORWARDERS = ("docker-proxy", "rootlessport", "socat")


class MemorySampler:
    """Called, it gives memory now, in bytes (used = total − available); None when the server is another machine.

    The serving process is looked up once, again when it is gone; its resident memory is None where it cannot be seen. A local port that
    an ssh tunnel listens on leads to another machine.
    """

    def __init__(self, base_url: str) -> None:
        parts = urllib.parse.urlsplit(base_url)
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._local = is_this_machine(parts.hostname or "")
        self._process: psutil.Process | None = None
        self._looked = False
        if self._local:
            self._look()

    @property
    def local(self) -> bool:
        """Whether there is anything to sample here."""
        return self._local

    def __call__(self) -> MemoryNow | None:
        if not self._local:
            return None
        memory = psutil.virtual_memory()
        return MemoryNow(total=memory.total, used=memory.total - memory.available, available=memory.available, rss=self._rss())

    def _rss(self) -> int | None:
        if not self._looked:
            self._look()
        if self._process is None:
            return None
        try:
            rss: int = self._process.memory_info().rss
            return rss
        except psutil.Error:
            self._process, self._looked = None, False
            return None

    def _look(self) -> None:
        self._looked = True
        self._process = listening_process(self._port)
        try:
            name = self._process.name() if self._process is not None else ""
        except psutil.Error:
            name = ""
        if name in _TUNNELS:
            self._local = False
        if name in _TUNNELS or name in _FORWARDERS:
            self._process = None


def is_this_machine(host: str) -> bool:
    """Whether a host name or address is one of this machine's own."""
    name = host.strip("[]").rstrip(".").lower()
    if not name:
        return False
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        found = {str(entry[4][0]).partition("%")[0] for entry in socket.getaddrinfo(name, None)}
    except _RESOLVE_FAILED:
        return False
    if any(address.startswith("127.") or address == "::1" for address in found):
        return True
    own = {entry.address.partition("%")[0] for entries in psutil.net_if_addrs().values() for entry in entries}
    return bool(found & own)


def listening_process(port: int) -> psutil.Process | None:
    """The process that listens on a TCP port here; None where there is none or it may not be seen."""
    try:
        for connection in psutil.net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr and connection.laddr.port == port and connection.pid:
                return psutil.Process(connection.pid)
    except psutil.Error:
        return None
    return None
