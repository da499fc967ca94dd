"""One job at a time."""

import threading

from sparktui.engine.hosting.jobs import JobQueue
from sparktui.engine.running.cancel import Cancel


def test_jobs_run_in_order_and_one_that_breaks_does_not_stop_the_line() -> None:
    crashes: list[BaseException] = []
    done: list[str] = []
    finished = threading.Event()
    gate = threading.Event()
    jobs = JobQueue(crashes.append)

    def first(_: Cancel) -> None:
        gate.wait(5)
        done.append("first")

    def broken(_: Cancel) -> None:
        raise RuntimeError("broken")

    def last(_: Cancel) -> None:
        done.append("last")
        finished.set()

    assert jobs.submit(first) == 0
    assert jobs.submit(broken) >= 0
    assert jobs.submit(last) >= 1
    gate.set()
    assert finished.wait(5)
    assert done == ["first", "last"]
    assert [str(error) for error in crashes] == ["broken"]
    assert jobs.close(5)


def test_cancel_stops_the_one_in_flight_and_the_rest_goes_on() -> None:
    jobs = JobQueue(lambda error: None)
    started, second = threading.Event(), threading.Event()

    def long(cancel: Cancel) -> None:
        started.set()
        cancel.wait(10)

    jobs.submit(long)
    jobs.submit(lambda _: second.set())
    assert started.wait(5)
    assert jobs.cancel_current()
    assert second.wait(5)
    assert jobs.close(5)


def test_cancel_all_empties_the_line() -> None:
    jobs = JobQueue(lambda error: None)
    started = threading.Event()
    ran: list[int] = []

    def long(cancel: Cancel) -> None:
        started.set()
        cancel.wait(10)

    jobs.submit(long)
    for number in range(3):
        jobs.submit(lambda _, n=number: ran.append(n))
    assert started.wait(5)
    assert jobs.cancel_all() == 4
    assert jobs.close(5)
    assert not ran
    assert not jobs.busy
