"""The yardstick itself: the ground-truth server keeps to its plan and writes down when it did."""

from __future__ import annotations

import pytest

from tests.perf.__main__ import MEASURES, _measure
from tests.perf.bare import bare_ttft_s
from tests.perf.bench import truth_server
from tests.perf.plan import Send, late_text, story


def test_a_plan_is_kept_and_its_stamps_are_true() -> None:
    plan = story(100, first_tokens=9)
    with truth_server() as server:
        record, truth = server.run(plan)
        bare_s = bare_ttft_s(server.port, late_text([Send(0, "role")], at_ms=30))
    assert [(kind, tokens) for kind, tokens, _ in truth.sends] == [(send.kind, send.tokens) for send in plan.sends]
    assert truth.ttft_s == pytest.approx(0.006, abs=0.004)
    assert truth.window_s == pytest.approx(0.254, rel=0.05)
    assert sum(tokens for _, tokens, _ in truth.texts) == record.completion_tokens == 794
    assert record.client_tok_s == pytest.approx(truth.tok_s, rel=0.05)
    assert bare_s >= 0.030


def test_every_measure_can_be_loaded() -> None:
    assert all(callable(_measure(name)) for name in MEASURES)
