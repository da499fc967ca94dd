"""Children are started by a thread made before the screen lowers its own priority: what it spawns keeps the full one (on Linux)."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Made = TypeVar("Made")


class Spawner:
    """Runs `make` in its thread and gives back what it made, or raises what it raised."""

    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="spawner", daemon=True).start()

    def __call__(self, make: Callable[[], Made]) -> Made:
        made: Future[Made] = Future()

        def work() -> None:
            try:
                made.set_result(make())
            except Exception as error:  # noqa: BLE001 - raised where it was asked for
                made.set_exception(error)

        self._asked.put(work)
        return made.result()

    def _run(self) -> None:
        while True:
            self._asked.get()()
