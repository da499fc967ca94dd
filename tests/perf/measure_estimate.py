"""Tokens of a stream that never says how many: told as estimated, and near what they were."""

from __future__ import annotations

import json
from collections.abc import Iterator

from sparktui.core.events import AnyEvent, Chunk
from tests.perf.bench import ROOT, Row, truth_server
from tests.perf.plan import told

_STREAMS = ROOT / "tests" / "fixtures" / "llamacpp-b11434" / "streams"


def estimate() -> Iterator[Row]:
    """A real model's story and code, in its own tokens, three a chunk."""
    for name, file in (("story", "none-story-t0"), ("code", "none-code-t0")):
        pieces = _tokens_of(file)
        seen: list[AnyEvent] = []
        with truth_server() as server:
            record, truth = server.run(told(pieces), seen.append)
        tokens = sum(count for _, count, _ in truth.texts)
        error = (record.completion_tokens or 0) / tokens - 1
        chunks = len([event for event in seen if isinstance(event, Chunk)])
        text = f"{error:+.1%} ({record.completion_tokens} for {tokens}, {chunks} chunks), {'told as estimated' * record.tokens_estimated}"
        yield Row(f"no usage, {name}: tokens off by", text, "± 10 %, estimated", record.tokens_estimated and abs(error) <= 0.10)


def _tokens_of(file: str) -> list[str]:
    """The text of each event of a capture that sends one token an event."""
    pieces = []
    raw = "".join(json.loads(line).get("text", "") for line in (_STREAMS / f"{file}.jsonl").read_text("utf-8").splitlines())
    for line in raw.splitlines():
        if line.startswith("data: {"):
            for choice in json.loads(line[6:]).get("choices", []):
                if text := choice.get("delta", {}).get("content"):
                    pieces.append(text)
    return pieces
