"""Waiting for a person at the terminal."""

from __future__ import annotations

import select
import sys
from collections.abc import Callable

from sparktui.cli.streams import is_terminal, say
from sparktui.engine.running.cancel import Cancel

_POLL_S = 0.2


def pause_on_terminal() -> Callable[[str, Cancel], bool] | None:
    """A function that shows a text and waits for Enter, False when cancelled or at the end of input; None without a terminal."""
    return _pause if is_terminal(sys.stdin) and is_terminal(sys.stderr) else None


def _pause(text: str, cancel: Cancel) -> bool:
    say(f"\n{text}\nThen press Enter.")
    while not cancel.is_set():
        ready, _, _ = select.select([sys.stdin], [], [], _POLL_S)
        if ready:
            return bool(sys.stdin.readline())
    return False
