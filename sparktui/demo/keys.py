"""Who may ask for what. Without an API key everybody may do everything, as with TabbyAPI's `disable_auth`."""

from __future__ import annotations

from collections.abc import Mapping
from hmac import compare_digest
from typing import Literal

from sparktui.demo.settings import Options

Permission = Literal["api", "admin"]


class KeyRefusedError(Exception):
    """The request has no key or a wrong one; the message is what the client is told."""


def require_api(options: Options, headers: Mapping[str, str]) -> Permission:
    """The permission of a request to an ordinary route. Raises KeyRefusedError.

    Without keys a request that brings any key counts as the admin's, and one without as a user's.
    """
    given = _bearer(headers, "x-api-key")
    if not options.api_key:
        return "admin" if given or headers.get("x-admin-key") else "api"
    if given is None:
        raise KeyRefusedError("Please provide an API key")
    if _same(given, options.admin_key):
        return "admin"
    if _same(given, options.api_key):
        return "api"
    raise KeyRefusedError("Invalid API key")


def require_admin(options: Options, headers: Mapping[str, str]) -> None:
    """Let an admin through. Raises KeyRefusedError."""
    if not options.api_key:
        return
    given = _bearer(headers, "x-admin-key")
    if given is None:
        raise KeyRefusedError("Please provide an admin key")
    if not _same(given, options.admin_key):
        raise KeyRefusedError("Invalid admin key")


def _bearer(headers: Mapping[str, str], own: str) -> str | None:
    """The key in the header `own`, or in Authorization; "" where that has no `Bearer`, None where there is neither."""
    if own in headers:
        return headers[own]
    authorization = headers.get("authorization")
    if authorization is None:
        return None
    scheme, _, key = authorization.partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""


def _same(given: str, key: str) -> bool:
    return bool(key) and compare_digest(given.encode(), key.encode())
