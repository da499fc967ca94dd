"""Counters of a metrics endpoint around a run: the run's own, somebody else's too, late ones, a restart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sparktui.engine.running.cancel import Cancel
from sparktui.engine.server.counters import CounterWatch
from sparktui.servers.base import Answer, Get

FIXTURES = Path(__file__).parents[1] / "fixtures"
BEFORE = (FIXTURES / "vllm/metrics_before.prom").read_bytes()
AFTER = (FIXTURES / "vllm/metrics_after.prom").read_bytes()


class Pages:
    """Answers with one page after another, the last one for ever."""

    def __init__(self, *pages: bytes, status: int = 200) -> None:
        self._pages: Iterator[bytes] = iter(pages)
        self._page = b""
        self._status = status
        self.asked: list[str] = []

    def __call__(self, get: Get) -> Answer:
        self.asked.append(get.path)
        self._page = next(self._pages, self._page)
        return Answer(status=self._status, content_type="text/plain", body=self._page)


class NoWait(Cancel):
    """Sleeps never."""

    def wait(self, seconds: float) -> bool:
        return False


def test_a_run_alone_owns_the_difference() -> None:
    pages = Pages(BEFORE, AFTER)
    watch = CounterWatch(pages, "/metrics")
    figures = watch.after(watch.read(), 71, NoWait())
    assert figures is not None
    assert (figures.draft_accepted, figures.draft_proposed, figures.verify_steps) == (48, 88, 22)
    assert (figures.acceptance_source, figures.acceptance_scope) == ("metrics_endpoint", "request")
    assert pages.asked == ["/metrics", "/metrics"]


def test_other_tokens_make_it_an_interval() -> None:
    watch = CounterWatch(Pages(BEFORE, AFTER), "/metrics")
    figures = watch.after(watch.read(), 50, NoWait())
    assert figures is not None
    assert figures.acceptance_scope == "interval"


def test_counters_that_move_late_are_waited_for() -> None:
    pages = Pages(BEFORE, BEFORE, BEFORE, AFTER)
    watch = CounterWatch(pages, "/metrics")
    figures = watch.after(watch.read(), 71, NoWait())
    assert figures is not None
    assert figures.acceptance_scope == "request"
    assert len(pages.asked) == 4


def test_a_busy_server_is_waited_for_only_so_long() -> None:
    busy = AFTER.replace(
        b'vllm:num_requests_running{engine="0",model_name="demo-27b"} 0.0',
        b'vllm:num_requests_running{engine="0",model_name="demo-27b"} 1.0',
    )
    assert busy != AFTER
    pages = Pages(BEFORE, busy)
    watch = CounterWatch(pages, "/metrics")
    figures = watch.after(watch.read(), 71, NoWait())
    assert figures is not None
    assert figures.acceptance_scope == "interval"
    assert len(pages.asked) == 6


def test_a_restart_in_between_tells_nothing() -> None:
    watch = CounterWatch(Pages(AFTER, BEFORE), "/metrics")
    assert watch.after(watch.read(), 71, NoWait()) is None


@pytest.mark.parametrize(("status", "page"), [(404, b""), (401, b""), (0, b""), (200, b"<html>"), (200, b"[]")])
def test_a_server_without_counters(status: int, page: bytes) -> None:
    watch = CounterWatch(Pages(page, status=status), "/metrics")
    assert watch.read() is None
    assert watch.after(None, 71, NoWait()) is None


def test_no_path_is_never_asked() -> None:
    pages = Pages(BEFORE)
    assert CounterWatch(pages, "").read() is None
    assert pages.asked == []


def test_a_cancel_ends_the_waiting() -> None:
    pages = Pages(BEFORE, BEFORE)
    watch = CounterWatch(pages, "/metrics")
    cancel = Cancel()
    cancel.set()
    assert watch.after(watch.read(), 71, cancel) is None
    assert len(pages.asked) == 2
