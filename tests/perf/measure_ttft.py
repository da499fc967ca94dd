"""Time to the first text: over what a bare socket measures in the same minutes, and whatever comes before the text."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from tests.perf.bare import bare_ttft_s
from tests.perf.bench import Row, TruthServer, truth_server
from tests.perf.plan import Plan, Send, late_text

_ROUNDS = 15
_LIMIT_S = 0.001


def ttft() -> Iterator[Row]:
    """The median over the bare socket's, and the same with events before the text that are none."""
    role = Send(0, "role")
    empties = [Send(1000.0 * n, "empty") for n in range(10, 110, 20)]
    with truth_server() as server:
        bare, ours = _excess(server, late_text([role]))
        text = f"{(ours - bare) * 1e3:+.2f} ms (bare {bare * 1e3:.2f}, ours {ours * 1e3:.2f} over the truth)"
        yield Row("TTFT over a bare socket, median", text, "≤ +1 ms", ours - bare <= _LIMIT_S)
        for name, plan in (
            ("role-only event first", late_text([role])),
            ("empty deltas first", late_text([role, *empties])),
            ("reasoning first", late_text([role], first="reasoning")),
        ):
            _, late = _excess(server, plan, rounds=7, bare=False)
            yield Row(f"TTFT off the truth, {name}", f"{late * 1e3:+.2f} ms", "± 1 ms", abs(late) <= _LIMIT_S)


def _excess(server: TruthServer, plan: Plan, *, rounds: int = _ROUNDS, bare: bool = True) -> tuple[float, float]:
    """Median of measured − true TTFT in seconds, for a bare socket and for us, taken in turns."""
    bares, ours = [], []
    for _ in range(rounds):
        if bare:
            measured = bare_ttft_s(server.port, plan)
            bares.append(measured - server.truth().ttft_s)
        record, truth = server.run(plan)
        ours.append((record.ttft_s or 0.0) - truth.ttft_s)
    return (median(bares) if bares else 0.0), median(ours)
