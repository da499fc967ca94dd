"""Requests as they go on the wire, and which redirects they follow."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator, Sequence

import httpx

from sparktui import __version__
from sparktui.errors import UsageError

Body = bytes | Sequence[bytes]

# 301 to 303 would turn a POST into a GET
_FOLLOWED = {"GET": (301, 302, 303, 307, 308), "POST": (307, 308)}
_DEFAULT_PORTS = {"http": 80, "https": 443}


class _Pieces(httpx.SyncByteStream):
    """A body in several buffers, none of which is copied."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._pieces)


def check_url(url: str) -> None:
    """Raises UsageError for a host name that cannot be asked for."""
    try:
        httpx.URL(_without_login(url))
    except httpx.InvalidURL as error:
        raise UsageError("The base URL's host is no valid name.", detail=str(error), hint="Write it like http://127.0.0.1:5000.") from None


def build_request(method: str, url: str, headers: dict[str, str], body: Body = b"") -> httpx.Request:
    """A GET, or a POST of JSON; user and password of `url` are left out (they belong in `headers`). No compression is asked for."""
    target = httpx.URL(_without_login(url))
    fields = {
        "Host": target.netloc.decode("ascii"),
        "User-Agent": f"sparktui/{__version__}",
        "Accept": "text/event-stream, application/json" if method == "POST" else "application/json, */*",
        "Accept-Encoding": "identity",
        **headers,
    }
    pieces = () if method == "GET" else (body,) if isinstance(body, bytes) else body
    if method == "POST":
        fields |= {"Content-Type": "application/json", "Content-Length": str(sum(len(piece) for piece in pieces))}
    return httpx.Request(method, target, headers=fields, stream=_Pieces(pieces))


def redirect_target(method: str, url: str, response: httpx.Response) -> str | None:
    """Where a response sends the request on to: only within the same origin, so that no key can leave it; else None."""
    location = response.headers.get("location", "")
    if response.status_code not in _FOLLOWED[method] or not location:
        return None
    try:
        target = urllib.parse.urljoin(url, location)
        return target if _origin(target) == _origin(url) else None
    except ValueError:
        return None


def _without_login(url: str) -> str:
    parts = urllib.parse.urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urllib.parse.urlsplit(url)
    scheme = parts.scheme.lower()
    return scheme, (parts.hostname or "").lower(), parts.port or _DEFAULT_PORTS.get(scheme)
