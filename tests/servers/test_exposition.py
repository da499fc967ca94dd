"""Prometheus pages of three servers, and what two readings say about one run."""

from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest

from sparktui.core.delta import ServerFigures
from sparktui.servers.exposition import ServerCounters, read_counters, spec_delta
from tests.servers.captures import FIXTURES


def counters(name: str) -> ServerCounters:
    found = read_counters((FIXTURES / name).read_bytes())
    assert found is not None
    return found


VLLM = counters("vllm/metrics_before.prom"), counters("vllm/metrics_after.prom")
SGLANG = counters("sglang/metrics_before.prom"), counters("sglang/metrics_after.prom")
LLAMA = "llamacpp-b11434/endpoints"


def test_vllm_page() -> None:
    assert VLLM[1] == ServerCounters(running=0, waiting=0, generated=971, finished=10, drafts=222, draft_tokens=888, accepted_tokens=479)
    assert VLLM[1].busy is False


def test_sglang_page() -> None:
    assert SGLANG[1] == ServerCounters(running=0, waiting=0, generated=971, finished=10, verify_calls=292)


def test_llamacpp_pages() -> None:
    idle = counters(f"{LLAMA}/draft-metrics.prom")
    assert (idle.generated, idle.drafts, idle.draft_tokens, idle.accepted_tokens, idle.busy) == (1158, 375, 1494, 779, False)
    assert counters(f"{LLAMA}/draft-metrics-in-flight.prom").busy is True
    assert counters(f"{LLAMA}/none-metrics.prom").generated is not None


def test_one_request_alone_on_vllm() -> None:
    assert spec_delta(*VLLM, 71) == ServerFigures(
        draft_accepted=48, draft_proposed=88, verify_steps=22, acceptance_source="metrics_endpoint", acceptance_scope="request"
    )


@pytest.mark.parametrize(
    ("before", "after", "tokens"),
    [({"running": 1}, {}, 71), ({}, {"waiting": 2}, 71), ({}, {"finished": 11}, 71), ({}, {"finished": 9}, 71), ({}, {}, 70),
     ({}, {}, None), ({"running": None}, {}, 71)],
)  # fmt: skip
def test_anything_else_is_an_interval(before: dict, after: dict, tokens: int | None) -> None:
    readings = msgspec.structs.replace(VLLM[0], **before), msgspec.structs.replace(VLLM[1], **after)
    found = spec_delta(*readings, tokens)
    assert found is not None
    assert (found.draft_accepted, found.draft_proposed, found.acceptance_scope) == (48, 88, "interval")
    assert found.decode_s is None


def test_a_restart_between_the_readings_says_nothing() -> None:
    assert spec_delta(VLLM[1], VLLM[0], 71) is None
    assert spec_delta(VLLM[0], msgspec.structs.replace(VLLM[1], generated=5), 5) is None


def test_nothing_drafted_is_absent_not_zero() -> None:
    quiet = msgspec.structs.replace(VLLM[0], generated=971, finished=10)
    assert spec_delta(VLLM[0], quiet, 71) is None


def test_sglang_counts_steps_but_neither_accepted_nor_proposed() -> None:
    assert spec_delta(*SGLANG, 71) == ServerFigures(verify_steps=22)
    assert spec_delta(*SGLANG, 70) is None


def test_llamacpp_in_flight_to_after() -> None:
    before, after = counters(f"{LLAMA}/draft-metrics-in-flight.prom"), counters(f"{LLAMA}/draft-metrics-after.prom")
    found = spec_delta(before, after, 60)
    assert found is not None
    assert (found.draft_accepted, found.draft_proposed, found.acceptance_scope) == (34, 92, "interval")
    idle_before = msgspec.structs.replace(before, running=0)
    found = spec_delta(idle_before, after, 60)
    assert found is not None
    assert (found.verify_steps, found.acceptance_scope) == (24, "request")


def test_times_of_the_only_request() -> None:
    page = b"".join(
        b'vllm:request_%s_time_seconds_sum{engine="0"} %s\nvllm:request_%s_time_seconds_count{engine="0"} %s\n' % row
        for row in ((b"queue", b"0.5", b"queue", b"3"), (b"prefill", b"1.5", b"prefill", b"3"), (b"decode", b"9.5", b"decode", b"3"))
    )
    extra = b"vllm:num_requests_running 0\nvllm:generation_tokens_total %d\nvllm:request_success_total 3\n"
    after = read_counters(page + extra % 71)
    before = read_counters(page.replace(b"9.5", b"8.1").replace(b"} 3", b"} 2") + extra.replace(b"total 3", b"total 2") % 0)
    assert after is not None
    assert before is not None
    found = spec_delta(before, after, 71)
    assert found is not None
    assert (found.queue_s, found.prefill_s, found.decode_s) == (0.0, 0.0, 1.4)
    assert found.server_tok_s == pytest.approx(50.0)
    assert spec_delta(before, after, 70) is None


def test_other_prefixes_older_names_engines_and_waiting_reasons_are_summed() -> None:
    page = b"""# TYPE x counter
vllm_spec_decode_num_draft_tokens_total{engine="0"} 3
vllm_spec_decode_num_draft_tokens_total{engine="1"} 4
foo:spec_decode_num_accepted_tokens 2
foo:spec_decode_num_accepted_tokens_created 1.7e9
foo:spec_decode_num_accepted_tokens_per_pos_total{position="0"} 2
foo:num_requests_running NaN
foo:num_requests_running 1
vllm:num_requests_waiting_by_reason{reason="a"} 1
vllm:num_requests_waiting_by_reason{reason="b"} 1
"""
    assert read_counters(page) == ServerCounters(running=1, waiting=2, draft_tokens=7, accepted_tokens=2)


def test_counters_beyond_what_can_have_been_counted_are_absent() -> None:
    page = b"foo:num_requests_running 1\n" + 2 * b"foo:generation_tokens_total 1e308\n" + b"foo:num_requests_waiting +Inf\n"
    assert read_counters(page) == ServerCounters(running=1)


PAGES = [b"", b"<html></html>", b'{"a": 1}', b"go_gc 1\n", b"x{ 1\n", b"\xff\xfe\x00", b"a 1 2 3 4 5\n", b'x{a="b} 1\n']


@pytest.mark.parametrize("page", [*PAGES, (FIXTURES / "misc/trtllm_metrics.json").read_bytes()])
def test_pages_without_counters_are_none(page: bytes) -> None:
    assert read_counters(page) is None


def test_the_parser_library_is_imported_only_when_a_page_is_read() -> None:
    code = "import sys, sparktui.servers.registry, sparktui.servers.recognise; sys.exit('prometheus_client' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
