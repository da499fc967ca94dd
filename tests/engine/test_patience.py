"""Which answers are waited for, how long, and when patience ends."""

from __future__ import annotations

import datetime

import pytest

from sparktui.engine.running.patience import Patience, Wait

LOADING = b'{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}'
NOW = datetime.datetime(2026, 12, 1, 12, 0, 0, tzinfo=datetime.UTC)


def test_a_loading_model_is_waited_for_with_growing_pauses() -> None:
    patience = Patience()
    waits = [patience.wait_for(503, LOADING, {}) for _ in range(6)]
    assert [wait.seconds for wait in waits if wait] == [1, 2, 3, 5, 5, 5]
    assert waits[0] == Wait("the model is loading (503)", 1)


def test_both_shapes_of_loading() -> None:
    assert Patience().wait_for(503, b'{"status":"loading model"}', {}) is not None


def test_waiting_is_bounded() -> None:
    patience = Patience(limit_s=4)
    assert [patience.wait_for(503, LOADING, {}) is not None for _ in range(4)] == [True, True, False, False]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7), ("0.5", 0.5), ("Tue, 01 Dec 2026 12:00:30 GMT", 30), ("Tue, 01 Dec 2026 11:00:00 GMT", 0), ("soon", 1), ("", 1)],
)
def test_a36_a_busy_server_says_how_long(header: str, seconds: float) -> None:
    wait = Patience().wait_for(429, b"", {"retry-after": header}, NOW)
    assert wait is not None
    assert wait.seconds == seconds
    assert "429" in wait.reason


def test_a_server_that_asks_for_more_than_there_is_patience_is_not_waited_for() -> None:
    assert Patience(limit_s=60).wait_for(429, b"", {"retry-after": "3600"}) is None


@pytest.mark.parametrize(
    ("status", "body"),
    [(503, b'{"detail":"No models are currently loaded."}'), (500, b"Internal Server Error"), (401, b"{}"), (400, LOADING), (503, b"")],
)
def test_what_time_does_not_mend_is_not_waited_for(status: int, body: bytes) -> None:
    assert Patience().wait_for(status, body, {}) is None


def test_a_503_with_a_time_is_waited_for() -> None:
    assert Patience().wait_for(503, b"<html>busy</html>", {"retry-after": "2"}) == Wait("the server is not ready (503)", 2)
