"""The states of the live screen that the tests look at: script, seconds to play, records from before."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from sparktui.core.events import RunDone, RunStarted, Server
from sparktui.core.plans import PromptSpec
from sparktui.core.records import PromptInfo, RunParams, RunRecord, ServerInfo
from sparktui.tui.options import Options
from tests.tui.timelines import DEMO, MIDDAY, T0_NS, TABBY, Script, bench, finished, log_lines, opening, run

PROMPTS = {"story": PromptSpec(name="story", text="a story"), "code": PromptSpec(name="code", text="a module")}
OPTIONS = Options(prompts=PROMPTS, temperature=0, command="./run.sh", address_origin="config.yml, line 3")
BEFORE = (
    finished("code", run_no=1, minutes_ago=1), finished("story", run_no=3, minutes_ago=2, seed=1),
    finished("story", run_no=2, minutes_ago=3), finished("story", run_no=1, minutes_ago=4, temperature=1.0),
)  # fmt: skip


class Scene(NamedTuple):
    script: Script
    at_s: float
    records: tuple[RunRecord, ...] = BEFORE


def _cancelled() -> Script:
    script = run("code", run_no=2, seed=3, joined=False)
    done = script[-1][1]
    assert isinstance(done, RunDone)
    record = msgspec.structs.replace(
        done.record, status="cancelled", completion_tokens=118, tokens_estimated=True, total_s=4.2, client_tok_s=None, server_tok_s=None
    )
    end = msgspec.structs.replace(done, status="cancelled", record=record, t_ns=T0_NS + 4_200_000_000)
    return opening() + [item for item in script if item[0] < 4.2] + [(4.2, end)]


def _needle() -> Script:
    started = RunStarted(
        run_id="n", prompt=PromptInfo(name="needle", sha256="z"), params=RunParams(temperature=0, max_tokens=64), t_send_ns=T0_NS,
        started_at=MIDDAY.isoformat(), run_no=1, runs=2, server=TABBY, needle={"length": 100_000, "depth": 0.5}, t_ns=T0_NS,
    )  # fmt: skip
    return [*opening(), *log_lines(), *bench(1, 2, 620), (0.0, started)]


_GONE = Server(
    state="unreachable", info=ServerInfo(kind="tabbyapi", base_url="http://127.0.0.1:5000"), cause="connection refused (after 3 ms)",
    hint="The address is right but nothing listens there: is the server started?", retry_in_s=5, t_ns=T0_NS,
)  # fmt: skip
_PREFILLED = finished("story", minutes_ago=9, id="n1", new_tokens=100_000, prompt_tokens=100_000, prefill_tok_s=800.0)

CODE = opening() + log_lines() + bench(8, 12, 72) + run("code", run_no=2, seed=3)
STORY = opening() + log_lines() + bench(2, 12, 232) + run("story", run_no=2, seed=3)

SCENES = {
    "code": Scene(CODE, 7.2),
    "story": Scene(STORY, 13.4),
    "done": Scene(CODE, 16.0),
    "first": Scene(opening(DEMO, log="demo", memory=False), 1.0, ()),
    "prefill": Scene(_needle(), 12.4, (*BEFORE, _PREFILLED)),
    "stall": Scene(opening() + log_lines() + bench(2, 12, 232) + run("story", run_no=2, seed=3, until_s=5.1), 13.1),
    "unreachable": Scene([opening()[0], (0.0, _GONE), *log_lines()], 1.2),
    "cancelled": Scene(_cancelled(), 5.0),
}
