"""What is said of several runs together: the heads of its parts."""

from __future__ import annotations

from sparktui.report.explaining import explained
from tests.runs import run


def test_the_head_counts_the_runs_that_the_median_is_of() -> None:
    runs = [run(1, warmup=True), run(2), run(3), run(4)]
    assert explained(runs)[0][0].endswith(": the median run of 3")
    assert explained(runs[:1] * 2)[0][0].endswith(": no run counts, this is the last one")
