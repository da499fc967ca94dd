"""Who was at work in the server, by the moments the lines arrived."""

from __future__ import annotations

from sparktui.core.log.logrecord import Generation, LogRecord
from sparktui.core.log.traffic import NS, Traffic

ID = "0123456789abcdef0123456789abcdef"


def noted(*steps: tuple[float, LogRecord]) -> Traffic:
    traffic = Traffic()
    for seconds, record in steps:
        traffic.note(record, int(seconds * NS))
    return traffic


def test_a_request_is_at_work_from_its_first_line_to_its_last() -> None:
    traffic = noted((10, LogRecord(n=1, text="", started=ID)), (20, LogRecord(n=2, text="", ended=ID)))
    (one,) = traffic
    assert one.begun
    assert one.overlaps(5 * NS, 11 * NS)
    assert one.overlaps(19 * NS, 30 * NS)
    assert not one.overlaps(1 * NS, 9 * NS)
    assert not one.overlaps(20 * NS, 30 * NS)


def test_a_late_last_line_does_not_reach_into_the_next_run() -> None:
    (one,) = noted((10, LogRecord(n=1, text="", started=ID)), (20.3, LogRecord(n=2, text="", ended=ID)))
    assert not one.overlaps(20 * NS, 30 * NS)


def test_without_a_first_line_its_own_duration_tells_when_it_began() -> None:
    generation = Generation(grammar="tabbyapi", request_id=ID, total_s=4.0)
    (one,) = noted((10, LogRecord(n=1, text="", generation=generation)))
    assert not one.begun
    assert one.overlaps(0, 7 * NS)
    assert not one.overlaps(0, 5 * NS)


def test_a_nameless_cancel_ends_whoever_was_open() -> None:
    (one,) = noted((10, LogRecord(n=1, text="", started=ID)), (12, LogRecord(n=2, text="", cancelled=True)))
    assert not one.overlaps(13 * NS, 14 * NS)


def test_a_request_never_heard_of_again_is_forgotten() -> None:
    (one,) = noted((10, LogRecord(n=1, text="", started=ID)))
    assert one.overlaps(500 * NS, 501 * NS)
    assert not one.overlaps(700 * NS, 701 * NS)


def test_live_lines_keep_a_task_at_work_and_are_no_end() -> None:
    live = Generation(grammar="llamacpp", task="7", completion_tokens=100, note="live")
    (one,) = noted((10, LogRecord(n=1, text="", started="7")), (650, LogRecord(n=2, text="", generation=live)))
    assert one.name == "task 7"
    assert one.generation is None
    assert one.overlaps(900 * NS, 901 * NS)


def test_interval_lines_are_no_request() -> None:
    assert list(noted((1, LogRecord(n=1, text="", generation=Generation(grammar="vllm", scope="interval"))))) == []
    assert list(noted((1, LogRecord(n=1, text="plain")))) == []


def test_only_so_many_are_kept() -> None:
    traffic = noted(*((1, LogRecord(n=n, text="", started=str(n))) for n in range(2000)))
    assert len(list(traffic)) == 1000
    assert traffic.get("task 1999") is not None
