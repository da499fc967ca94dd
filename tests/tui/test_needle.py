"""Needles on the live screen: asked first, named while they run, told in the history."""

from __future__ import annotations

import pytest

from sparktui.core.commands import Needle
from sparktui.core.config import NeedleConfig
from sparktui.core.events import Retry, RunStarted, Waiting
from sparktui.core.expect import prefill_of
from sparktui.core.records import RunParams
from sparktui.core.session import SessionState
from sparktui.tui.history.history_rows import run_row
from sparktui.tui.options import Options
from sparktui.tui.runview.run_names import run_title, wait_note
from sparktui.tui.screens.confirm import Confirm
from tests.runs import prompt_info, run
from tests.tui.stage import on_stage
from tests.tui.test_live import sent
from tests.tui.timelines import MIDDAY, T0_NS, TABBY, opening

OPTIONS = Options(needle=NeedleConfig(lengths=(100_000, 300_000), depths=(0.1, 0.5)))


async def test_n_asks_first_and_says_what_will_run() -> None:
    async with on_stage(opening(), options=OPTIONS) as stage:
        await stage.press("n")
        assert isinstance(stage.app.screen, Confirm)
        assert "100k, 300k tokens, depth 0.1, 0.5, seed 1" in stage.text()
        assert "4 requests, max 800 tokens each" in stage.text()
        assert "how long the prefills take is not known here" in stage.text()
        await stage.press("escape")
        assert not sent(stage, Needle)
        await stage.press("n")
        await stage.press("enter")
        assert [command.max_tokens for command in sent(stage, Needle)] == [800]


def begun(needle: dict[str, object], **fields: object) -> SessionState:
    session = SessionState()
    for _, event in opening():
        session.fold(event)
    started = RunStarted(
        run_id="n", prompt=prompt_info("needle", "x"), params=RunParams(temperature=0), t_send_ns=T0_NS, started_at="", needle=needle,
        server=TABBY, run_no=2, runs=6, **fields,
    )  # fmt: skip
    session.fold(started)
    return session


@pytest.mark.parametrize(
    ("needle", "title"),
    [
        ({"length": 100_000, "depth": 0.5}, "needle · 100,000 tokens · depth 0.5 · run 2/6"),
        ({"length": 1_000, "depths": [0.25, 0.75], "warm": True}, "needle · 1,000 tokens · depth 0.25, 0.75 · warm · run 2/6"),
        ({"length": 1_000}, "needle · 1,000 tokens · run 2/6"),
    ],
)
def test_the_stream_names_the_place(needle: dict[str, object], title: str) -> None:
    assert run_title(begun(needle)) == title


def test_what_the_worker_expects_of_a_prefill_counts_where_the_screen_knows_nothing() -> None:
    session = begun({"length": 100_000, "length_tokens": 99_000}, expected_prefill_s=125.0)
    assert session.current is not None
    prefill = prefill_of(session, session.current, T0_NS + 25_000_000_000)
    assert (prefill.prompt_tokens, prefill.prompt_estimated, prefill.expected_s) == (99_000, False, 125.0)
    assert prefill.rate == pytest.approx(792)
    assert prefill.share == pytest.approx(0.2)
    guessed = begun({"length": 100_000, "length_tokens": 99_000, "length_estimated": True})
    assert guessed.current is not None
    assert prefill_of(guessed, guessed.current, T0_NS + 1).prompt_estimated


@pytest.mark.parametrize(
    ("fields", "note"),
    [
        ({"needle": {"length": 100_000, "depth": 0.5, "found": True}}, "found 100k @0.5"),
        ({"needle": {"length": 100_000, "depth": 0.5, "found": False}, "flags": ("not_idle",)}, "not found 100k @0.5, not idle"),
        ({"needle": {"length": 500_000, "refused": "does not fit (5 > 3)"}, "status": "failed"}, "500k does not fit (5 > 3), failed"),
    ],
)
def test_the_history_note_says_what_was_found_and_where(fields: dict[str, object], note: str) -> None:
    assert run_row(run(1, prompt="needle", **fields), MIDDAY).note == note


def test_a_long_wait_says_that_the_server_is_alive() -> None:
    session = begun({"length": 100_000, "depth": 0.5})
    assert session.current is not None
    assert wait_note(session.current) == ""
    session.fold(Waiting(run_id="n", elapsed_s=31, pings=2))
    assert wait_note(session.current) == "the server is alive: 2 keep-alives"
    session.fold(Retry(run_id="n", reason="the model is loading", wait_s=2))
    assert wait_note(session.current) == "retry 1: the model is loading; the server is alive: 2 keep-alives"
