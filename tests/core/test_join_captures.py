"""Captured streams and the log of the server that sent them: every run that has a Metrics line gets its acceptance, no other."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from sparktui.core.events import RunDone, RunStarted
from sparktui.core.figures.metrics import apply_figures
from sparktui.core.log.join import Joiner, request_hex
from sparktui.core.log.traffic import NS
from sparktui.core.records import PromptInfo, RunParams, RunRecord, ServerInfo
from sparktui.servers.grammar import LogReader

FIXTURES = Path(__file__).parents[1] / "fixtures"
PROMPT = PromptInfo(name="story", sha256="00")

# stream: (log, accepted, proposed), as the captures' INDEX pages tell them
STREAMS = {
    "tabbyapi-e632af4/streams/story-draft-usage": ("file-draft", 311, 533),
    "tabbyapi-e632af4/streams/code-draft-usage": ("console-pipe-80col-draft", 648, 714),
    "tabbyapi-e632af4/streams/chat-short-no-usage-option": ("console-pipe-80col-draft", 70, 110),
    "tabbyapi-e632af4/streams/completions-usage": ("file-draft", 70, 110),
    "tabbyapi-e632af4/streams/tool-call": ("console-tty-120col-ansi-draft", 10, 15),
    "tabbyapi-e632af4/streams/n2-two-choices": ("file-draft", 140, 220),
    "tabbyapi-e632af4/streams/queued-second": ("console-pipe-80col-queued", 50, 80),
    "tabbyapi-e632af4/streams/requeue-partial-acceptance": ("console-pipe-80col-requeue", 30, 59),
    "tabbyapi-e632af4/streams/code-nodraft-usage": ("file-nodraft", None, None),
    "tabbyapi-e632af4/streams/fast-indeterminate": ("file-draft", None, None),
    "tabbyapi-e632af4/streams/cancelled-by-client": ("file-draft", None, None),
    "tabbyapi-pr452/streams/code-draft-usage": ("console-pipe-80col-draft", 648, 714),
}


def request_id(stream: str) -> str:
    text = (FIXTURES / f"{stream}.jsonl").read_text(encoding="utf-8")
    found = re.search(r"(?:chatcmpl|cmpl)-[0-9a-f]{32}", text)
    assert found is not None
    return found[0]


@pytest.mark.parametrize("stream", STREAMS)
def test_run_to_acceptance(stream: str) -> None:
    log, accepted, proposed = STREAMS[stream]
    joiner = Joiner(partial(apply_figures, steps_checked=True))
    joiner.started(RunStarted(run_id="r1", prompt=PROMPT, params=RunParams(), t_send_ns=0, started_at=""), 0)
    run = RunRecord(
        id="r1", started_at="", label="x", status="ok", server=ServerInfo(kind="tabbyapi", base_url=""), prompt=PROMPT, params=RunParams(),
        request_id=request_id(stream),
    )  # fmt: skip
    assert request_hex(run.request_id)
    told = joiner.done(RunDone(run_id="r1", status="ok", record=run), NS)
    reader = LogReader()
    data = (FIXTURES / stream.split("/", maxsplit=1)[0] / "logs" / f"{log}.log").read_bytes()
    for record in [*reader.feed(data), *reader.end()]:
        told += joiner.log(record, 2 * NS, live=False)
    final = told[-1].record if told else run
    assert (final.draft_accepted, final.draft_proposed) == (accepted, proposed)
    assert ("partial_acceptance" in final.flags) == ("requeue" in stream)
    assert ("not_idle" in final.flags) == ("queued" in stream)
    assert bool(told) == ("cancelled" not in stream)
