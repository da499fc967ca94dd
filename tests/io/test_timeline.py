"""The timeline column: small, and the same marks come back to the last bit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparktui.core.records import ChunkMark
from sparktui.errors import StorageError
from sparktui.io.store.timeline import pack_timeline, unpack_timeline

_MARKS = st.builds(
    ChunkMark,
    st.floats(min_value=0, max_value=1e5, allow_nan=False),
    st.sampled_from(["content", "reasoning", "tool"]),
    st.integers(0, 10**6),
    st.floats(min_value=0, max_value=1e6, allow_nan=False),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(_MARKS, max_size=30))
def test_any_marks_come_back(marks: list[ChunkMark]) -> None:
    assert unpack_timeline(pack_timeline(marks)) == tuple(marks)


def test_stamps_in_nanoseconds_come_back_exactly_and_take_little() -> None:
    stamps_ns = [1_080_123_457 + n * 290_123_457 + n * n % 9973 for n in range(2000)]
    marks = tuple(ChunkMark(stamp / 1e9, "content", 5 + n % 7, float(n % 24)) for n, stamp in enumerate(stamps_ns))
    packed = pack_timeline(marks)
    assert unpack_timeline(packed) == marks
    assert [round(mark.t_s * 1e9) for mark in unpack_timeline(packed)] == stamps_ns
    assert len(packed) < 20_000


def test_a_damaged_timeline_is_an_error_of_its_own() -> None:
    packed = pack_timeline([ChunkMark(1.0, "content", 4, 2.0)])
    with pytest.raises(StorageError, match="timeline"):
        unpack_timeline(packed[:-4])
    with pytest.raises(StorageError, match="timeline"):
        unpack_timeline(b"")
