"""A stored run as the events it once was: text and timeline put together again, every stamp from the record. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, get_args

import msgspec
from msgspec import Struct

from sparktui.core.delta import ServerFigures, TextKind
from sparktui.core.events import AnyEvent, Chunk, RunDone, RunStarted, Server, Usage
from sparktui.core.figures.chunkfigures import Chunks, timeline
from sparktui.core.figures.state import RunState
from sparktui.core.records import ChunkMark, RunRecord

# a stamp of 0 means "not stamped"
ORIGIN_NS = 1_000_000_000
BETWEEN_NS = 2_000_000_000
_KINDS: tuple[TextKind, ...] = get_args(TextKind)
_SHOWN_FOR_TEXT = "·"
_WORD = 7
# a file may claim anything
_LONGEST_S = 7 * 86_400.0


class Cue(NamedTuple):
    """An event and when it is due: nanoseconds since the recording began."""

    at_ns: int
    event: AnyEvent


class Recording(Struct, frozen=True, kw_only=True):
    """One or more runs on one clock. Events are stamped ORIGIN_NS + their time. `steps_ns`: when text lands."""

    cues: tuple[Cue, ...]
    length_ns: int
    steps_ns: tuple[int, ...]
    records: tuple[RunRecord, ...]


class NotReplayableError(ValueError):
    """The record lacks what a replay is made of; the text says what."""


def recording_of(records: Sequence[RunRecord], *, between_ns: int = BETWEEN_NS) -> Recording:
    """`records` one after the other, with a rest between them. Raises NotReplayableError for one without a timeline."""
    cues: list[Cue] = []
    at_ns = 0
    for number, record in enumerate(records):
        at_ns += between_ns if number else 0
        cues += _cues(record, at_ns)
        at_ns = cues[-1].at_ns
    steps = tuple(dict.fromkeys(cue.at_ns for cue in cues if isinstance(cue.event, Chunk)))
    return Recording(cues=tuple(cues), length_ns=at_ns, steps_ns=steps, records=tuple(records))


def as_streamed(record: RunRecord, state: RunState) -> RunRecord:
    """A record that travelled without its texts and timeline, with those of the stream that was seen as it came."""
    if record.timeline is not None or state.t_send_ns is None:
        return record
    since_ns = [t_ns - state.t_send_ns for t_ns in state.chunk_ns]
    chunks = Chunks(since_ns, state.chunk_kinds, state.chunk_characters, state.chunk_totals)
    marks = timeline(chunks, record.completion_tokens)
    return msgspec.structs.replace(
        record, text=state.text, reasoning=state.reasoning or None, tool_calls=state.tool_calls or None, timeline=marks
    )


def _cues(record: RunRecord, begin_ns: int) -> list[Cue]:
    marks = record.timeline
    if not marks:
        raise NotReplayableError("it has no timeline" if record.chunks or record.status == "ok" else "no text ever came")
    started = RunStarted(
        run_id=record.id, prompt=record.prompt, params=record.params, t_send_ns=ORIGIN_NS + begin_ns, started_at=record.started_at,
        label=record.label, bench_id=record.bench_id, run_no=record.run_no, warmup=record.warmup, connect_s=record.connect_s or 0.0,
        server=record.server, needle=record.needle, t_ns=ORIGIN_NS + begin_ns,
    )  # fmt: skip
    cues = [Cue(begin_ns, Server(state="ready", info=record.server, t_ns=ORIGIN_NS + begin_ns)), Cue(begin_ns, started)]
    cues += _chunk_cues(record, marks, begin_ns)
    last_ns = cues[-1].at_ns
    done_ns = max(last_ns, begin_ns + _ns(record.total_s or 0.0))
    figures = ServerFigures(prompt_tokens=record.prompt_tokens)
    cues.append(Cue(last_ns, Usage(run_id=record.id, figures=figures, t_ns=ORIGIN_NS + last_ns)))
    done = RunDone(
        run_id=record.id, status=record.status, record=record, finish_reason=record.finish_reason, error=record.error,
        t_ns=ORIGIN_NS + done_ns,
    )  # fmt: skip
    return [*cues, Cue(done_ns, done)]


def _chunk_cues(record: RunRecord, marks: Sequence[ChunkMark], begin_ns: int) -> Iterator[Cue]:
    """One chunk a mark (in parts where two kinds share it); its tokens are the record's, exact ones as the server's running count."""
    texts = _Texts(record)
    total = 0.0
    at_ns = begin_ns
    for n, mark in enumerate(marks, 1):
        at_ns = max(at_ns, begin_ns + _ns(mark.t_s))
        before, total = total, total + (mark.tokens if math.isfinite(mark.tokens) and mark.tokens > 0 else 0.0)
        parts = texts.take(mark, last=n == len(marks))
        for number, (kind, text) in enumerate(parts, 1):
            share = total - before if number == len(parts) else 0.0
            chunk = Chunk(run_id=record.id, n=n, kind=kind, text=text, t_ns=ORIGIN_NS + at_ns)
            if record.net_estimated or record.tokens_estimated:
                yield Cue(at_ns, msgspec.structs.replace(chunk, tokens_estimated=share))
            else:
                yield Cue(at_ns, msgspec.structs.replace(chunk, tokens_total=round(before + share)))


class _Texts:
    """The run's texts, cut by the timeline's character counts, each kind in its own order."""

    def __init__(self, record: RunRecord) -> None:
        kept: dict[TextKind, str | None] = {"content": record.text, "reasoning": record.reasoning, "tool": record.tool_calls}
        self._left: dict[TextKind, str] = {kind: kept[kind] or "" for kind in _KINDS}
        self._stand_in = not any(self._left.values())

    def take(self, mark: ChunkMark, *, last: bool) -> list[tuple[TextKind, str]]:
        """The text of one chunk. What a kind lacks comes from the others (a stream event may hold two); the last takes all that is left."""
        kind: TextKind = next((known for known in _KINDS if known == mark.kind), "content")
        if self._stand_in:
            return [(kind, _dots(mark.characters))]
        wanted = max(0, mark.characters)
        found: list[tuple[TextKind, str]] = []
        for name in (kind, *(other for other in _KINDS if other != kind)):
            text = self._left[name]
            cut = len(text) if last else wanted
            if text[:cut]:
                found.append((name, text[:cut]))
            self._left[name] = text[cut:]
            wanted -= min(wanted, len(text))
            if not wanted and not last:
                break
        return found or [(kind, "")]


def _dots(characters: int) -> str:
    """What stands for text that was not kept, in words that wrap."""
    return "".join(" " if n % _WORD == _WORD - 1 else _SHOWN_FOR_TEXT for n in range(max(0, characters)))


def _ns(seconds: float) -> int:
    return round(min(seconds, _LONGEST_S) * 1e9) if seconds > 0 else 0
