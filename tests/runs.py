"""Run records for tests, shaped like real ones."""

from __future__ import annotations

import hashlib
from typing import Any

from sparktui.core.records import ChunkMark, GapMs, Memory, PromptInfo, RunParams, RunRecord, ServerInfo

STORY = "Write a short story about a lighthouse keeper (about 500 words)."
CODE = (
    "Write a Python module implementing a thread-safe LRU cache class with get, put, capacity eviction, and a small pytest test file. "
    "Code only, no explanation."
)
SERVER = ServerInfo(
    kind="tabbyapi", base_url="http://127.0.0.1:5000", model="Qwen-Next-exl3", version="0.1.0", ctx=393_216, draft="MTP", cache_mode="Q8"
)


def prompt_info(name: str, text: str) -> PromptInfo:
    return PromptInfo(name=name, sha256=hashlib.sha256(text.encode()).hexdigest(), text=text)


def run(number: int = 1, *, prompt: str = "code", temperature: float | None = 0, **fields: Any) -> RunRecord:
    """A finished code run (or a story run) with every figure; `fields` replace."""
    text = {"code": CODE, "story": STORY}.get(prompt, prompt)
    values: dict[str, Any] = {
        "id": f"run-{number:06d}",
        "started_at": f"2026-11-30T12:{number // 60 % 60:02}:{number % 60:02}Z",
        "label": "shipped",
        "status": "ok",
        "server": SERVER,
        "prompt": prompt_info(prompt, text),
        "params": RunParams(temperature=temperature, max_tokens=800),
        "bench_id": "bench-1",
        "run_no": number,
        "idle_checked": True,
        "prompt_tokens": 38,
        "cached_tokens": 0,
        "new_tokens": 38,
        "completion_tokens": 794,
        "connect_s": 0.0,
        "headers_s": 0.004,
        "first_event_s": 1.079,
        "ttft_s": 1.08,
        "ttft_content_s": 1.08,
        "decode_s": 13.905,
        "total_s": 14.99,
        "client_tok_s": 57.1,
        "client_tok_s_net": 54.4,
        "net_estimated": True,
        "tpot_s": 0.01753,
        "server_tok_s": 53.7,
        "server_decode_s": 14.786,
        "prefill_s": 0.32,
        "prefill_tok_s": 120.0,
        "queue_s": 0.0,
        "chunks": 49,
        "tokens_per_chunk": 16.204,
        "tokens_per_chunk_p50": 16.0,
        "tokens_per_chunk_p90": 19.0,
        "first_chunk_tokens": 37.9,
        "gap_ms": GapMs(290.1, 296.0, 298.4, 301.0),
        "bursts": 49,
        "burstiness": 0.6,
        "draft_accepted": 645,
        "draft_proposed": 718,
        "acceptance_rate": 645 / 718,
        "acceptance_source": "log",
        "acceptance_scope": "request",
        "verify_steps": 149,
        "tokens_per_step": 794 / 149,
        "drafted_per_step": 718 / 149,
        "steps_per_chunk": 149 / 49,
        "step_ms": 99.2,
        "finish_reason": "stop",
        "request_id": "4f1c9a77aa0042d4b1a2c3d4e5f60718",
        "memory": Memory(total=121_000_000_000, used_before=105_900_000_000, used_peak=106_200_000_000, available_min=14_800_000_000),
        "text": "import threading\n",
        "timeline": (ChunkMark(1.08, "content", 12, 38.0), ChunkMark(1.370123456, "content", 5, 16.0)),
    }
    return RunRecord(**{**values, **fields})
