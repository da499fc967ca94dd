"""Opening a TCP connection: every address of the name in turn, one time limit over all, and a stop that takes effect at once."""

from __future__ import annotations

import errno
import os
import select
import socket
import sys
import time
from collections.abc import Sequence

from sparktui.io.http.exchange import Exchange

_SLICE_MS = 50
_Address = tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]]
_IN_PROGRESS = {errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EALREADY}


def open_socket(host: str, port: int, timeout_s: float | None, exchange: Exchange | None = None) -> socket.socket:
    """A connected, non-blocking socket without Nagle's delay, and with keep-alive probes that notice a dead machine in two minutes.

    All addresses of `host` are tried, in the resolver's order, each with its share of the time that is left.
    Raises socket.gaierror for an unknown name, TimeoutError, InterruptedError when stopped, else the OSError of the last address.
    """
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    found = _addresses(host, port)
    failure: OSError = OSError(f"no address for {host}")
    for number, (family, kind, protocol, _, address) in enumerate(found):
        until = None if deadline is None else time.monotonic() + max(0.0, deadline - time.monotonic()) / (len(found) - number)
        try:
            sock = socket.socket(family, kind, protocol)
        except OSError as error:
            failure = error
            continue
        try:
            _connect(sock, address, until, exchange)
            _tune(sock)
        except InterruptedError:
            sock.close()
            raise
        except OSError as error:
            sock.close()
            failure = error
            continue
        return sock
    raise failure


def _addresses(host: str, port: int) -> Sequence[_Address]:
    """What the name stands for; `localhost` is both loopback addresses, whatever the machine's hosts file leaves out."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    if host.rstrip(".").lower() == "localhost":
        families = {entry[0] for entry in found}
        for family, literal in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
            if family not in families:
                found += socket.getaddrinfo(literal, port, type=socket.SOCK_STREAM)
    return found


def _connect(sock: socket.socket, address: object, until: float | None, exchange: Exchange | None) -> None:
    sock.setblocking(False)
    code = sock.connect_ex(address)  # type: ignore[arg-type]
    poll = select.poll()
    poll.register(sock, select.POLLOUT)
    while code in _IN_PROGRESS:
        if exchange is not None and exchange.stopped:
            raise InterruptedError(errno.EINTR, "stopped")
        if until is not None and time.monotonic() >= until:
            raise TimeoutError(errno.ETIMEDOUT, "no answer to the connection attempt")
        if poll.poll(_SLICE_MS):
            code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            break
    if code:
        raise OSError(code, os.strerror(code))


def _tune(sock: socket.socket) -> None:
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if sys.platform == "darwin":
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPALIVE, 60)
    else:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 15)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 4)
