"""A log file as TabbyAPI writes it: one record a line, local time, never wrapped. No key is ever written."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from sparktui.demo.usage import Figures


class ServerLog:
    """Appends records to a file, or to a new file in a folder, named by the start time. Without a path it keeps silent.

    Raises OSError where the file cannot be opened. A write that fails later (a full disk) is dropped: the log never stops the server.
    """

    def __init__(self, place: Path | None) -> None:
        self.path: Path | None = None
        self._fd: int | None = None
        if place is None:
            return
        self.path = place / _file_name() if place.is_dir() else place
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def write(self, level: str, text: str) -> None:
        """One record. Line ends inside `text` are kept, as TabbyAPI keeps them."""
        if self._fd is None:
            return
        now = time.time()
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
        record = f"{stamp}.{int(now * 1000) % 1000:03d} | {level:<8} | {text}\n"
        try:
            os.write(self._fd, record.encode("utf-8", "backslashreplace"))
        except OSError:
            self.close()

    def info(self, text: str) -> None:
        self.write("INFO", text)

    def warning(self, text: str) -> None:
        self.write("WARNING", text)

    def error(self, text: str) -> None:
        self.write("ERROR", text)

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def remove(self) -> None:
        """Close and delete the file, and its folder where nothing else is in it."""
        self.close()
        if self.path is None:
            return
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
            self.path.parent.rmdir()


def metrics_line(request_id: str, figures: Figures) -> str:
    """The record that gives one generation's figures, with the space at its end."""
    draft = ""
    if figures.drafts:
        rate = 100 * figures.accepted / figures.proposed if figures.proposed else 0.0
        draft = f", Draft: {figures.accepted} / {figures.proposed} tokens accepted ({rate:.2f}%)"
    return (
        f"Metrics (ID: {request_id}): {figures.completion_tokens} tokens generated in {figures.total_time} seconds "
        f"(Queue: {figures.queue_time} s, Process: {figures.cached_tokens} cached tokens and {figures.new_tokens} new tokens "
        f"at {figures.prompt_rate} T/s, Generate: {figures.completion_rate} T/s, Context: {figures.prompt_tokens} tokens{draft}) "
    )


def _file_name() -> str:
    now = time.time()
    return f"{time.strftime('%Y-%m-%d_%H-%M-%S', time.localtime(now))}_{int(now * 1_000_000) % 1_000_000:06d}.log"
