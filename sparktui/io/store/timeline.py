"""The chunk timeline of a run as one compressed column, and back, without loss."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import accumulate

import msgspec

from sparktui.core.records import ChunkMark
from sparktui.errors import StorageError
from sparktui.io.store.inflate import inflate

_NANOSECONDS = b"n"
_SECONDS = b"s"

_Columns = tuple[list[int], list[str], list[int], list[int | float]]
_PlainColumns = tuple[list[float], list[str], list[int], list[int | float]]


def pack_timeline(marks: Sequence[ChunkMark]) -> bytes:
    """Columns of times, kinds, characters and tokens, compressed. Times are differences in whole nanoseconds where that is exact."""
    kinds = [mark.kind for mark in marks]
    characters = [mark.characters for mark in marks]
    tokens: list[int | float] = [int(mark.tokens) if mark.tokens == int(mark.tokens) else mark.tokens for mark in marks]
    stamps_ns = [round(mark.t_s * 1e9) for mark in marks]
    if all(stamp / 1e9 == mark.t_s for stamp, mark in zip(stamps_ns, marks, strict=True)):
        steps_ns = [stamp - before for before, stamp in zip([0, *stamps_ns], stamps_ns, strict=False)]
        return _NANOSECONDS + _deflate((steps_ns, kinds, characters, tokens))
    return _SECONDS + _deflate(([mark.t_s for mark in marks], kinds, characters, tokens))


def unpack_timeline(data: bytes) -> tuple[ChunkMark, ...]:
    """The marks that were packed. Raises StorageError where the column is damaged."""
    try:
        body = inflate(data[1:])
        if data[:1] == _NANOSECONDS:
            steps_ns, kinds, characters, tokens = msgspec.json.decode(body, type=_Columns)
            seconds = [stamp / 1e9 for stamp in accumulate(steps_ns)]
        else:
            seconds, kinds, characters, tokens = msgspec.json.decode(body, type=_PlainColumns)
    except (zlib.error, msgspec.DecodeError) as error:
        raise StorageError("The timeline of this run is damaged.", detail=str(error)) from error
    rows = zip(seconds, kinds, characters, tokens, strict=True)
    return tuple(ChunkMark(t_s, kind, length, float(amount)) for t_s, kind, length, amount in rows)


def _deflate(columns: _Columns | _PlainColumns) -> bytes:
    return zlib.compress(msgspec.json.encode(columns), 6)
