"""A log that a command prints (`docker logs -f NAME`, `journalctl -fu UNIT`, `ssh HOST tail -F FILE`): started again when it ends."""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from sparktui.core.scrub import mask_secrets
from sparktui.io.log.logsource import POLL_S, TAIL_BYTES, Begin, Data, Put, Status

_GUARD = str(Path(__file__).with_name("childguard.py"))
_BLOCK_BYTES = 64 * 1024
_CATCH_UP_PAUSE_S = 0.05
_CATCH_UP_LIMIT_S = 2.0
_FIRST_DELAY_S = 0.5
_LONGEST_DELAY_S = 30.0
_STOP_S = 3.0
_NOT_FOUND = 127
_TELLING_BYTES = 20


class CommandSource:
    """argv as it is, no shell. Both pipes are read, as channels of their own. What the command prints at once when it starts is what was
    there before: only its last 256 KB are taken, and after a restart only what was not seen yet."""

    def __init__(self, argv: Sequence[str], *, first_delay_s: float = _FIRST_DELAY_S) -> None:
        self._argv = list(argv)
        self._first_delay_s = first_delay_s
        self._last_lines: dict[str, bytes] = {}
        self._last_words = ""
        self.shown = mask_secrets(shlex.join(argv))

    def run(self, put: Put, stop: threading.Event) -> None:
        delay_s = self._first_delay_s
        while not stop.is_set():
            began = time.monotonic()
            code = self._run_once(put, stop)
            if stop.is_set():
                return
            if code == _NOT_FOUND:
                put(Status("ended", self._last_words or "command not found"))
                return
            if time.monotonic() - began >= _LONGEST_DELAY_S:
                delay_s = self._first_delay_s
            words = f": {mask_secrets(self._last_words)}" if self._last_words and code else ""
            put(Status("restarting", f"the command ended with {code}{words}; again in {delay_s:g} s"))
            stop.wait(delay_s)
            delay_s = min(delay_s * 2, _LONGEST_DELAY_S)

    def _run_once(self, put: Put, stop: threading.Event) -> int:
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", _GUARD, *self._argv],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            self._last_words = error.strerror or str(error)
            return 126
        put(Status("following"))
        try:
            self._read(process, put, stop)
        finally:
            _end(process)
        return process.returncode

    def _read(self, process: subprocess.Popen[bytes], put: Put, stop: threading.Event) -> None:
        assert process.stdout is not None and process.stderr is not None
        pipes = {process.stdout.fileno(): "", process.stderr.fileno(): "stderr"}
        self._catch_up(pipes, put, stop)
        while pipes and not stop.is_set():
            for fd, block in _blocks(pipes, POLL_S):
                channel = pipes[fd]
                if not block:
                    del pipes[fd]
                    continue
                self._remember(channel, block)
                put(Data(block, True, channel))

    def _catch_up(self, pipes: dict[int, str], put: Put, stop: threading.Event) -> None:
        """Take what the command has to say at once, its end only; then it is live."""
        kept = {channel: bytearray() for channel in pipes.values()}
        cut: set[str] = set()
        limit = time.monotonic() + _CATCH_UP_LIMIT_S
        while pipes and not stop.is_set() and time.monotonic() < limit:
            # the first block may take its time (ssh connects); after it a pause is the end of the backlog
            blocks = _blocks(pipes, _CATCH_UP_PAUSE_S if any(kept.values()) else POLL_S)
            if not blocks and any(kept.values()):
                break
            for fd, block in blocks:
                channel = pipes[fd]
                if not block:
                    del pipes[fd]
                    continue
                kept[channel] += block
                if len(kept[channel]) > 2 * TAIL_BYTES:
                    cut.add(channel)
                    del kept[channel][:-TAIL_BYTES]
        for channel, buffer in kept.items():
            put(Begin(channel in cut, channel=channel))
            backlog = self._unseen(channel, _from_line_start(bytes(buffer), channel in cut))
            self._remember(channel, backlog)
            if backlog:
                put(Data(backlog, False, channel))

    def _unseen(self, channel: str, backlog: bytes) -> bytes:
        last = self._last_lines.get(channel)
        at = backlog.rfind(last + b"\n") if last else -1
        return backlog[at + len(last) + 1 :] if last and at >= 0 else backlog

    def _remember(self, channel: str, block: bytes) -> None:
        """The last whole line that is long enough to be told from others."""
        lines = block.split(b"\n")[:-1]
        telling = next((line for line in reversed(lines) if len(line) >= _TELLING_BYTES), None)
        if telling is not None:
            self._last_lines[channel] = telling
        if channel == "stderr" and lines:
            self._last_words = lines[-1].decode("utf-8", "replace").strip()[:200]


def _from_line_start(data: bytes, cut: bool) -> bytes:
    return data[data.find(b"\n") + 1 :] if cut else data


def _blocks(pipes: dict[int, str], wait_s: float) -> list[tuple[int, bytes]]:
    ready, _, _ = select.select(list(pipes), [], [], wait_s)
    return [(fd, os.read(fd, _BLOCK_BYTES)) for fd in ready]


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the guard's stdin, which ends the whole group; kill what is left of it."""
    with contextlib.suppress(OSError):
        assert process.stdin is not None
        process.stdin.close()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
