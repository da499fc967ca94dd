"""Rates against the true sends."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from tests.perf.bench import Row, truth_server
from tests.perf.plan import Plan, code, steady, story

_RUNS = 3
# one late wake-up of a shared machine is 0.1 % of two seconds
_SHORT_RUNS = 5


def rates() -> Iterator[Row]:
    """client_tok_s, on prose, on code and at one chunk a millisecond."""
    for name, plan, runs in (("story ×5", story(), _RUNS), ("code ×5", code(), _RUNS), ("1 chunk/ms", steady(), _SHORT_RUNS)):
        errors, flags = [], set()
        with truth_server() as server:
            server.run(story(100))
            for _ in range(runs):
                record, truth = server.run(plan)
                errors.append(abs((record.client_tok_s or 0.0) / truth.tok_s - 1))
                flags.update(record.flags)
        error = median(errors)
        note = f" (flags: {', '.join(sorted(flags))})" if flags else ""
        yield Row(f"client_tok_s, {name}, off by", f"{error:.4%}{note}", "≤ 0.05 %", error <= 0.0005)


def first_chunk() -> Iterator[Row]:
    """client_tok_s_net with 24 tokens in the first chunk, with and without running counts."""
    for name, usage, limit in (("counts on every event", "running", 0.001), ("usage at the end only", "asked", 0.005)):
        errors, head = [], []
        with truth_server() as server:
            for seed in range(_RUNS):
                plan: Plan = story(10, first_tokens=24, seed=seed, usage=usage)
                record, truth = server.run(plan)
                errors.append(abs((record.client_tok_s_net or 0.0) / truth.tok_s_net - 1))
                head.append(truth.tok_s / truth.tok_s_net - 1)
        error = median(errors)
        text = f"{error:.3%} (client_tok_s itself {median(head):+.1%})"
        yield Row(f"client_tok_s_net, 24 tokens first, {name}, off by", text, f"≤ {limit:.1%}", error <= limit)
