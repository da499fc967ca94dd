"""Watches the config file and says when it changed; several writes of one save count once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

_DEBOUNCE_MS = 200
_STEP_MS = 200
_TIMEOUT_MS = 60_000


class ConfigWatch:
    """Calls `changed` from its own thread. Watches the folder, so that editors which replace the file are seen too."""

    def __init__(self, path: Path, changed: Callable[[], object]) -> None:
        self._path = path
        self._changed = changed
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="config-watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()

    def _run(self) -> None:
        # here, because the first frame does not wait for it
        from watchfiles import watch

        watcher = watch(
            self._path.parent,
            watch_filter=lambda _, name: Path(name).name == self._path.name,
            debounce=_DEBOUNCE_MS,
            step=_STEP_MS,
            rust_timeout=_TIMEOUT_MS,
            recursive=False,
            stop_event=self._stop,
            raise_interrupt=False,
        )
        for _ in watcher:
            self._changed()
