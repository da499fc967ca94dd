"""Streams that went wrong in the field, through real sockets: the record holds the right values."""

from __future__ import annotations

import json
import threading
import time

import msgspec
import pytest

from sparktui.core.events import Chunk, RunDone, RunStarted, Waiting
from sparktui.core.records import RunParams
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.patience import Patience
from tests.engine.support_runs import SPEC, Ran, measure, play, target_of
from tests.support_cases import CaseServer

GOOD = {
    "A01": ("Hello world", 2),
    "A02": ("ab", 2),
    "A04": ("ok", None),
    "A05": ("nospace", 2),
    "A06": ("joined", None),
    "A08": ("雪🌍", 2),
    "A11": (" x", None),
    "A12": ("hi", 1),
    "A13": (None, 7),
    "A14": (None, 6),
    "A25": (None, 1),
    "A26": ("one two three", None),
    "A27": ("answer", None),
    "A28": (None, 9),
    "A33": ("go", None),
    "A48": ("b", None),
    "B02": (None, 40),
    "B16": (None, 794),
}


@pytest.mark.parametrize("case_id", sorted(GOOD))
def test_a_stream_that_trips_readers_is_read(case_id: str) -> None:
    ran = play(case_id, slow=0.2)
    text, tokens = GOOD[case_id]
    assert ran.record.status == "ok", ran.record.error
    if text is not None:
        assert ran.record.text == text == ran.streamed
    if tokens is not None:
        assert ran.record.completion_tokens == tokens
        assert not ran.record.tokens_estimated
    assert "garbled_events" not in ran.record.flags
    assert isinstance(ran.events[-1], RunDone)


def test_a01_pings_are_signs_of_life_and_nothing_else() -> None:
    ran = play("A01", slow=5)
    assert ran.record.warnings == ()
    assert max(event.pings for event in ran.of(Waiting)) >= 3


def test_a02_events_are_told_as_they_come() -> None:
    ran = play("A02")
    a, b = ran.of(Chunk)
    assert (b.t_ns - a.t_ns) / 1e6 > 120


def test_a11_the_first_token_is_the_blank() -> None:
    assert play("A11").record.ttft_s >= 0.080


def test_a15_without_usage_tokens_are_an_estimate() -> None:
    record = play("A15").record
    assert record.status == "ok"
    assert record.tokens_estimated
    assert record.chunks == 8


def test_a16_an_error_inside_the_stream_fails_the_run_and_keeps_the_text() -> None:
    record = play("A16").record
    assert record.status == "failed"
    assert "backend went away" in record.error
    assert record.text == "partial"


def test_a19_an_answer_in_one_piece_has_no_rate() -> None:
    ran = play("A19")
    assert ran.record.status == "ok"
    assert ran.record.text == "whole" == ran.streamed
    assert "not_streamed" in ran.record.flags
    assert ran.record.client_tok_s is None
    assert ran.record.ttft_s is None


def test_a21_a_bare_json_error_in_an_event_stream_is_found() -> None:
    record = play("A21").record
    assert record.status == "failed"
    assert "exceeds" in record.error


def test_a22_an_error_event_without_an_error_key() -> None:
    record = play("A22").record
    assert record.status == "failed"
    assert "bad value" in record.error


def test_a23_the_end_without_done() -> None:
    complete = play("A23/complete").record
    assert (complete.status, complete.text) == ("ok", "full")
    cut = play("A23/cut").record
    assert cut.status == "cut_off"
    assert cut.text == "half"
    assert "cut off" in cut.error


def test_a24_done_is_the_end_though_the_connection_stays_open() -> None:
    begin = time.perf_counter()
    record = play("A24").record
    assert record.status == "ok"
    assert record.text == "x"
    assert record.total_s < 1
    assert time.perf_counter() - begin < 2.5


def test_a27_reasoning_is_apart_from_the_answer() -> None:
    record = play("A27").record
    assert (record.text, record.reasoning) == ("answer", "think!")


def test_a28_a_tool_call_is_text_of_its_own_kind() -> None:
    record = play("A28").record
    assert record.finish_reason == "tool_calls"
    assert record.tool_calls
    assert record.ttft_s is not None
    assert record.text is None


def test_a30_a_stream_that_was_held_back_has_no_rate() -> None:
    record = play("A30", slow=0.5).record
    assert record.status == "ok"
    assert record.completion_tokens == 40
    assert "buffered" in record.flags
    assert record.client_tok_s is None


def test_a31_a_connection_that_breaks_fails_the_run_and_keeps_the_text() -> None:
    ran = play("A31")
    assert ran.record.status == "failed"
    assert ran.record.text == "abc"
    assert "lost after about 1 token" in ran.record.error
    assert ran.errors[0].exit_code == 1


def test_a32_prefill_has_no_deadline_and_the_wait_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparktui.engine.running.sampling.EVERY_S", 0.05)
    ran = play("A32", slow=0.05)
    assert ran.record.status == "ok"
    assert ran.record.ttft_s >= 0.4
    waited = [event.elapsed_s for event in ran.of(Waiting)]
    assert len(waited) >= 4
    assert 0.3 < waited[-1] <= ran.record.ttft_s


def test_a33_progress_is_no_text() -> None:
    ran = play("A33")
    assert ran.record.ttft_s >= 0.230
    progress = [event.prompt_progress for event in ran.of(Waiting) if event.prompt_progress]
    assert (progress[-1].processed, progress[-1].total) == (900, 900)


def test_a35_a_loading_model_is_waited_for_and_the_wait_is_not_ttft(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = quick_waits("A35", monkeypatch)
    assert ran.record.status == "ok"
    assert ran.record.text == "up"
    assert ran.record.ttft_s < 0.5
    assert [event.attempt for event in ran.of(RunStarted)] == [1, 2, 3]
    assert ran.record.retries == ("the model is loading (503) (waited 0.3 s)",)


def test_a36_a_busy_server_is_asked_again_when_it_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparktui.engine.running.patience.retry_after_s", lambda value: float(value) / 5 if value else None)
    ran = play("A36")
    assert ran.record.status == "ok"
    assert ran.record.text == "ok"
    assert ran.record.ttft_s < 0.15
    assert ran.record.retries == ("the server asks to slow down (429) (waited 0.2 s)",)


def quick_waits(case_id: str, monkeypatch: pytest.MonkeyPatch) -> Ran:
    monkeypatch.setattr("sparktui.engine.running.patience._LOADING_WAITS_S", (0.1, 0.2))
    return play(case_id, patience=Patience())


def test_a37_a_redirect_within_the_origin_is_followed() -> None:
    ran = play("A37")
    assert ran.record.status == "ok"
    assert any("redirected" in retry for retry in ran.record.retries)


def test_a43_a_broken_event_is_counted_and_the_rest_kept() -> None:
    record = play("A43/broken").record
    assert record.text == "ab"
    assert "garbled_events" in record.flags
    assert len(record.warnings) >= 1


def test_a43_a_web_page_is_no_answer() -> None:
    record = play("A43/html").record
    assert record.status == "failed"
    assert "not an API" in record.error


def test_a46_the_first_choice_is_the_answer() -> None:
    record = play("A46").record
    assert record.text == "ab"
    assert record.tokens_estimated, "the count covers all choices"


def test_a49_cancelling_during_prefill_closes_the_socket_at_once() -> None:
    cancel = Cancel()
    with CaseServer("A49") as server, target_of(server.url) as target:
        threading.Timer(0.2, cancel.set).start()
        begin = time.perf_counter()
        ran = measure(target, cancel=cancel)
        assert time.perf_counter() - begin < 1
        assert ran.record.status == "cancelled"
        again = Cancel()
        threading.Timer(0.1, again.set).start()
        assert "still" in measure(target, cancel=again).record.warnings[0]


def test_b02_the_rate_is_of_tokens_not_of_events() -> None:
    assert 36 <= play("B02").record.client_tok_s <= 46


def test_b04_ttft_is_not_the_role_event() -> None:
    assert 0.240 <= play("B04", slow=0.5).record.ttft_s <= 0.350


def test_b06_ttft_is_not_the_usage_event() -> None:
    record = play("B06", slow=0.5).record
    assert 0.048 <= record.ttft_s <= 0.125
    assert record.total_s > 0.42


def test_b09_a_clock_that_is_set_back_changes_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    real, begin = time.time, time.monotonic()
    monkeypatch.setattr(time, "time", lambda: real() - (3600 if time.monotonic() - begin > 0.05 else 0))
    record = play("A02", slow=0.5).record
    assert 0.05 < record.ttft_s < record.total_s < 2
    assert record.gap_ms.max > 0


def test_b14_a_prompt_that_does_not_fit_says_so() -> None:
    ran = play("B14")
    assert ran.record.status == "failed"
    assert "19000" in ran.record.error
    assert "16000" in ran.record.error
    assert type(ran.errors[0]).__name__ == "ContextOverflowError"


def test_b16_a_run_that_stops_early_counts_what_came() -> None:
    record = play("B16").record
    assert (record.completion_tokens, record.finish_reason) == (794, "stop")


@pytest.mark.parametrize("temperature", [0, 0.7, 1.0, None])
def test_b28_a_temperature_is_sent_and_kept_as_it_is_and_none_is_none(temperature: float | None) -> None:
    spec = msgspec.structs.replace(SPEC, params=RunParams(temperature=temperature, max_tokens=8))
    with CaseServer("A13") as server, target_of(server.url) as target:
        record = measure(target, spec).record
        sent = json.loads(next(request.body for request in server.requests if request.method == "POST"))
    assert ("temperature" in sent) == (temperature is not None)
    assert sent.get("temperature") == temperature == record.params.temperature
