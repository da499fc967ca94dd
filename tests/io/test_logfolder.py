"""The newest log of a folder, and when it changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sparktui.io.log.logfolder import NewestTail
from sparktui.io.log.logsource import Data, Item, Status


class Follower:
    def __init__(self, pattern: str) -> None:
        self.now = 0.0
        self.tail = NewestTail(pattern, clock=lambda: self.now)
        self.items: list[Item] = []

    def poll(self) -> bytes:
        self.now += 2.5
        items, _ = self.tail.poll()
        self.items += items
        return b"".join(item.data for item in items if isinstance(item, Data))

    @property
    def states(self) -> list[str]:
        return [item.state for item in self.items if isinstance(item, Status)]


def write(path: Path, data: bytes, mtime_s: int) -> Path:
    with path.open("ab") as file:
        file.write(data)
    os.utime(path, (mtime_s, mtime_s))
    return path


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder


def test_c23_the_newest_log_is_followed_and_packed_ones_are_ignored(logs: Path) -> None:
    write(logs / "2030-01-01_00-00-00_000000.log", b"old\n", 1000)
    write(logs / "2030-01-02_00-00-00_000000.log", b"newer\n", 2000)
    write(logs / "2030-01-03_00-00-00_000000.log.zip", b"PK", 3000)
    follower = Follower(str(logs / "*.log"))
    assert follower.poll() == b"newer\n"
    write(logs / "2030-01-04_00-00-00_000000.zip", b"PK", 4000)
    assert follower.poll() == b""


def test_c23_a_file_that_appears_is_changed_to_after_the_old_ones_end(logs: Path) -> None:
    first = write(logs / "a.log", b"one\n", 1000)
    follower = Follower(str(logs / "*.log"))
    assert follower.poll() == b"one\n"
    write(first, b"two\n", 1001)
    write(logs / "b.log", b"three\n", 1002)
    assert follower.poll() == b"two\nthree\n"
    assert follower.states == ["following", "switched", "following"]
    assert [item.live for item in follower.items if isinstance(item, Data)] == [False, True, True]


def test_two_writers_in_one_folder_do_not_make_it_change_to_and_fro(logs: Path) -> None:
    mine = write(logs / "a.log", b"a1\n", 1001)
    other = write(logs / "b.log", b"b1\n", 1000)
    follower = Follower(str(logs / "*.log"))
    got = follower.poll()
    for step in range(5):
        write(other, b"b\n", 1010 + step)
        write(mine, b"a\n", 1005 + step)
        got += follower.poll()
    assert got == b"a1\n" + b"a\n" * 5


def test_after_ten_silent_seconds_a_file_that_grows_is_taken_from_where_it_was(logs: Path) -> None:
    write(logs / "a.log", b"a1\n", 1001)
    other = write(logs / "b.log", b"b1\n", 1000)
    follower = Follower(str(logs / "*.log"))
    follower.poll()
    for _ in range(5):
        follower.poll()
    write(other, b"b2\n", 1020)
    assert follower.poll() == b"b2\n"


def test_the_rotated_name_of_the_followed_file_is_no_new_file(logs: Path) -> None:
    mine = write(logs / "x.log", b"one\n", 1000)
    follower = Follower(str(logs / "*.log"))
    assert follower.poll() == b"one\n"
    write(mine.rename(logs / "x.2030-01-01.log"), b"two\n", 1001)
    assert follower.poll() == b"two\n"
    write(logs / "x.log", b"three\n", 1002)
    assert follower.poll() == b"three\n"
    assert follower.poll() == b""


def test_an_empty_folder_is_waited_for_and_its_first_file_read_from_its_start(logs: Path) -> None:
    follower = Follower(str(logs / "*.log"))
    assert follower.poll() == b""
    assert follower.poll() == b""
    assert follower.states == ["waiting"]
    write(logs / "a.log", b"first\n", 1000)
    assert follower.poll() == b"first\n"
    assert [item.live for item in follower.items if isinstance(item, Data)] == [True]
    follower.tail.close()


def test_a_folder_that_does_not_exist_is_waited_for(tmp_path: Path) -> None:
    follower = Follower(str(tmp_path / "none" / "*.log"))
    follower.poll()
    assert follower.states == ["waiting"]
    follower.tail.close()
