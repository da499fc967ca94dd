"""Time left: each cell's own mean where it is known, the mean of all elsewhere."""

from __future__ import annotations

from sparktui.engine.plans.eta import Eta


def test_nothing_is_known_before_the_first_round() -> None:
    assert Eta(["a", "a", "b"]).left_s is None


def test_cells_are_told_apart() -> None:
    eta = Eta(["a", "a", "b", "b"])
    eta.finished("a", 10.0)
    assert eta.left_s == 30.0
    eta.finished("a", 20.0)
    assert eta.left_s == 30.0
    eta.finished("b", 3.0)
    assert eta.left_s == 3.0
    eta.finished("b", 3.0)
    assert eta.left_s == 0.0
