"""Waiting for Enter: a line goes on, the end of input and a cancelled sweep do not."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import TextIO

import pytest

from sparktui.cli import pausing
from sparktui.cli.pausing import pause_on_terminal
from sparktui.engine.running.cancel import Cancel


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    reading, writing = os.pipe()
    with os.fdopen(reading) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield writing


def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    def yes(stream: TextIO) -> bool:
        return True

    monkeypatch.setattr(pausing, "is_terminal", yes)


def test_nobody_is_there(keyboard: int) -> None:
    assert pause_on_terminal() is None
    os.close(keyboard)


def test_enter_goes_on(keyboard: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    at_a_terminal(monkeypatch)
    pause = pause_on_terminal()
    assert pause is not None
    os.write(keyboard, b"\n")
    assert pause("b: start the other build", Cancel())
    assert "b: start the other build" in capsys.readouterr().err
    os.close(keyboard)
    assert not pause("again", Cancel())


def test_a_cancelled_sweep_waits_no_more(keyboard: int, monkeypatch: pytest.MonkeyPatch) -> None:
    at_a_terminal(monkeypatch)
    pause = pause_on_terminal()
    assert pause is not None
    cancel = Cancel()
    threading.Timer(0.05, cancel.set).start()
    assert not pause("b: start the other build", cancel)
    os.close(keyboard)
