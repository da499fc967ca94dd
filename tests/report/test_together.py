"""Requests made at once: totals over the round's window, and queueing told apart from decoding."""

from __future__ import annotations

import pytest

from sparktui.report.together import at_once, rounds_of
from tests.runs import run


def request(number: int, *, sent_s: float, ttft_s: float, decode_s: float, tokens: int = 100, **fields: object):  # type: ignore[no-untyped-def]
    stamp = f"2026-11-30T12:00:{sent_s:06.3f}Z"
    values = {"run_no": 1, "started_at": stamp, "ttft_s": ttft_s, "decode_s": decode_s, "completion_tokens": tokens}
    return run(number, **{**values, "client_tok_s": tokens / decode_s, **fields})


def test_two_that_decode_together() -> None:
    (found,) = rounds_of([request(1, sent_s=0, ttft_s=1, decode_s=10), request(2, sent_s=0.001, ttft_s=1, decode_s=10)])
    assert (found.asked, found.n, found.tokens) == (2, 2, 200)
    assert found.tok_s == pytest.approx(200 / 10.001)
    assert found.wall_tok_s == pytest.approx(200 / 11.001)
    assert found.at_once == pytest.approx(2, rel=1e-3)
    assert found.request_tok_s_median == 10


def test_two_of_which_one_waits_for_the_other() -> None:
    first = request(1, sent_s=0, ttft_s=1, decode_s=5, queue_s=0.0)
    second = request(2, sent_s=0, ttft_s=7, decode_s=5, queue_s=6.0, flags=("not_idle",))
    (found,) = at_once([first, second])
    assert found.at_once == pytest.approx(10 / 11)
    assert found.tok_s == pytest.approx(200 / 11)
    assert (found.queue_s, found.first_text_spread_s, found.request_tok_s_min) == (6.0, 6.0, 20)


def test_one_request_is_its_own_round_with_its_client_rate() -> None:
    (found,) = rounds_of([request(1, sent_s=0, ttft_s=1, decode_s=10)])
    assert found.tok_s == pytest.approx(10)
    assert at_once([request(1, sent_s=0, ttft_s=1, decode_s=10)]) == []


def test_what_belongs_to_no_round_or_is_not_known() -> None:
    alone = request(1, sent_s=0, ttft_s=1, decode_s=1, bench_id=None)
    assert rounds_of([alone, request(2, sent_s=0, ttft_s=1, decode_s=1, warmup=True)]) == []
    broken = run(3, run_no=1, started_at="2026-11-30T12:00:00Z", status="failed", client_tok_s=None)
    (found,) = rounds_of([request(1, sent_s=0, ttft_s=1, decode_s=10), broken])
    assert (found.asked, found.n, found.tokens) == (2, 1, 100)
    uncounted = request(1, sent_s=0, ttft_s=1, decode_s=10, completion_tokens=None)
    (unknown,) = rounds_of([uncounted, request(2, sent_s=0, ttft_s=1, decode_s=1)])
    assert (unknown.tokens, unknown.tok_s) == (None, None)
