"""A child that must not outlive its parent, and must be able to run at the priority its parent began with."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def die_with_parent(sig: int = signal.SIGTERM) -> Callable[[], None]:
    """A `preexec_fn` that asks the kernel for `sig` when the spawning thread's process ends (Linux; elsewhere it does nothing).

    The end of stdin is the portable sign and every child of ours watches it; this covers one that is stuck.
    """
    parent = os.getpid()

    def arm() -> None:
        if not sys.platform.startswith("linux"):
            return
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, sig)
        if os.getppid() != parent:
            os.kill(os.getpid(), sig)

    return arm
