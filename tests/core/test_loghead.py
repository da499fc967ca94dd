"""How each server's record begins."""

from __future__ import annotations

import pytest

from sparktui.core.log.loghead import HEAD_READERS, head_in


@pytest.mark.parametrize(
    ("line", "family", "time", "level", "text"),
    [
        ("2026-11-30 18:06:50.971 | INFO     | Metrics x", "tabbyapi", "2026-11-30 18:06:50.971", "info", "Metrics x"),
        ("2026-11-30 18:06:50.971 WARNING:  careful", "tabbyapi", "2026-11-30 18:06:50.971", "warning", "careful"),
        ("2026-11-30 18:06:50.971 ERROR:      File x", "tabbyapi", "2026-11-30 18:06:50.971", "error", "  File x"),
        ("2026-11-30 18:06:50.971 | CRITICAL | x", "tabbyapi", "2026-11-30 18:06:50.971", "critical", "x"),
        ("INFO:     Metrics: 64 tokens", "levelled", "", "info", "Metrics: 64 tokens"),
        ("0.23.658.085 W slot print_timing: x", "llamacpp", "0.23.658.085", "warning", "slot print_timing: x"),
        ("(APIServer pid=4711) INFO 11-30 10:00:10 [metrics.py:101] Spec", "vllm", "11-30 10:00:10", "info", "Spec"),
        ("INFO 10-16 19:05:47 metrics.py:367] Spec", "vllm", "10-16 19:05:47", "info", "Spec"),
        ("(APIServer pid=4711) INFO:     127.0.0.1 - GET", "vllm", "", "info", "127.0.0.1 - GET"),
        ("[2026-11-30 10:00:01 DP1 TP0] Decode batch", "sglang", "2026-11-30 10:00:01", "", "Decode batch"),
        ("2026-11-30T10:00:04.123Z pod-7f INFO DP1 TP0] Decode batch", "sglang", "2026-11-30T10:00:04.123Z", "info", "Decode batch"),
        (
            'time=2026-11-30T10:00:01.5+01:00 level=WARN source=a.go:1 msg="x"',
            "ollama",
            "2026-11-30T10:00:01.5+01:00",
            "warning",
            'msg="x"',
        ),
    ],
)
def test_heads(line: str, family: str, time: str, level: str, text: str) -> None:
    head = head_in(line)
    assert head is not None
    assert (head.family, head.time, head.level, line[head.start :]) == (family, time, level, text)


@pytest.mark.parametrize(
    "line",
    ["", "present.", "0.0 s, Process: 0 cached tokens", "Loading draft modules 100%", "  File x", "INFO", "2026-11-30 18:06:50 plain"],
)
def test_lines_without_a_head(line: str) -> None:
    assert head_in(line) is None


def test_a_known_family_accepts_no_other_head() -> None:
    assert HEAD_READERS["tabbyapi"]("INFO:     Metrics: 64 tokens") is None
    assert HEAD_READERS["tabbyapi"]("0.23.658.085 I slot x") is None
