"""Event streams shaped like the reference figures: code in bursts of some 16 tokens, prose in chunks of some 5."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from sparktui.core.delta import ServerFigures
from sparktui.core.events import (
    AnyEvent,
    Chunk,
    Hello,
    Joined,
    LogLine,
    LogState,
    MemoryNow,
    Plan,
    PlanProgress,
    RunDone,
    RunStarted,
    Server,
    Usage,
)
from sparktui.core.log.logrecord import Generation, LogRecord
from sparktui.core.records import GapMs, PromptInfo, RunParams, RunRecord, ServerInfo
from sparktui.demo.texts import corran, fog, lru_linked, lru_ordered
from sparktui.demo.tokens import pieces

Script = list[tuple[float, AnyEvent]]

# a session's worker clock begins here, so that a stamp taken for 0 or for wall time shows
T0_NS = 5_000_000_000
MIDDAY = datetime(2026, 9, 2, 12, 4, 0, tzinfo=UTC)

TABBY = ServerInfo(kind="tabbyapi", base_url="http://127.0.0.1:5000", model="Qwen-Next-exl3", ctx=393_216, draft="MTP")
DEMO = ServerInfo(kind="demo", base_url="http://127.0.0.1:43817", model="demo-moe", ctx=32_768, draft="MTP")
TEXTS = {"story": (corran.TEXT, fog.TEXT), "code": (lru_ordered.TEXT, lru_linked.TEXT)}
# first chunk tokens, tokens a chunk, their spread, gap ms, spread, TTFT s
SHAPES = {"story": (12, 5.0, 1.6, 165.0, 9.0, 0.60), "code": (38, 16.0, 2.4, 290.0, 6.0, 1.08)}


def prompt(kind: str) -> PromptInfo:
    text = f"the {kind} prompt"
    return PromptInfo(name=kind, sha256=hashlib.sha256(text.encode()).hexdigest(), text=text)


def opening(info: ServerInfo | None = TABBY, *, log: str = "/srv/tabby.log", memory: bool = True) -> Script:
    """Hello, a server that answers, a log that is followed, memory."""
    script: Script = [
        (0.0, Hello(protocol=1, version="0", pid=1, host="box", session="s", clock_ns=T0_NS, wall=MIDDAY.isoformat(), t_ns=T0_NS)),
        (0.0, Server(state="ready", info=info, t_ns=T0_NS)),
        (0.0, LogState(state="following", source=log, t_ns=T0_NS)),
    ]
    if memory:
        script.append((0.0, MemoryNow(total=121_000_000_000, used=106_200_000_000, available=14_800_000_000, t_ns=T0_NS)))
    return script


def chunk_plan(kind: str, tokens: int, seed: int) -> Iterator[tuple[float, list[str]]]:
    """(seconds since the send, tokens that land then) of each chunk."""
    first, mean, spread, gap_ms, jitter_ms, t_s = SHAPES[kind]
    luck = random.Random(seed)
    words = pieces(TEXTS[kind][seed % 2])[:tokens]
    at, count = 0, first
    while at < len(words):
        yield t_s, words[at : at + count]
        at += count
        count = max(1, round(luck.gauss(mean, spread)))
        t_s += luck.gauss(gap_ms, jitter_ms) / 1000


def run(
    kind: str, *, at_s: float = 0.0, run_no: int | None = 1, runs: int | None = 3, seed: int = 0, tokens: int = 794,
    temperature: float = 0, info: ServerInfo = TABBY, until_s: float = 1e9, bench_id: str | None = "bench", label: str = "shipped",
    run_id: str = "", joined: bool = True,
) -> Script:  # fmt: skip
    """One run from its send at `at_s`; events later than `until_s` after the send are left out."""
    run_id = run_id or f"{kind}-{run_no}-{seed}"
    send_ns = T0_NS + round(at_s * 1e9)
    started = RunStarted(
        run_id=run_id, prompt=prompt(kind), params=RunParams(temperature=temperature, max_tokens=800), t_send_ns=send_ns,
        started_at=(MIDDAY + timedelta(seconds=at_s)).isoformat(), label=label, bench_id=bench_id, run_no=run_no, runs=runs,
        server=info, t_ns=send_ns,
    )  # fmt: skip
    script: Script = [(at_s, started)]
    plan = list(chunk_plan(kind, tokens, seed))
    for n, (t_s, words) in enumerate(plan, 1):
        script.append((at_s + t_s, Chunk(run_id=run_id, n=n, kind="content", text="".join(words), t_ns=send_ns + round(t_s * 1e9))))
    last_s = plan[-1][0]
    total = sum(len(words) for _, words in plan)
    record = record_of(started, kind, plan, total)
    unknown: dict[str, Any] = dict.fromkeys(("draft_accepted", "draft_proposed", "acceptance_rate", "tokens_per_step", "speedup"))
    bare = msgspec.structs.replace(record, **unknown)
    done_ns = send_ns + round((last_s + 0.02) * 1e9)
    figures = ServerFigures(prompt_tokens=38, completion_tokens=total, server_tok_s=record.server_tok_s)
    script += [
        (at_s + last_s + 0.01, Usage(run_id=run_id, figures=figures, t_ns=done_ns)),
        (at_s + last_s + 0.02, RunDone(run_id=run_id, status="ok", record=bare if joined else record, finish_reason="stop", t_ns=done_ns)),
    ]
    if joined:
        script.append((at_s + last_s + 0.1, Joined(run_id=run_id, source="log", record=record, t_ns=done_ns, n=1000 + seed)))
    return [(t_s, event) for t_s, event in script if t_s - at_s <= until_s]


def record_of(started: RunStarted, kind: str, plan: Sequence[tuple[float, list[str]]], total: int, **more: Any) -> RunRecord:
    ttft_s, last_s = plan[0][0], plan[-1][0]
    gaps = sorted((b[0] - a[0]) * 1000 for a, b in itertools.pairwise(plan))
    decode_s = last_s - ttft_s
    proposed = round(total * (0.9 if kind == "code" else 0.62))
    accepted = round(proposed * (0.898 if kind == "code" else 0.651))
    steps = total - accepted
    server_tok_s = total / decode_s * 0.945
    values: dict[str, Any] = {
        "id": started.run_id, "started_at": started.started_at, "label": started.label, "status": "ok", "server": started.server,
        "prompt": started.prompt, "params": started.params, "bench_id": started.bench_id, "run_no": started.run_no,
        "prompt_tokens": 38, "completion_tokens": total, "ttft_s": ttft_s, "decode_s": decode_s, "total_s": last_s + 0.02,
        "client_tok_s": total / decode_s, "client_tok_s_net": (total - len(plan[0][1])) / decode_s, "server_tok_s": server_tok_s,
        "chunks": len(plan), "tokens_per_chunk": total / len(plan), "first_chunk_tokens": len(plan[0][1]),
        "gap_ms": GapMs(gaps[len(gaps) // 2], gaps[-2], gaps[-1], gaps[-1]), "burstiness": 0.60 if kind == "code" else 0.33,
        "draft_accepted": accepted, "draft_proposed": proposed, "acceptance_rate": accepted / proposed, "acceptance_source": "log",
        "acceptance_scope": "request", "verify_steps": steps, "tokens_per_step": total / steps, "speedup": server_tok_s / 29.0,
        "speedup_rate": "server_tok_s", "prefill_tok_s": 120.0, "finish_reason": "stop", "request_id": "4f1c9a0e7b22",
    }  # fmt: skip
    return RunRecord(**{**values, **more})


def finished(
    kind: str, *, run_no: int = 1, seed: int = 0, minutes_ago: int = 1, temperature: float = 0, info: ServerInfo = TABBY, **more: Any
) -> RunRecord:
    """The record of a run that ended before the script begins."""
    started = RunStarted(
        run_id=more.pop("id", f"old-{kind}-{run_no}-{seed}-{minutes_ago}"), prompt=prompt(kind), run_no=run_no, runs=3, server=info,
        params=RunParams(temperature=temperature, max_tokens=800), t_send_ns=1, label="shipped", bench_id=more.pop("bench_id", "bench"),
        started_at=(MIDDAY - timedelta(minutes=minutes_ago)).isoformat(),
    )  # fmt: skip
    plan = list(chunk_plan(kind, 794, seed))
    return record_of(started, kind, plan, sum(len(words) for _, words in plan), **more)


def log_lines() -> Script:
    """A request's line and its Metrics record, twice."""
    def generation(request: str, tok_s: float, total_s: float, accepted: int, proposed: int) -> Generation:
        return Generation(
            grammar="tabbyapi", request_id=request, completion_tokens=794, total_s=total_s, server_tok_s=tok_s, prefill_tok_s=120.0,
            draft_accepted=accepted, draft_proposed=proposed, acceptance_rate=accepted / proposed,
        )  # fmt: skip

    records = [
        LogRecord(n=998, time="12:04:16", level="info", text="Metrics", generation=generation("c0d113", 31.2, 25.0, 321, 441)),
        LogRecord(n=999, time="12:04:17", level="info", text="Received chat completion streaming request 4f1c9a"),
        LogRecord(n=1000, time="12:04:31", level="info", text="Metrics", generation=generation("4f1c9a", 54.3, 13.8, 648, 714)),
        LogRecord(n=1001, time="12:04:32", level="info", text="Received chat completion streaming request 7b22e0"),
    ]
    return [(0.0, LogLine(record=record, t_ns=T0_NS)) for record in records]


def bench(done: int, total: int, eta_s: float | None) -> Script:
    plan = Plan(plan_id="p", kind="bench", cells=({"prompt": "code", "temperature": 0, "runs": 3},), total=total, t_ns=T0_NS)
    return [(0.0, plan), (0.0, PlanProgress(plan_id="p", done=done, total=total, eta_s=eta_s, t_ns=T0_NS))]
