"""Wake-ups for a followed file: the folder's change events, with a poll as the net, because they are silent on network mounts."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from sparktui.io.log.logsource import POLL_S

# below these the watcher costs more than 0.5 % of a core when idle, above them a line is seen later than 25 ms (p50)
_STEP_MS = 13
_REARM_POLLS = 20


def wakeups(folder: Path, stop: threading.Event, *, events: bool = True) -> Iterator[None]:
    """Yields at once, then on every change in `folder` and at least every 250 ms, until `stop` is set. `events` False: polls only.

    A folder that does not exist yet, is made anew or cannot be watched (no inotify watches left) is polled and tried again later.
    """
    yield None
    while not stop.is_set():
        if events:
            yield from _watched(folder, stop)
        for _ in range(_REARM_POLLS):
            if stop.wait(POLL_S):
                return
            yield None


def _watched(folder: Path, stop: threading.Event) -> Iterator[None]:
    """Until the folder is another one or its events cannot be had."""
    from watchfiles import watch

    armed = _identity(folder)
    if armed is None:
        return
    try:
        for _ in watch(
            folder, watch_filter=None, step=_STEP_MS, debounce=_STEP_MS, rust_timeout=int(POLL_S * 1000), yield_on_timeout=True,
            force_polling=False, recursive=False, raise_interrupt=False,
        ):  # fmt: skip
            if stop.is_set():
                return
            yield None
            if _identity(folder) != armed:
                return
    except (OSError, RuntimeError):
        return


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        info = folder.stat()
    except OSError:
        return None
    return info.st_dev, info.st_ino
