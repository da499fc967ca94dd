"""The second hand of a run: while its own thread waits for bytes, another one says how long, and samples memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from sparktui.core.delta import PromptProgress
from sparktui.core.events import MemoryNow, Waiting
from sparktui.core.records import GpuMemory, Memory

MemorySampler = Callable[[], MemoryNow | None]
EVERY_S = 1.0
_STALL_NS = 2_000_000_000
_PROGRESS_EVERY_NS = 100_000_000


class Ticker:
    """Emits Waiting about once a second until the first text and while none comes for 2 s, and MemoryNow with every beat.

    Memory is sampled once more at the first text: then the whole prompt is held.

    The reading thread notes what it sees in plain attributes and methods that cost next to nothing.
    """

    def __init__(
        self, run_id: str, emit: Callable[[Waiting | MemoryNow], object], sampler: MemorySampler | None = None, interval_s: float = EVERY_S
    ) -> None:
        self._run_id = run_id
        self._emit = emit
        self._sampler = sampler
        self._interval_s = interval_s
        self._wake = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="ticker", daemon=True)
        self._t_send_ns = 0
        self._told_ns = 0
        self._pings = 0
        self._progress: PromptProgress | None = None
        self._samples: list[MemoryNow] = []
        self.last_text_ns = 0

    def __enter__(self) -> Ticker:
        self._sample()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping = True
        self._wake.set()
        self._thread.join()
        self._sample()

    def sent(self, t_send_ns: int) -> None:
        """A request went out: the waiting begins anew."""
        self.last_text_ns = 0
        self._pings = 0
        self._progress = None
        self._told_ns = t_send_ns
        self._t_send_ns = t_send_ns

    def first_text(self) -> None:
        """The first text of this request has come."""
        self._wake.set()

    def paused(self) -> None:
        """No request is out: nothing is waited for."""
        self._t_send_ns = 0

    def alive(self, t_ns: int, pings: int, progress: PromptProgress | None) -> Waiting | None:
        """The server showed a sign of life that is no text. Returns the event to emit, at most ten a second."""
        self._pings = pings
        done = progress is not None and progress.processed >= progress.total
        self._progress = progress or self._progress
        if t_ns - self._told_ns < _PROGRESS_EVERY_NS and not done:
            return None
        self._told_ns = t_ns
        return self._waiting(t_ns)

    @property
    def memory(self) -> Memory | None:
        """What the samples of this run say; None without any."""
        if not self._samples:
            return None
        rss = [sample.rss for sample in self._samples if sample.rss is not None]
        return Memory(
            total=self._samples[0].total,
            used_before=self._samples[0].used,
            used_peak=max(sample.used for sample in self._samples),
            available_min=min(sample.available for sample in self._samples),
            rss_peak=max(rss) if rss else None,
            gpus=_most_used([sample.gpus for sample in self._samples if sample.gpus]),
        )

    def _run(self) -> None:
        while True:
            self._wake.wait(self._interval_s)
            self._wake.clear()
            if self._stopping:
                return
            self._sample()
            now_ns = time.perf_counter_ns()
            if self._t_send_ns and (not self.last_text_ns or now_ns - self.last_text_ns > _STALL_NS):
                self._emit(self._waiting(now_ns))

    def _waiting(self, now_ns: int) -> Waiting:
        elapsed_s = max(0.0, (now_ns - self._t_send_ns) / 1e9)
        return Waiting(run_id=self._run_id, elapsed_s=elapsed_s, pings=self._pings, prompt_progress=self._progress)

    def _sample(self) -> None:
        sample = self._sampler() if self._sampler is not None else None
        if sample is not None:
            self._samples.append(sample)
            self._emit(sample)


def _most_used(readings: Sequence[tuple[GpuMemory, ...]]) -> tuple[GpuMemory, ...] | None:
    """For each card the reading in which it had the most in use."""
    if not readings:
        return None
    cards = [[reading[number] for reading in readings if number < len(reading)] for number in range(max(map(len, readings)))]
    return tuple(max(card, key=lambda reading: reading.used) for card in cards)
