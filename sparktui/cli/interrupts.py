"""Ctrl-C and its kin for headless commands: the first stops the work and saves, the second stops at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sparktui.engine.running.cancel import Cancel
from sparktui.errors import EXIT_INTERRUPTED

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_MESSAGE = b"\r\x1b[Kstopping; what is finished is kept (once more: stop at once)\n"


@contextmanager
def interrupts(cancel: Cancel) -> Iterator[None]:
    """While this lasts, the first signal sets `cancel`; a second one ends the process with the exit code of an interruption.

    A signal that was ignored when the command started (nohup, a job in the background) stays ignored.
    """
    seen = threading.Event()

    def handle(_number: int, _frame: object) -> None:
        if seen.is_set():
            os._exit(EXIT_INTERRUPTED)
        seen.set()
        # in a thread: the one interrupted here may hold the lock that set() takes
        threading.Thread(target=_stop, args=(cancel,), name="interrupt").start()

    heard = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handle) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(cancel: Cancel) -> None:
    cancel.set()
    try:
        os.write(2, _MESSAGE if os.isatty(2) else _MESSAGE.removeprefix(b"\r\x1b[K"))
    except OSError:
        # the terminal went away: nobody is left to be told
        return
