"""Whole logs as records, and the field cases' files."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from sparktui.core.log.logrecord import Generation, LogRecord
from sparktui.servers.grammar import LogReader

FIXTURES = Path(__file__).parents[1] / "fixtures"
TABBY_LOGS = FIXTURES / "tabbyapi-e632af4" / "logs"
LLAMA_LOGS = FIXTURES / "llamacpp-b11434" / "logs"


def records(data: bytes, grammar: str = "auto") -> list[LogRecord]:
    reader = LogReader(grammar)
    return reader.feed(data) + reader.end()


def records_in(path: Path, grammar: str = "auto") -> list[LogRecord]:
    return records(path.read_bytes(), grammar)


def in_pieces(data: bytes, cuts: list[int]) -> list[LogRecord]:
    """The log fed in pieces cut at these offsets."""
    reader = LogReader()
    out: list[LogRecord] = []
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    for start, end in itertools.pairwise(edges):
        out += reader.feed(data[start:end])
    return out + reader.end()


def generations(found: list[LogRecord]) -> list[Generation]:
    """Finished ones; lines of a generation that still runs are left out."""
    return [record.generation for record in found if record.generation is not None and record.generation.note != "live"]


def case_file(case: str, name: str) -> bytes:
    return (FIXTURES / "cases" / case / name).read_bytes()


def expected(case: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(case_file(case, "case.json"))["expect"]
    return value
