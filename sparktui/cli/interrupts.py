"""Ctrl-C and its kin for headless commands: the first stops the work and saves, the second stops at once."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sparktui.engine.running.cancel import Cancel
from sparktui.errors import EXIT_INTERRUPTED

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# `timeout` signals its child and then its process group: one interruption arrives as two
_ECHO_S = 0.5
_MESSAGE = b"\r\x1b[Kstopping; what is finished is kept (once more: stop at once)\n"


@contextmanager
def interrupts(cancel: Cancel) -> Iterator[None]:
    """While this lasts, the first signal sets `cancel`; a second one ends the process with the exit code of an interruption.

    A signal within half a second of the first is the same interruption. After one the handlers stay: what is finished is still being
    written then. A signal that was ignored when the command started (nohup, a job in the background) stays ignored.
    """
    seen_s: float | None = None

    def handle(_number: int, _frame: object) -> None:
        nonlocal seen_s
        now_s = time.monotonic()
        if seen_s is not None:
            if now_s - seen_s >= _ECHO_S:
                os._exit(EXIT_INTERRUPTED)
            return
        seen_s = now_s
        # in a thread: the one interrupted here may hold the lock that set() takes
        threading.Thread(target=_stop, args=(cancel,), name="interrupt").start()

    heard = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handle) for number in heard}
    try:
        yield
    finally:
        if seen_s is None:
            for number, handler in before.items():
                signal.signal(number, handler)


def _stop(cancel: Cancel) -> None:
    cancel.set()
    try:
        os.write(2, _MESSAGE if os.isatty(2) else _MESSAGE.removeprefix(b"\r\x1b[K"))
    except OSError:
        # the terminal went away: nobody is left to be told
        return
