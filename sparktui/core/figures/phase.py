"""What the session is doing, in one word: the state every header names."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from sparktui.core.session import SessionState

PhaseName = Literal[
    "idle", "connecting", "loading", "prefill", "generating", "stalled", "done", "cancelled", "cut_off", "failed", "unreachable"
]
DONE_SHOWN_S = 60.0


class Phase(Struct, frozen=True):
    """`seconds`: since the send in prefill, since the newest text in a stall, else 0."""

    name: PhaseName
    seconds: float = 0.0

    @property
    def busy(self) -> bool:
        return self.name in ("prefill", "generating", "stalled")


def planned(session: SessionState) -> bool:
    """A bench, a needle search or a sweep is under way, whether or not a run of it is in flight."""
    return session.plan is not None and (session.progress is None or not session.progress.finished)


def phase_of(session: SessionState, now_ns: int) -> Phase:
    """The phase at `now_ns` (the worker's clock). A run in flight comes first, then a server that does not answer, or loads for a plan."""
    run = session.current
    if run is not None and not run.done:
        if run.t_first_ns is None:
            return Phase("prefill", run.elapsed_s(now_ns))
        return Phase("stalled", run.silent_s(now_ns)) if run.stalled(now_ns) else Phase("generating")
    state = session.server.state if session.server is not None else "probing"
    if state == "unreachable":
        return Phase("unreachable")
    if state == "loading" and planned(session):
        return Phase("loading")
    if run is not None and run.record is not None and run.t_done_ns is not None and now_ns - run.t_done_ns < DONE_SHOWN_S * 1e9:
        return Phase("done" if run.record.status == "ok" else run.record.status)
    if state == "ready":
        return Phase("idle")
    return Phase("loading" if state == "loading" else "connecting")
