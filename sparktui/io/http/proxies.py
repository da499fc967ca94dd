"""Which proxy a server is reached through, as the environment says; loopback and private servers never use one."""

from __future__ import annotations

import urllib.parse
import urllib.request
from collections.abc import Mapping

import httpcore

from sparktui.errors import ConfigError
from sparktui.servers.url import is_private_host


def proxy_for(scheme: str, host: str, environ: Mapping[str, str]) -> str | None:
    """The proxy URL for a server, or None. `environ`: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY in either case; lower case wins."""
    if is_private_host(host):
        return None
    proxies = {name.lower(): value for name, value in environ.items() if name.lower().endswith("_proxy") and value}
    proxies |= {name: value for name, value in environ.items() if name.endswith("_proxy") and value}
    exceptions = {"no": proxies["no_proxy"]} if proxies.get("no_proxy") else {}
    if exceptions and urllib.request.proxy_bypass_environment(host, exceptions):  # type: ignore[attr-defined]
        return None
    url = proxies.get(f"{scheme}_proxy") or proxies.get("all_proxy")
    if url is None:
        return None
    return url if "://" in url else f"http://{url}"


def shown_proxy(url: str) -> str:
    """The proxy's address without user and password."""
    parts = urllib.parse.urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def proxied_pool(url: str, **options: object) -> httpcore.ConnectionPool:
    """A connection pool that goes through the proxy. Raises ConfigError for a proxy that cannot be used."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https"):
        raise ConfigError(
            f"The proxy {shown_proxy(url)} is of a kind that is not supported.",
            hint="Use an http:// or https:// proxy, or name the server's host in NO_PROXY.",
        )
    if not parts.hostname:
        raise ConfigError(f"The proxy address {shown_proxy(url)} has no host.", hint="Check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY.")
    auth = None
    if parts.username is not None:
        auth = (urllib.parse.unquote(parts.username), urllib.parse.unquote(parts.password or ""))
    return httpcore.HTTPProxy(proxy_url=f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", proxy_auth=auth, **options)  # type: ignore[arg-type]
