"""Base URLs in every form people write them: which address to ask, and which text to show."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from sparktui.errors import UsageError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_VERSION = re.compile(r"/v\d+[a-z0-9]*\Z")
_CHAT = "/chat/completions"
_OTHER_ENDPOINTS = ("/completions", "/models", "/embeddings", "/responses")
_OLLAMA_ENDPOINTS = ("/api/chat", "/api/generate", "/api/tags")
_OLLAMA_PORT = 11434
_HINT = "A base URL looks like http://127.0.0.1:5000, with or without /v1; Open WebUI's ends in /api."


class BaseUrl(Struct, frozen=True):
    """Where a server is. All but `shown` may hold a user, a password or a query with a key, and are for requests only.

    `root`: what probes are relative to, without a trailing slash. `api_base`: root and API prefix (`…/v1`, `…/api`).
    `chat_url`: what prompts are posted to. `shown`: without user, password and query; parsing it again gives the same addresses.
    """

    root: str
    api_base: str
    chat_url: str
    shown: str
    host: str
    query: str = ""

    @classmethod
    def parse(cls, text: str) -> BaseUrl:
        """Understand host:port, root, `/v1`, `/api`, a prefix path, or a whole endpoint. Raises UsageError, never quoting a secret."""
        parts, host = _split(text)
        origin = f"{parts.scheme.lower()}://{parts.netloc}"
        clean_origin = f"{parts.scheme.lower()}://{parts.netloc.rpartition('@')[2]}"
        root_path, api_path, chat_path = _paths(parts)
        query = f"?{parts.query}" if parts.query else ""
        plain_root = not root_path.endswith("/api") and not _VERSION.search(root_path)
        standard = plain_root and api_path == f"{root_path}/v1" and chat_path == f"{api_path}{_CHAT}"
        shown_path = root_path if standard else api_path if _is_api_root(api_path, chat_path) else chat_path
        return cls(
            root=origin + root_path,
            api_base=origin + api_path,
            chat_url=origin + chat_path + query,
            shown=clean_origin + shown_path,
            host=host,
            query=query,
        )

    def at(self, path: str) -> str:
        """The address of `path` below the root, with the base URL's own query."""
        joint = "&" if "?" in path and self.query else ""
        return f"{self.root}{path}{joint}{self.query[1:] if joint else self.query}"

    @property
    def models_path(self) -> str:
        """Path of the list of models, relative to the root."""
        return self.api_base[len(self.root) :] + "/models"

    @property
    def is_private(self) -> bool:
        """Whether the host is this machine or a private network."""
        return is_private_host(self.host)


def is_private_host(host: str) -> bool:
    """Loopback and private IP literals, `localhost`, names under `.local`, and names without a dot. No name is resolved."""
    name = host.strip().strip("[]").partition("%")[0].rstrip(".").lower()
    if not name:
        return False
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return "." not in name or name.endswith((".local", ".localhost"))
    return address.is_private or address.is_loopback


def without_secrets(url: str) -> str:
    """A URL as it may be shown: no user, no password, no query, no fragment. "" if it cannot be taken apart."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2]
    return "".join(c for c in (f"{parts.scheme}://{host}" if host else "") + parts.path if c.isprintable())


def _split(text: str) -> tuple[SplitResult, str]:
    text = text.strip()
    if not text:
        raise UsageError("The base URL is empty.", hint=_HINT)
    if any(c.isspace() or not c.isprintable() for c in text):
        raise UsageError("The base URL holds a blank or a control character.", hint=_HINT)
    if not _SCHEME.match(text):
        text = _guessed_scheme(text) + "://" + text
    try:
        parts = urlsplit(text)
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        raise UsageError("The base URL has a port or an IPv6 address that cannot be read.", hint=_HINT) from None
    if parts.scheme.lower() not in ("http", "https"):
        raise UsageError(f"The base URL starts with {parts.scheme}://, but only http and https are spoken.", hint=_HINT)
    if not host or port == 0:
        raise UsageError("The base URL names no host." if not host else "Port 0 is no port to connect to.", hint=_HINT)
    return parts, host


def _guessed_scheme(text: str) -> str:
    """http for private hosts and wherever a port is named, https for a public host without one."""
    authority = re.split(r"[/?#]", text, maxsplit=1)[0].rpartition("@")[2]
    if authority.count(":") > 1 and not authority.startswith("["):
        raise UsageError("An IPv6 address in a base URL goes in brackets.", hint="Write http://[::1]:5000.")
    if authority.endswith(":443"):
        return "https"
    has_port = re.search(r":\d+\Z", authority) is not None
    return "http" if has_port or is_private_host(authority) else "https"


def _paths(parts: SplitResult) -> tuple[str, str, str]:
    """Paths of root, API and chat endpoint."""
    path = re.sub(r"/{2,}", "/", parts.path).rstrip("/")
    chat_path = path if path.endswith(_CHAT) else ""
    for ending in (_CHAT, *_OTHER_ENDPOINTS):
        if path.endswith(ending):
            path = path.removesuffix(ending)
            break
    else:
        for ending in _OLLAMA_ENDPOINTS:
            path = path.removesuffix(ending)
    while path.endswith("/v1/v1"):
        path = path.removesuffix("/v1")
    if path.endswith("/api") and not chat_path and parts.port == _OLLAMA_PORT:
        path = path.removesuffix("/api")
    if chat_path:
        chat_path = path + _CHAT
    if (version := _VERSION.search(path)) is not None:
        return path[: version.start()], path, chat_path or path + _CHAT
    if path.endswith("/api"):
        return path.removesuffix("/api"), path, chat_path or path + _CHAT
    if chat_path:
        return path, path, chat_path
    return path, f"{path}/v1", f"{path}/v1{_CHAT}"


def _is_api_root(api_path: str, chat_path: str) -> bool:
    return chat_path == api_path + _CHAT and (api_path.endswith("/api") or _VERSION.search(api_path) is not None)
