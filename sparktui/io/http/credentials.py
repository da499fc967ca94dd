"""What proves to the server who asks: made once, sent in a header, shown nowhere."""

from __future__ import annotations

import base64
import urllib.parse

from sparktui.io.config.keys import clean_key
from sparktui.io.http.echoes import Echoes


class Credentials:
    """Headers for a server. A user and password in its URL take the Authorization header; then a key goes into x-api-key.

    `key_header` is the name of the key's header, "" without a key; `echoes` masks what comes back of it.
    Raises ConfigError, without the key, for a key that no header can carry.
    """

    def __init__(self, url: str, api_key: str | None) -> None:
        parts = urllib.parse.urlsplit(url)
        key = clean_key(api_key, "the settings") if api_key else None
        self._login = ""
        password = urllib.parse.unquote(parts.password or "")
        if parts.username is not None:
            pair = f"{urllib.parse.unquote(parts.username)}:{password}"
            self._login = "Basic " + base64.b64encode(pair.encode()).decode("ascii")
        self.key_header = "" if key is None else "x-api-key" if self._login else "Authorization"
        self._key = key or ""
        self.echoes = Echoes((self._key, password, self._login.removeprefix("Basic ")))

    def __repr__(self) -> str:
        return f"Credentials(key_header={self.key_header!r})"

    def headers(self, *, with_key: bool) -> dict[str, str]:
        """The headers to send; a login always, the key only `with_key`."""
        headers = {"Authorization": self._login} if self._login else {}
        if with_key and self.key_header:
            headers[self.key_header] = self._key if self._login else f"Bearer {self._key}"
        return headers
