"""How fast a run goes against the same server without a draft, while it runs. Pure."""

from __future__ import annotations

from msgspec import Struct

from sparktui.core.liverun import LiveRun
from sparktui.core.session import SessionState


class Pace(Struct, frozen=True):
    """`ratio`: client_tok_s_net up to now ÷ the baseline's rate; None where no baseline is known."""

    ratio: float | None = None


def pace_of(session: SessionState, run: LiveRun, configured_tok_s: float | None) -> Pace:
    """The baseline is what an earlier run of the cell was compared with (rate ÷ speed-up), else the configured one."""
    net = run.tok_s_net
    if net is None:
        return Pace()
    earlier = session.earlier_of_cell(run)
    base = configured_tok_s
    if earlier is not None and earlier.speedup:
        rate = earlier.client_tok_s_net if (earlier.speedup_rate or "").startswith("client") else earlier.server_tok_s
        base = rate / earlier.speedup if rate else base
    return Pace(net / base if base else None)
