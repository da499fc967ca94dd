"""Long context: how a million tokens are built, in what time and memory, how exactly, and the published table on the simulated server."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from sparktui.core.config import ServerConfig
from sparktui.core.needleplan import NeedlePlace, NeedlePlan
from sparktui.demo.process import DemoProcess
from sparktui.demo.settings import LARGEST_CONTEXT
from sparktui.engine.plans.haystack import Haystacks
from sparktui.engine.plans.needle import NeedleSearch
from sparktui.engine.running.cancel import Cancel
from sparktui.engine.running.emit import Emitter
from sparktui.engine.running.run import run_once
from sparktui.engine.running.sampling import sampler_for
from sparktui.engine.server.opening import Opening
from sparktui.engine.server.target import Target
from sparktui.engine.server.tokencount import counter_for
from tests.perf.bench import ROOT, Row
from tests.perf.measure_flood import peak_rss_mb

_MILLION = 1_000_000
_SPEED = 200


@dataclass(frozen=True)
class Published:
    """A row of the published long-context table; GB as it rounds them."""

    length: int
    ctx: int
    prefill_s: float
    rate: float
    used_gb: int | None
    available_gb: int | None


_TABLE = (
    Published(100_000, 393_216, 125, 800, None, None),
    Published(300_000, 393_216, 374, 800, 106, 15),
    Published(600_000, LARGEST_CONTEXT, 938, 640, 113, 8),
)


def building() -> Iterator[Row]:
    """A prompt of a million tokens in a process of its own, its tokens counted by a server; then the whole run of it."""
    with DemoProcess.start(4_000, extra=("--ctx", str(LARGEST_CONTEXT))) as demo:
        built, ran = _child(demo, "build", _MILLION), _child(demo, "run", _MILLION)
        sizes = {length: _child(demo, "run", length)["prompt_tokens"] for length in (1_000, 20_000, 300_000)}
    sizes[_MILLION] = ran["prompt_tokens"]
    text = f"{built['seconds']:.1f} s, of it {built['asked_s']:.1f} s asking the server's tokenizer; {built['megabytes']:.1f} MB of text"
    yield Row("haystack of 1,000,000 tokens, built and encoded in", text, "≤ 5 s", built["seconds"] <= 5)
    yield Row("… peak memory", f"{built['peak_mb']:.0f} MB ({built['start_mb']:.0f} before)", "≤ 300 MB", built["peak_mb"] <= 300)
    yield Row("… peak memory of the whole run, request sent and answer read", f"{ran['peak_mb']:.0f} MB", "≤ 300 MB", ran["peak_mb"] <= 300)
    off = {length: tokens / length - 1 for length, tokens in sizes.items()}
    text = ", ".join(f"{length:,}: {share:+.2%}" for length, share in sorted(off.items()))
    yield Row("prompt tokens against the asked length", text, "± 1 %", all(abs(share) <= 0.01 for share in off.values()))


def table() -> Iterator[Row]:
    """The published rows; the simulated server runs 200 times as fast, so its seconds are multiplied and its rates divided here."""
    for row in _TABLE:
        with DemoProcess.start(_SPEED, extra=("--ctx", str(row.ctx))) as demo:
            told = _child(demo, "run", row.length)
        prefill_s, rate = told["prefill_s"] * _SPEED, told["prefill_tok_s"] / _SPEED
        used, available = round(told["used"] / 1e9), round(told["available"] / 1e9)
        ok = told["found"] and abs(prefill_s / row.prefill_s - 1) <= 0.02 and abs(rate / row.rate - 1) <= 0.02
        want = f"found, {row.prefill_s:.0f} s, {row.rate:.0f} tok/s"
        if row.used_gb is not None:
            ok = ok and (used, available) == (row.used_gb, row.available_gb)
            want += f", {row.used_gb} / {row.available_gb} GB"
        word = "found" if told["found"] else "not found"
        text = f"{word}, {prefill_s:.0f} s, {rate:.0f} tok/s, {used} / {available} GB"
        yield Row(f"demo, {row.length:,} tokens at a context of {row.ctx:,}", text, f"{want} ± 2 %", ok)


def _child(demo: DemoProcess, what: str, length: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.perf.measure_needle", what, demo.base_url, str(length)]
    told: dict[str, Any] = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    return told


def _target(url: str) -> Target:
    config = ServerConfig(base_url=url, kind="auto")
    opened = Opening(config, "", lambda _: None, None).open(5)
    return Target(opened.client, opened.adapter, opened.info, seen=opened.seen)


def _build(target: Target, length: int) -> dict[str, Any]:
    start_mb, begun = peak_rss_mb(), time.monotonic()
    counter = counter_for(target, Cancel(), "k")
    asked = [0.0]

    class Timed:
        counted_by, estimated = counter.counted_by, counter.estimated

        def tokens(self, text: str) -> int:
            return self._timed(counter.tokens, text)

        def prompt_tokens(self, text: str) -> int:
            return self._timed(counter.prompt_tokens, text)

        def _timed(self, count: Any, text: str) -> int:
            from_s = time.monotonic()
            found: int = count(text)
            asked[0] += time.monotonic() - from_s
            return found

    straw = Haystacks(Timed(), seed=1, ctx=target.info.ctx, max_tokens=100).straw(NeedlePlace(length, (0.5,)), "k")
    body = msgspec.json.encode({"messages": [{"role": "user", "content": straw.prompt.text}]})
    seconds = time.monotonic() - begun
    return {
        "seconds": seconds, "asked_s": asked[0], "megabytes": len(body) / 1e6, "start_mb": start_mb, "peak_mb": peak_rss_mb(),
    }  # fmt: skip


def _run(target: Target, length: int) -> dict[str, Any]:
    memory = sampler_for(target)

    def measure(*asked: Any) -> Any:
        return run_once(*asked, memory=memory)

    search = NeedleSearch(target, NeedlePlan(lengths=(length,), max_tokens=100), Emitter([]), Cancel(), measure=measure)
    record = search.run()[0]
    seen = record.memory
    return {
        "prompt_tokens": record.prompt_tokens, "prefill_s": record.prefill_s, "prefill_tok_s": record.prefill_tok_s,
        "found": (record.needle or {}).get("found"), "peak_mb": peak_rss_mb(), "status": record.status, "error": record.error,
        "used": seen.used_peak if seen else None, "available": seen.available_min if seen else None,
    }  # fmt: skip


if __name__ == "__main__":
    with _target(sys.argv[2]) as _opened:
        print(json.dumps((_build if sys.argv[1] == "build" else _run)(_opened, int(sys.argv[3]))))
