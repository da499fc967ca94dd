"""A terminal that takes frames slower than they are painted: nothing is painted behind it, and nothing due is forgotten."""

import asyncio

import pytest

from sparktui.tui.app import SparkApp
from sparktui.tui.drawing.frame import FASTEST_HZ, MOST_HZ, SLOWEST_HZ, Due, PaintClock
from sparktui.tui.screens.live import LiveScreen
from sparktui.tui.workers.link import ScriptedLink
from tests.tui.stage import Clock


def test_the_clock_slows_down_to_its_floor_and_recovers() -> None:
    clock = PaintClock()
    assert clock.held_up() and clock.hz < FASTEST_HZ
    while clock.held_up():
        pass
    assert clock.hz == SLOWEST_HZ
    now = 100.0
    for _ in range(200):
        clock.begin(now)
        clock.end(now + 0.001)
        now += clock.period_s
    assert clock.hz == FASTEST_HZ


def test_a_pause_brings_the_full_rate_back() -> None:
    clock = PaintClock()
    while clock.held_up():
        pass
    assert [clock.rest() for _ in range(5)] == [False, False, False, True, False] and clock.hz == FASTEST_HZ


@pytest.mark.parametrize(("fps", "hz"), [(1, 1), (4, 4), (30, MOST_HZ)])
def test_a_rate_that_was_asked_for_stays(fps: int, hz: float) -> None:
    clock = PaintClock(fps)
    assert not clock.held_up() and clock.hz == hz


async def _held_up() -> list[Due]:
    clock, painted, behind = Clock(), list[Due](), [False]
    app = SparkApp(lambda: ScriptedLink([], clock), clock_ns=clock)
    app.terminal_behind = lambda: behind[0]  # type: ignore[method-assign]
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        screen.paint = painted.append  # type: ignore[method-assign]
        clock.ns += 5_000_000_000
        behind[0] = True
        app.tick()
        assert painted == []
        clock.ns += 1_000_000
        behind[0] = False
        app.tick()
    return painted


def test_what_was_due_in_a_frame_left_out_is_painted_in_the_next() -> None:
    assert asyncio.run(_held_up())[0] == Due(meter=True, second=True)
