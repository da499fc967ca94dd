"""25 runs in eight cells, shaped like the reference and the variants that were tried against it."""

from __future__ import annotations

import msgspec

from sparktui.core.records import ChunkMark, RunRecord
from tests.runs import run
from tests.tui.timelines import MIDDAY, chunk_plan

# label, prompt, temperature, client tok/s, TTFT s, server tok/s, tokens a chunk, accepted and proposed
_CELLS = (
    ("shipped", "code", 0, (57.7, 57.1, 57.3), (1.47, 1.08, 1.07), (54.3, 53.7, 53.9), 16.3, (648, 714)),
    ("shipped", "code", 1.0, (52.7, 56.7, 53.3), (1.11, 1.11, 1.13), (49.2, 53.3, 50.3), 15.0, (600, 705)),
    ("shipped", "story", 0, (32.3, 31.7, 31.8), (0.6, 0.6, 0.6), (31.7, 31.2, 31.2), 5.1, (321, 445)),
    ("shipped", "story", 1.0, (29.8, 30.2, 30.9), (0.6, 0.59, 0.6), (29.3, 29.7, 30.3), 5.0, (310, 479)),
    ("chunk 4096", "code", 0, (56.4, 57.0, 57.9), (1.08, 1.08, 1.08), (53.6, 53.6, 53.6), 16.2, (645, 717)),
    ("no cache q", "code", 0, (56.0, 57.4, 58.1), (1.07, 1.07, 1.07), (53.8, 53.8, 53.8), 16.3, (648, 717)),
    ("draft thr 0.6", "code", 0, (54.1, 54.8, 55.6), (1.08, 1.08, 1.08), (51.6, 51.6, 51.6), 15.7, (640, 743)),
    ("no draft", "code", 0, (28.8, 29.0, 29.1), (0.42, 0.42, 0.42), (28.9, 28.9, 28.9), 1.0, None),
)  # fmt: skip
_UNDRAFTED = dict.fromkeys(("draft_accepted", "draft_proposed", "acceptance_rate", "acceptance_source", "verify_steps", "tokens_per_step"))


def cells() -> list[RunRecord]:
    """Newest cell first, three runs each; a fourth of one cell was not alone on the server."""
    records = []
    for number, (label, prompt, temperature, rates, ttfts, servers, per_chunk, drafted) in enumerate(_CELLS):
        for place in range(3):
            drafts = _UNDRAFTED if drafted is None else _drafts(*drafted)
            fields = {
                "id": f"r{number}-{place}", "label": label, "run_no": place + 1, "bench_id": f"b{number}", "client_tok_s": rates[place],
                "ttft_s": ttfts[place], "server_tok_s": servers[place], "tokens_per_chunk": per_chunk, "chunks": round(794 / per_chunk),
                "started_at": f"2026-09-02T11:{59 - 5 * number:02}:{20 * place:02}Z",
            }  # fmt: skip
            records.append(run(1, prompt=prompt, temperature=temperature, **{**fields, **drafts}))
    busy = msgspec.structs.replace(
        records[11], id="busy", run_no=4, flags=("not_idle",), client_tok_s=22.0, started_at="2026-09-02T11:44:59Z"
    )
    return [*records, busy]


def _drafts(accepted: int, proposed: int) -> dict[str, float]:
    return {"draft_accepted": accepted, "draft_proposed": proposed, "acceptance_rate": accepted / proposed}


def whole_run(kind: str = "code", **more: object) -> RunRecord:
    """One run with its text and the timeline it came in."""
    plan = list(chunk_plan(kind, 794, 3))
    marks = tuple(ChunkMark(t_s, "content", len("".join(words)), float(len(words))) for t_s, words in plan)
    fields = {
        "id": "whole", "text": "".join("".join(words) for _, words in plan), "timeline": marks, "chunks": len(plan), "bursts": len(plan),
        "started_at": MIDDAY.isoformat(),
    }  # fmt: skip
    return run(1, prompt=kind, **{**fields, **more})
