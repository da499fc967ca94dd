"""Reading the fixtures: captured HTTP answers read by read, stream bodies, field cases."""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sparktui.core.delta import Delta, ServerFigures, StreamError
from sparktui.core.sse import SseParser
from sparktui.servers.base import Adapter

FIXTURES = Path(__file__).parent.parent / "fixtures"


class Http(NamedTuple):
    """One HTTP answer; `body` without chunked framing."""

    status: int
    headers: dict[str, str]
    body: bytes


def http_of(raw: bytes) -> Http:
    head, _, rest = raw.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    if headers.get("transfer-encoding") == "chunked":
        rest = b"".join(_dechunked(rest))
    return Http(int(lines[0].split()[1]), headers, rest)


def _dechunked(data: bytes) -> Iterator[bytes]:
    while data:
        size, _, data = data.partition(b"\r\n")
        if not size or int(size, 16) == 0:
            return
        yield data[: int(size, 16)]
        data = data[int(size, 16) + 2 :]


def capture(path: Path) -> Http:
    """The answer in a `.jsonl` capture of one request."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()][1:]
    reads = [base64.b64decode(line["b64"]) if "b64" in line else line["text"].encode() for line in lines]
    return http_of(b"".join(reads))


def replies(path: Path) -> dict[str, Http]:
    """The answers in a capture of several cases, by case; long ones were cut when they were captured."""
    cases = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {case["case"]: http_of(case["raw"].encode()) for case in cases}


def stream_body(path: Path) -> bytes:
    return path.read_bytes() if path.suffix == ".sse" else capture(path).body


def case_writes(case: str, variant: str = "", response: int = 0) -> bytes:
    """What the server of a field case writes in one response."""
    wire = json.loads((FIXTURES / "cases" / case / variant / "wire.json").read_text("utf-8"))
    writes = wire["responses"][response]["writes"]
    return b"".join(base64.b64decode(write["b64"]) if "b64" in write else write["text"].encode() for write in writes)


def deltas(adapter: Adapter, body: bytes, cuts: list[int] | None = None) -> list[Delta]:
    """Every Delta of a stream, its bytes fed in the pieces that `cuts` (positions) make."""
    parser = SseParser()
    events = []
    start = 0
    for cut in [*(cuts or []), len(body)]:
        events += parser.feed(body[start:cut])
        start = cut
    events += parser.close()
    return [adapter.decode(event) for event in events]


def random_cuts(body: bytes, seed: int, pieces: int = 40) -> list[int]:
    rng = random.Random(seed)
    return sorted(rng.randrange(len(body) + 1) for _ in range(pieces))


class Summary(NamedTuple):
    text: str
    reasoning: str
    tools: str
    chunks: int
    events: int
    figures: ServerFigures
    finish_reason: str | None
    error: StreamError | None
    done: bool
    garbled: int
    invented: int
    ids: set[str]
    models: set[str]
    kinds: set[str]


def summary(found: list[Delta]) -> Summary:
    """A stream as a run would add it up; invented text is left out."""
    texts = {"content": "", "reasoning": "", "tool": ""}
    figures = ServerFigures()
    for delta in found:
        figures = figures.merged(delta.figures)
        for part in () if delta.invented else delta.parts:
            texts[part.kind] += part.text
    return Summary(
        texts["content"],
        texts["reasoning"],
        texts["tool"],
        sum(1 for delta in found if delta.parts and not delta.invented),
        sum(1 for delta in found if not delta.done),
        figures,
        next((delta.finish_reason for delta in reversed(found) if delta.finish_reason), None),
        next((delta.error for delta in found if delta.error), None),
        any(delta.done for delta in found),
        sum(delta.garbled for delta in found),
        sum(delta.invented for delta in found),
        {delta.request_id for delta in found if delta.request_id},
        {delta.model for delta in found if delta.model},
        {delta.seen_kind for delta in found if delta.seen_kind},
    )


def table(index: Path, heading: str) -> list[list[str]]:
    """Rows of the Markdown table under `## heading` of an INDEX.md."""
    section = re.split(r"^## ", index.read_text("utf-8"), flags=re.MULTILINE)
    lines = next(part for part in section if part.startswith(heading)).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return rows[2:]


def one_event(adapter: Adapter, data: Any, name: str = "") -> Delta:
    from sparktui.core.sse import SseEvent

    return adapter.decode(SseEvent(name, data if isinstance(data, str) else json.dumps(data)))
