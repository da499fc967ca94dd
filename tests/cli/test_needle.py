"""`needle` as people run it, against the simulated server, and what its options mean."""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sparktui.cli import needle
from sparktui.cli.needletalk import needle_line, needle_title, prefill_words
from sparktui.cli.parser import Parser
from sparktui.core.config import Config, NeedleConfig
from sparktui.core.delta import PromptProgress
from sparktui.core.events import RunStarted, Waiting
from sparktui.core.needleplan import NeedlePlan
from sparktui.errors import UsageError
from tests.runs import run

ROOT = Path(__file__).parents[2]


def sparktui(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "SPARKTUI_DATA_DIR": str(tmp_path / "data"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "sparktui", "needle", *words]
    return subprocess.run(command, check=False, capture_output=True, text=True, env=env, cwd=tmp_path, timeout=60)


def arguments(*words: str) -> argparse.Namespace:
    parser = Parser("sparktui needle")
    needle.add_arguments(parser)
    return parser.parse_args(list(words))


def test_found_at_every_place_with_grid_and_files(tmp_path: Path) -> None:
    files = [word for name in ("n.md", "n.csv", "n.json") for word in ("--out", name)]
    done = sparktui(tmp_path, "--demo", "--demo-speed", "100", "--lengths", "16k,32k", "--depths", "0,1", "--max-tokens", "80", *files)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("✓ needle") == 4
    assert "found, and the prefill rate, by length and depth" in done.stdout
    runs = json.loads((tmp_path / "n.json").read_text())["runs"]
    assert [(one["needle"]["length"], one["needle"]["depth"], one["needle"]["found"]) for one in runs] == [
        (16_000, 0.0, True), (16_000, 1.0, True), (32_000, 0.0, True), (32_000, 1.0, True),
    ]  # fmt: skip
    for one in runs:
        assert one["prompt_tokens"] == pytest.approx(one["needle"]["length"], rel=0.01)
        assert one["prompt"]["text"] is None
        assert one["needle"]["code"] in one["text"]
        assert one["flags"] == []
        assert one["prefill_tok_s"] / 100 == pytest.approx(800, rel=0.05), "times come rounded to 10 ms"
    rows = list(csv.DictReader(io.StringIO((tmp_path / "n.csv").read_text())))
    places = [(row["needle_length"], row["needle_depth"], row["needle_found"]) for row in rows]
    assert places[:2] == [("16000", "0.0", "true"), ("16000", "1.0", "true")]
    page = (tmp_path / "n.md").read_text()
    assert "| prompt | result | prefill | rate | memory | depth | decode |" in page
    assert "tokens, needle | found |" in page
    assert "| 16k | found " in page


def test_b14_what_does_not_fit_is_a_row_and_the_exit_code_tells(tmp_path: Path) -> None:
    done = sparktui(tmp_path, "--demo", "--demo-speed", "500", "--lengths", "500k,3k", "--max-tokens", "80", "--no-history")
    assert done.returncode == 1
    assert "does not fit (500,080 > 393,216)" in done.stdout
    assert " 3k  found " in done.stdout


def test_warm_shows_cold_and_warm_and_no_prefill_rate_of_the_warm_one(tmp_path: Path) -> None:
    done = sparktui(tmp_path, "--demo", "--demo-speed", "200", "--lengths", "20k", "--warm", "--max-tokens", "80", "--out", "w.json")
    assert done.returncode == 0, done.stderr
    cold, warm = json.loads((tmp_path / "w.json").read_text())["runs"]
    assert "cached_prompt" not in cold["flags"]
    assert "cached_prompt" in warm["flags"]
    assert warm["needle"]["warm"] and warm["needle"]["found"]
    assert warm["cached_tokens"] > 0.95 * warm["prompt_tokens"]
    assert warm["ttft_s"] < cold["ttft_s"]
    assert "warm" in done.stdout and "tokens cached" in done.stdout


def test_a49_an_interrupt_in_the_prefill_ends_at_once_with_code_4(tmp_path: Path) -> None:
    env = {**os.environ, "SPARKTUI_DATA_DIR": str(tmp_path / "data"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "sparktui", "needle", "--demo", "--lengths", "30k", "--out", str(tmp_path / "n.jsonl")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=env, cwd=tmp_path) as process:
        assert process.stderr is not None
        assert b"DEMO SERVER" in process.stderr.readline()
        time.sleep(2.5)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 4
        assert time.monotonic() - begun < 5
    record = json.loads((tmp_path / "n.jsonl").read_text())
    assert (record["status"], record["needle"]["found"]) == ("cancelled", None)


@pytest.mark.parametrize(
    ("words", "plan"),
    [
        ((), NeedlePlan(lengths=(100_000,), seed=7)),
        (("--lengths", "1M,1.5k,1_000"), NeedlePlan(lengths=(1_000_000, 1_500, 1_000), seed=7)),
        (("--depths", "0,0.5,1", "--seed", "3", "--warm"), NeedlePlan(lengths=(100_000,), depths=(0, 0.5, 1), seed=3, warm=True)),
        (("--needles", "2"), NeedlePlan(lengths=(100_000,), depths=(0.25, 0.75), together=True, seed=7)),
        (("--needles", "2", "--depths", "0.1,0.9"), NeedlePlan(lengths=(100_000,), depths=(0.1, 0.9), together=True, seed=7)),
        (("--needles", "1"), NeedlePlan(lengths=(100_000,), seed=7)),
        (("--max-tokens", "50", "--label", "x"), NeedlePlan(lengths=(100_000,), seed=7, max_tokens=50, label="x")),
    ],
)
def test_options_make_the_plan(words: tuple[str, ...], plan: NeedlePlan) -> None:
    assert needle.plan_of(arguments(*words), Config(needle=NeedleConfig(seed=7))) == plan


@pytest.mark.parametrize(
    "words",
    [
        ("--lengths", "99"), ("--lengths", "3M"), ("--lengths", "ten"), ("--lengths", ","), ("--depths", "1.5"), ("--depths", "x"),
        ("--needles", "0"), ("--needles", "3", "--depths", "0.1,0.2"), ("--depth", "0.5"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_before_anything_starts(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        needle.plan_of(arguments(*words), Config())


@pytest.mark.parametrize(
    ("elapsed_s", "expected_s", "progress", "pings", "words"),
    [
        (12, None, None, 0, "prefill 12 s"), (12, 125.2, None, 1, "prefill 12 s of ≈ 125 s, 1 keep-alive"),
        (1, 0.2, None, 0, "prefill 1 s"),
        (140, 125.2, PromptProgress(9, 90), 3, "prefill 140 s, longer than the ≈ 125 s expected, 9 of 90 tokens, 3 keep-alives"),
    ],
)  # fmt: skip
def test_prefill_in_words(elapsed_s: float, expected_s: float | None, progress: PromptProgress | None, pings: int, words: str) -> None:
    assert prefill_words(Waiting(run_id="r", elapsed_s=elapsed_s, pings=pings, prompt_progress=progress), expected_s) == words


def test_a_run_in_words() -> None:
    place = {"length": 100_000, "depth": 0.5, "found": True}
    record = run(7, prompt="needle", needle=place, prompt_tokens=100_012, prefill_s=125.4, prefill_tok_s=797.5)
    started = RunStarted(
        run_id="r", prompt=record.prompt, params=record.params, t_send_ns=1, started_at="", needle=record.needle, run_no=1, runs=4
    )  # fmt: skip
    assert needle_title(started) == "needle 100k @0.5"
    assert needle_line("t", record) == "✓ t   found   100,012 tokens   prefill 125 s   798 tok/s   decode 53.7 tok/s   106.2 GB used"
    missed = run(7, needle={"length": 1_000, "found": False}, prefill_s=None, prefill_tok_s=500.0, prefill_estimated=True, memory=None)
    assert needle_line("t", missed).startswith("✕ t   not found   38 tokens   prefill ≈ 1.08 s   ≈ 500 tok/s")
    assert needle_line("t", run(7, needle={"found": None})).startswith("– t   no answer")
