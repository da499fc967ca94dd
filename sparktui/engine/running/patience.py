"""How long a run waits for a server that asks for time: one that loads its model (503), or is asked too much (429)."""

from __future__ import annotations

import datetime
import email.utils
from collections.abc import Mapping

from msgspec import Struct

from sparktui.servers.wire_errors import is_loading, retry_after_s

_LOADING_WAITS_S: tuple[float, ...] = (1.0, 2.0, 3.0, 5.0)
_BUSY_WAITS_S: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)


class Wait(Struct, frozen=True):
    """Ask again after `seconds`, because of `reason`."""

    reason: str
    seconds: float


class Patience:
    """Decides, answer by answer, whether to wait; None once `limit_s` seconds of waiting are spent. One for each run."""

    def __init__(self, limit_s: float = 900.0) -> None:
        self._left_s = limit_s
        self._tries = 0

    def wait_for(self, status: int, body: bytes, headers: Mapping[str, str], now: datetime.datetime | None = None) -> Wait | None:
        """What to do about an HTTP answer; None = it is no matter of time, or of too much time. `now` is UTC, for a Retry-After date."""
        asked_s = _asked_s(headers.get("retry-after", ""), now or datetime.datetime.now(datetime.UTC))
        if status == 429:
            reason, waits = "the server asks to slow down (429)", _BUSY_WAITS_S
        elif is_loading(status, body):
            reason, waits = "the model is loading (503)", _LOADING_WAITS_S
        elif status == 503 and asked_s is not None:
            reason, waits = "the server is not ready (503)", _LOADING_WAITS_S
        else:
            return None
        seconds = asked_s if asked_s is not None else waits[min(self._tries, len(waits) - 1)]
        if seconds > self._left_s:
            return None
        self._left_s -= seconds
        self._tries += 1
        return Wait(reason, seconds)


def _asked_s(retry_after: str, now: datetime.datetime) -> float | None:
    """Seconds that a Retry-After header asks for, as a number or as a date (RFC 9110, section 10.2.3)."""
    seconds = retry_after_s(retry_after)
    if seconds is not None or not retry_after.strip():
        return seconds
    try:
        until = email.utils.parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=datetime.UTC)
    return max(0.0, (until - now).total_seconds())
