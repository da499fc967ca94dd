"""The simulated machine: one loaded model, its queue, its prefix cache and its memory. It lives in one event loop."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from sparktui.demo import memory
from sparktui.demo.log import ServerLog
from sparktui.demo.prefill import PrefixCache
from sparktui.demo.settings import ModelSettings, Options

# a made-up price of sharing a weight read: each further request in a batch makes a step this much longer
BATCH_COST = 0.15

_METRICS_DELAY_S = (0.001, 0.003)
_METRICS_DELAY_BUSY_S = (0.090, 0.150)


@dataclass(slots=True)
class Job:
    """A request that holds a slot or waits for one. `held_since`, `held_at` (loop time): its prompt is being read between them."""

    task: asyncio.Task[None]
    prompt_tokens: int
    running: bool = False
    aborted: bool = False
    held_since: float = 0.0
    held_at: float = 0.0

    def held_tokens(self, now: float) -> int:
        """Prompt tokens in memory at `now`."""
        if not self.running:
            return 0
        if now >= self.held_at:
            return self.prompt_tokens
        return int(self.prompt_tokens * max(0.0, now - self.held_since) / (self.held_at - self.held_since))

    def abort(self) -> None:
        """End it from the server's side."""
        self.aborted = True
        self.task.cancel()


class Machine:
    """What all requests share."""

    def __init__(self, options: Options, log: ServerLog) -> None:
        self.options = options
        self.log = log
        self.settings: ModelSettings | None = options.model_settings()
        self.loading = False
        self.issues: list[tuple[float, str]] = []
        self.cache = PrefixCache()
        self.jobs: list[Job] = []
        self.slots = asyncio.Semaphore(options.max_batch_size)
        self._turns: Counter[str] = Counter()
        self._loads: dict[str, float] = {}
        self._rng = random.Random(options.seed)
        self._late: dict[asyncio.TimerHandle, Callable[[], None]] = {}

    @property
    def speed(self) -> float:
        return self.options.speed

    @property
    def running(self) -> int:
        return sum(job.running for job in self.jobs)

    def turn(self, cell: str) -> int:
        """How many runs of this cell there were before."""
        self._turns[cell] += 1
        return self._turns[cell] - 1

    def new_id(self) -> str:
        """32 hex digits."""
        return f"{random.SystemRandom().getrandbits(128):032x}"

    def is_loading_for(self, asked: str, seconds: float) -> bool:
        """Whether fewer than `seconds` have passed since `asked` was first asked; afterwards it begins anew."""
        now = asyncio.get_running_loop().time()
        until = self._loads.setdefault(asked, now + seconds / self.speed)
        if now < until:
            return True
        del self._loads[asked]
        return False

    def load(self, settings: ModelSettings | None) -> None:
        """Put other settings in place; None unloads. Running requests end with an error."""
        for job in self.jobs:
            job.abort()
        self.settings = settings
        self.cache.clear()
        if settings is not None:
            self.slots = asyncio.Semaphore(settings.max_batch_size)

    def fail(self, description: str) -> None:
        """A generator failure: unhealthy until restart, though it serves again."""
        self.issues.append((time.time(), description))

    def used_bytes(self) -> int:
        """Memory in use now, of memory.TOTAL_BYTES."""
        settings, now = self.settings, asyncio.get_running_loop().time()
        held = sum(job.held_tokens(now) for job in self.jobs)
        if settings is None:
            return memory.used_bytes(0, draft=False, loaded=False, held_tokens=held)
        return memory.used_bytes(settings.max_seq_len, draft=settings.drafts, loaded=True, held_tokens=held)

    def log_later(self, text: str) -> None:
        """Write a record when TabbyAPI would: 1–3 ms from now, 90–150 ms while another request decodes."""
        low, high = _METRICS_DELAY_BUSY_S if self.running else _METRICS_DELAY_S

        def write() -> None:
            self._late.pop(handle, None)
            self.log.info(text)

        handle = asyncio.get_running_loop().call_later(self._rng.uniform(low, high), write)
        self._late[handle] = write

    def close(self) -> None:
        """Write what is still to be logged, and close the log."""
        for handle, write in list(self._late.items()):
            handle.cancel()
            write()
        self.log.close()
