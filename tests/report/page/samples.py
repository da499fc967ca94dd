"""Runs for pages: a bench at true shape, needles, a sweep."""

from __future__ import annotations

from msgspec.structs import replace

from sparktui.core.records import ChunkMark, Memory, RunRecord
from tests.runs import SERVER, run

AT = "2026-11-30T13:00:00Z"


def marks(tokens: float, gap_s: float, first_s: float, count: int) -> tuple[ChunkMark, ...]:
    """Equal chunks at equal times."""
    return tuple(ChunkMark(first_s + number * gap_s, "content", 10, tokens) for number in range(count))


def bench() -> list[RunRecord]:
    """Code and story, three runs each and a warm-up; a fourth story run was not alone."""
    code = [run(number, run_no=number, client_tok_s=57.0 + number / 10, timeline=marks(16.2, 0.29, 1.08, 49)) for number in (1, 2, 3)]
    story = [
        run(10 + number, prompt="story", run_no=number, client_tok_s=30.0 + number / 10, server_tok_s=29.7, tokens_per_chunk=5.0,
            ttft_s=0.6, chunks=160, timeline=marks(5, 0.165, 0.6, 160))
        for number in (1, 2, 3, 4)
    ]  # fmt: skip
    return [run(0, run_no=0, warmup=True), *code, *story[:3], replace(story[3], flags=("not_idle",), queue_s=0.8)]


def needles(**fields: object) -> list[RunRecord]:
    """100k and 300k tokens at one depth, found and not found; the second with less memory left."""
    memory = Memory(total=121_000_000_000, used_before=102_000_000_000, used_peak=106_000_000_000, available_min=15_000_000_000)
    found = []
    for number, (length, rate) in enumerate(((100_000, 800.0), (300_000, 780.0)), start=30):
        needle = {"length": length, "depth": 0.5, "found": number == 30, "code": "1234567"}
        found.append(run(
            number, prompt="needle", run_no=1, bench_id="needles", needle=needle, prompt_tokens=length + 12, new_tokens=length + 12,
            prefill_s=length / rate, prefill_tok_s=rate, server_tok_s=51.0, timeline=None, memory=memory, **fields,
        ))  # fmt: skip
    return found


def sweep(**fields: object) -> list[RunRecord]:
    """Three variants of three runs: one like the baseline, one much slower and with a smaller cache."""
    rates = {"shipped": (50.1, 50.9, 49.7), "8-bit cache": (50.3, 49.9, 50.6), "no draft": (29.1, 29.0, 29.2)}
    small = replace(SERVER, cache_tokens=131_072)
    large = replace(SERVER, cache_tokens=262_144)
    used = {"shipped": 104_000_000_000, "8-bit cache": 104_000_000_000, "no draft": 103_000_000_000}
    found = []
    for label, values in rates.items():
        memory = Memory(total=121_000_000_000, used_before=used[label], used_peak=used[label] + 10**8, available_min=15_000_000_000)
        found += [
            run(40 + len(found) + number, prompt="json", label=label, run_no=number + 1, bench_id="sweep-1", client_tok_s=rate,
                prompt_tokens=8_820, timeline=None, memory=memory, server=small if label == "no draft" else large, **fields)
            for number, rate in enumerate(values)
        ]  # fmt: skip
    stamps = [f"2026-11-30T12:30:{number:02}Z" for number in range(len(found))]
    return [replace(one, id=f"sweep-{stamp[17:19]}", started_at=stamp) for one, stamp in zip(found, stamps, strict=True)]


HOSTILE = "<script>alert(1)</script>\"'&lt;![x](http://evil.example/a.png)`|\x1b[2J\u202e](javascript:1)"


def hostile() -> list[RunRecord]:
    """Every text that a server, a user or a file can set is an attack."""
    server = replace(SERVER, model=HOSTILE, version=HOSTILE, base_url=HOSTILE, draft=HOSTILE, cache_mode=HOSTILE)
    plain = [
        run(number, run_no=number, prompt=HOSTILE, label=label, server=server, error=HOSTILE, warnings=(HOSTILE,), request_id=HOSTILE,
            timeline=marks(16.2, 0.29, 1.08, 49))
        for number, label in enumerate((HOSTILE, HOSTILE, HOSTILE, "b" + HOSTILE, "b" + HOSTILE, "b" + HOSTILE), start=1)
    ]  # fmt: skip
    needle = {"length": 100_000, "depth": 0.5, "found": False, "code": HOSTILE, "refused": HOSTILE}
    swept = [replace(one, label=one.label + HOSTILE, server=server) for one in sweep()]
    return [*plain, replace(needles()[0], needle=needle, label=HOSTILE, server=server), *swept]
