"""A command's screen as an asciinema cast: what it wrote to a terminal of its own, and when."""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence

_READ_BYTES = 65_536
_LOOK_S = 0.05


def record_cast(
    argv: Sequence[str], env: Mapping[str, str], *, size: tuple[int, int], title: str, seconds: float, limit_bytes: int = 64 << 20
) -> str:
    """Run `argv` in a terminal of `size` (columns, rows) for so long, or until it ends; asciicast version 2. Raises OSError."""
    columns, rows = size
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            os.execvpe(argv[0], list(argv), dict(env))
        finally:
            os._exit(127)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.kill(pid, signal.SIGWINCH)
    try:
        lines = _written(terminal, seconds, limit_bytes)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        os.close(terminal)
        os.waitpid(pid, 0)
    head = {"version": 2, "width": columns, "height": rows, "title": title, "env": {"TERM": env.get("TERM", "xterm-256color")}}
    return "\n".join([json.dumps(head), *lines]) + "\n"


def _written(terminal: int, seconds: float, limit_bytes: int) -> list[str]:
    """`[seconds, "o", text]` of each piece, the first at 0."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    lines: list[str] = []
    began_s: float | None = None
    deadline = time.monotonic() + seconds
    taken = 0
    while (now := time.monotonic()) < deadline and taken < limit_bytes:
        if not select.select([terminal], [], [], _LOOK_S)[0]:
            continue
        try:
            data = os.read(terminal, _READ_BYTES)
        except OSError:
            # Linux says so when the other end is closed
            break
        if not data:
            break
        taken += len(data)
        began_s = now if began_s is None else began_s
        lines.append(json.dumps([round(time.monotonic() - began_s, 4), "o", decoder.decode(data)], ensure_ascii=False))
    return lines
