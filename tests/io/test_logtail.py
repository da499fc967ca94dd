"""A file followed by name: every way in which logs are rotated, emptied, deleted and damaged."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sparktui.io.log.logsource import TAIL_BYTES, Begin, Data, Item, Status
from sparktui.io.log.logtail import FileTail


class Follower:
    """A tail polled by hand, on a clock that stands still unless told."""

    def __init__(self, path: Path, start: int | None = None) -> None:
        self.now = 0.0
        self.tail = FileTail(path, start=start, clock=lambda: self.now)
        self.items: list[Item] = []

    def poll(self) -> bytes:
        """New bytes of one poll (repeated while there is more)."""
        before = len(self.items)
        more = True
        while more:
            items, more = self.tail.poll()
            self.items += items
        return b"".join(item.data for item in self.items[before:] if isinstance(item, Data))

    @property
    def states(self) -> list[str]:
        return [item.state for item in self.items if isinstance(item, Status)]

    @property
    def begins(self) -> list[Begin]:
        return [item for item in self.items if isinstance(item, Begin)]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "tabby.log"


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_what_is_appended_is_read_once(log: Path) -> None:
    log.write_bytes(b"old\n")
    follower = Follower(log)
    assert follower.poll() == b"old\n"
    assert follower.poll() == b""
    append(log, b"new\n")
    assert follower.poll() == b"new\n"
    assert [item.live for item in follower.items if isinstance(item, Data)] == [False, True]
    assert follower.states == ["following"]


def test_c01_renamed_the_old_file_is_read_to_its_end_first(log: Path) -> None:
    append(log, b"one\n")
    follower = Follower(log)
    got = follower.poll()
    log.rename(log.with_suffix(".log.1"))
    append(log.with_suffix(".log.1"), b"two\n")
    append(log, b"three\n")
    got += follower.poll()
    assert got == b"one\ntwo\nthree\n"
    assert follower.states == ["following", "switched", "following"]
    assert follower.poll() == b""


def test_renamed_with_an_empty_successor_the_old_file_is_followed_until_the_writer_changes(log: Path) -> None:
    append(log, b"one\n")
    follower = Follower(log)
    follower.poll()
    old = log.rename(log.with_suffix(".log.1"))
    log.touch()
    assert follower.poll() == b""
    append(old, b"two\n")
    assert follower.poll() == b"two\n"
    append(old, b"three\n")
    append(log, b"four\n")
    assert follower.poll() == b"three\nfour\n"


def test_an_empty_successor_is_taken_after_a_second(log: Path) -> None:
    append(log, b"one\n")
    follower = Follower(log)
    follower.poll()
    log.rename(log.with_suffix(".log.1"))
    log.touch()
    follower.poll()
    follower.now = 2.0
    follower.poll()
    assert follower.states[-2:] == ["switched", "following"]


def test_c02_truncated_and_written_anew(log: Path) -> None:
    append(log, b"old old old\n" * 9)
    follower = Follower(log)
    follower.poll()
    log.write_bytes(b"new1\n")
    assert follower.poll() == b"new1\n"
    assert follower.states == ["following", "truncated", "following"]
    assert not follower.begins[-1].keep_partial


def test_c02_truncated_and_regrown_past_the_old_offset_between_two_looks(log: Path) -> None:
    append(log, b"old old old\n" * 9)
    follower = Follower(log)
    follower.poll()
    log.write_bytes(b"n2\n" * 200)
    assert follower.poll() == b"n2\n" * 200
    assert "truncated" in follower.states


def test_regrown_to_exactly_the_old_size(log: Path) -> None:
    append(log, b"aaaa\n")
    follower = Follower(log)
    follower.poll()
    log.write_bytes(b"bbbb\n")
    os.utime(log, ns=(time.time_ns(), time.time_ns() + 1_000_000))
    assert follower.poll() == b"bbbb\n"


def test_regrown_with_the_same_first_lines(log: Path) -> None:
    header = b"the same banner of the server at every start, longer than a signature ...\n"
    append(log, header + b"first run\n")
    follower = Follower(log)
    follower.poll()
    log.write_bytes(header + b"second run, longer than the first\n")
    assert follower.poll() == header + b"second run, longer than the first\n"


def test_a_writer_that_goes_on_at_its_old_offset_after_a_truncation_leaves_a_hole(log: Path) -> None:
    with log.open("wb", buffering=0) as writer:
        writer.write(b"x" * 9_999 + b"\n")
        follower = Follower(log)
        follower.poll()
        os.truncate(log, 0)
        writer.write(b"after the hole\n")
        assert follower.poll().lstrip(b"\0") == b"after the hole\n"
    assert "truncated" in follower.states


def test_deleted_and_made_again(log: Path) -> None:
    append(log, b"one\n")
    follower = Follower(log)
    follower.poll()
    log.unlink()
    follower.poll()
    assert follower.states[-1] == "waiting"
    append(log, b"two\n")
    assert follower.poll() == b"two\n"
    assert follower.states[-1] == "following"
    assert all(item.live for item in follower.items if isinstance(item, Data) and item.data == b"two\n")


def test_c12_not_there_yet_then_read_from_its_start(log: Path) -> None:
    follower = Follower(log)
    follower.poll()
    follower.poll()
    assert follower.states == ["waiting"]
    append(log, b"first\n")
    assert follower.poll() == b"first\n"
    assert [item.live for item in follower.items if isinstance(item, Data)] == [True]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_c12_no_permission_is_a_state_and_is_tried_again(log: Path) -> None:
    append(log, b"secret\n")
    log.chmod(0)
    follower = Follower(log)
    follower.poll()
    assert follower.states == ["denied"]
    log.chmod(0o600)
    assert follower.poll() == b"secret\n"


def test_no_permission_says_so(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append(log, b"x\n")

    def refuse(*_: object, **__: object) -> int:
        raise PermissionError

    follower = Follower(log)
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refuse)
        follower.poll()
        follower.poll()
    assert [(item.state, item.reason) for item in follower.items if isinstance(item, Status)] == [
        ("denied", "no permission to read tabby.log")
    ]
    assert follower.poll() == b"x\n"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    follower = Follower(tmp_path)
    follower.poll()
    assert follower.states == ["waiting"]


def test_a_long_file_is_joined_256_kb_before_its_end_at_the_start_of_a_line(log: Path) -> None:
    log.write_bytes(b"".join(b"line %07d\n" % number for number in range(100_000)))
    follower = Follower(log)
    got = follower.poll()
    assert TAIL_BYTES - 20 < len(got) <= TAIL_BYTES
    assert got.startswith(b"line 0")
    assert got.endswith(b"line 0099999\n")
    assert follower.begins == [Begin(mid_file=True)]


def test_c15_a_huge_sparse_file_opens_at_once_and_its_last_line_is_found(log: Path) -> None:
    log.touch()
    os.truncate(log, 4 << 30)
    append(log, b"the last line\n")
    follower = Follower(log)
    began = time.process_time()
    assert follower.poll() == b"the last line\n"
    assert time.process_time() - began < 0.2


def test_from_the_start_when_asked(log: Path) -> None:
    log.write_bytes(b"x" * (TAIL_BYTES * 2) + b"\nend\n")
    follower = Follower(log, start=0)
    assert len(follower.poll()) == TAIL_BYTES * 2 + 5
    assert follower.begins == [Begin(mid_file=False)]


def test_a_big_burst_is_read_whole_in_bounded_steps(log: Path) -> None:
    log.touch()
    follower = Follower(log)
    follower.poll()
    append(log, b"0123456789abcde\n" * 600_000)
    items, more = follower.tail.poll()
    assert more
    first = sum(len(item.data) for item in items if isinstance(item, Data))
    assert first < 5 << 20
    assert first + len(follower.poll()) == 16 * 600_000


def test_draining_reads_to_the_end(log: Path) -> None:
    log.write_bytes(b"a\n")
    follower = Follower(log)
    follower.poll()
    append(log, b"b\n" * 3_000_000)
    assert sum(len(item.data) for item in follower.tail.drain() if isinstance(item, Data)) == 6_000_000
    follower.tail.close()
    follower.tail.close()
