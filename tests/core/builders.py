"""Runs made for tests: states folded from given chunks, and records with given figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparktui.core.delta import ServerFigures
from sparktui.core.events import Chunk, RunStarted, Usage
from sparktui.core.figures.metrics import record_of
from sparktui.core.figures.state import RunState
from sparktui.core.records import PromptInfo, RunParams, RunRecord, ServerInfo

MS = 1_000_000
SEND_NS = 5_000_000_000
SERVER = ServerInfo(kind="tabbyapi", base_url="http://127.0.0.1:5000", model="demo-27b")
PROMPT = PromptInfo(name="story", sha256="0" * 64)
PARAMS = RunParams(temperature=1.0, max_tokens=800)


def started(**changes: Any) -> RunStarted:
    values: dict[str, Any] = {
        "run_id": "r1", "prompt": PROMPT, "params": PARAMS, "t_send_ns": SEND_NS, "started_at": "2030-01-01T12:00:00+00:00", "label": "a",
    }  # fmt: skip
    return RunStarted(**{**values, **changes})


def state_of(
    chunks: Sequence[tuple[float, str]],
    *,
    totals: Sequence[int] | None = None,
    figures: ServerFigures | None = None,
    done_ms: float | None = None,
    kind: str = "content",
) -> RunState:
    """A state with chunks (ms after the send, text), the server's figures, and its end."""
    state = RunState()
    state.fold(started())
    for n, (t_ms, text) in enumerate(chunks, 1):
        total = totals[n - 1] if totals else None
        state.fold(Chunk(run_id="r1", n=n, t_ns=SEND_NS + round(t_ms * MS), kind=kind, text=text, tokens_total=total))  # type: ignore[arg-type]
    if figures is not None:
        state.fold(Usage(run_id="r1", figures=figures))
    if done_ms is not None:
        state.note_done(SEND_NS + round(done_ms * MS), "stop")
    return state


def folded(state: RunState, **changes: Any) -> RunRecord:
    """The record of a state, as a TabbyAPI run that ended well unless said otherwise."""
    return record_of(state, **{"status": "ok", "server": SERVER, "steps_checked": True, **changes})


def record(**changes: Any) -> RunRecord:
    """A finished run with the given fields."""
    values: dict[str, Any] = {
        "id": "r1", "started_at": "2030-01-01T12:00:00+00:00", "label": "a", "status": "ok",
        "server": SERVER, "prompt": PROMPT, "params": PARAMS,
    }  # fmt: skip
    return RunRecord(**{**values, **changes})
