"""A replay's clock: where it is, computed from where it was; never counted up, so never adrift."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.transport import HOLD_NS, SPEEDS, Transport

S = 1_000_000_000
T0 = 77 * S


def test_a_minute_asked_for_at_odd_moments_has_no_drift() -> None:
    transport = Transport(60 * S, T0)
    now = T0
    while now < T0 + 60 * S:
        now += 100_000_003
        transport.position(now)
    assert transport.position(T0 + 60 * S - 1) == 60 * S - 1
    assert transport.position(T0 + 61 * S) == 60 * S
    assert transport.ended(T0 + 60 * S) and not transport.ended(T0 + 60 * S - 1)


@given(st.lists(st.tuples(st.integers(0, 5 * S), st.sampled_from(["slower", "faster", "toggle"])), max_size=12))
@settings(max_examples=60, deadline=None)
def test_speed_and_pause_never_make_the_position_jump(steps: list[tuple[int, str]]) -> None:
    transport = Transport(1000 * S, T0)
    now = T0
    for wait, what in steps:
        now += wait
        before = transport.position(now)
        if what == "toggle":
            transport.toggle(now)
        else:
            transport.change_speed(1 if what == "faster" else -1, now)
        assert abs(transport.position(now) - before) <= 1
    assert transport.speed in SPEEDS


def test_pause_holds_and_going_on_continues_from_there() -> None:
    transport = Transport(10 * S, T0)
    transport.toggle(T0 + 2 * S)
    assert transport.position(T0 + 9 * S) == 2 * S
    transport.toggle(T0 + 9 * S)
    assert transport.position(T0 + 10 * S) == 3 * S


def test_speeds_end_at_a_quarter_and_at_sixteen() -> None:
    transport = Transport(100 * S, T0)
    for _ in range(9):
        transport.change_speed(-1, T0)
    assert transport.speed == 0.25
    assert transport.position(T0 + 4 * S) == S
    for _ in range(9):
        transport.change_speed(1, T0)
    assert transport.speed == 16


def test_seeking_stays_inside_and_keeps_playing_or_pausing() -> None:
    transport = Transport(10 * S, T0)
    transport.skip(-5 * S, T0 + S)
    assert transport.position(T0 + S) == 0
    transport.pause(T0 + 2 * S)
    transport.skip(100 * S, T0 + 3 * S)
    assert transport.position(T0 + 50 * S) == 10 * S


def test_a_loop_rests_at_the_end_for_three_seconds_and_begins_again() -> None:
    transport = Transport(10 * S, T0, speed=2.0, loop=True)
    assert transport.position(T0 + 5 * S + HOLD_NS - 1) == 10 * S
    assert transport.position(T0 + 5 * S + HOLD_NS + S) == 2 * S
    assert not transport.ended(T0 + 7 * S)


def test_play_at_the_end_begins_again() -> None:
    transport = Transport(10 * S, T0)
    transport.toggle(T0 + 20 * S)
    assert transport.playing
    assert transport.position(T0 + 21 * S) == S
