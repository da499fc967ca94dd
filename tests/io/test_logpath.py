"""A path as a log source, with and without the kernel's change events: file, folder, glob, FIFO, `~`, what is not there yet."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from sparktui.core.config import LogConfig
from sparktui.io.log.logopen import open_source
from sparktui.io.log.logpath import PathSource
from sparktui.io.log.logpipe import StdinSource
from sparktui.io.log.logwatch import wakeups
from tests.io.sources import running


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


@pytest.mark.parametrize("events", [True, False], ids=["events", "c11-silent-events"])
def test_a_file_is_followed(tmp_path: Path, events: bool) -> None:
    log = tmp_path / "x.log"
    log.write_bytes(b"old\n")
    with running(PathSource(str(log), events=events)) as source:
        assert source.until(lambda: source.text() == b"old\n")
        append(log, b"new\n")
        assert source.until(lambda: source.text() == b"old\nnew\n")
        log.rename(tmp_path / "x.log.1")
        append(log, b"third\n")
        assert source.until(lambda: source.text() == b"old\nnew\nthird\n")


def test_a_file_and_its_folder_that_come_later(tmp_path: Path) -> None:
    folder = tmp_path / "later"
    with running(PathSource(str(folder / "x.log"))) as source:
        assert source.until(lambda: source.states() == ["waiting"])
        folder.mkdir()
        append(folder / "x.log", b"here\n")
        assert source.until(lambda: source.text() == b"here\n")


def test_what_was_waited_for_as_a_file_may_become_a_folder(tmp_path: Path) -> None:
    place = tmp_path / "logs"
    with running(PathSource(str(place))) as source:
        assert source.until(lambda: source.states() == ["waiting"])
        place.mkdir()
        append(place / "a.log", b"inside\n")
        assert source.until(lambda: source.text() == b"inside\n")


def test_a_folder_and_a_glob_mean_their_newest_file(tmp_path: Path) -> None:
    append(tmp_path / "a.log", b"a\n")
    os.utime(tmp_path / "a.log", (1, 1))
    append(tmp_path / "b.log", b"b\n")
    for text in (str(tmp_path), str(tmp_path / "*.log")):
        with running(PathSource(text)) as source:
            assert source.until(lambda: source.text() == b"b\n")
            append(tmp_path / f"c{len(text)}.log", b"c\n")
            assert source.until(lambda: source.text() == b"b\nc\n")
        (tmp_path / f"c{len(text)}.log").unlink()


def test_a_folder_whose_name_looks_like_a_pattern(tmp_path: Path) -> None:
    odd = tmp_path / "logs[1]"
    odd.mkdir()
    append(odd / "x.log", b"x\n")
    with running(PathSource(str(odd))) as source:
        assert source.until(lambda: source.text() == b"x\n")


def test_a_fifo_outlives_its_writers(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    with running(PathSource(str(fifo))) as source:
        assert source.until(lambda: source.states() == ["following"])
        for word in (b"one\n", b"two\n"):
            append(fifo, word)
            assert source.until(lambda: source.text().endswith(word))  # noqa: B023
    assert source.text() == b"one\ntwo\n"


def test_home_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    append(tmp_path / "x.log", b"home\n")
    source = PathSource("~/x.log")
    assert source.shown == "~/x.log"
    with running(source) as followed:
        assert followed.until(lambda: followed.text() == b"home\n")
    assert PathSource("~nobody-of-that-name/x.log").shown == "~nobody-of-that-name/x.log"


def test_a_socket_is_refused_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s")
        with running(PathSource("s")) as source:
            assert source.until(lambda: source.states() == ["denied"])


def test_stdin_ends() -> None:
    read_end, write_end = os.pipe()
    with running(StdinSource(read_end)) as source:
        os.write(write_end, b"one\n")
        assert source.until(lambda: source.text() == b"one\n")
        os.close(write_end)
        assert source.until(lambda: source.states() == ["following", "ended"])
    os.close(read_end)


def test_wake_ups_come_without_a_folder_and_without_events(tmp_path: Path) -> None:
    stop = threading.Event()
    ticks = wakeups(tmp_path / "none", stop)
    assert next(ticks) is None
    assert next(ticks) is None
    stop.set()
    assert list(ticks) == []


def test_a_folder_that_cannot_be_watched_is_polled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import watchfiles

    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr(watchfiles, "watch", refuse)
    stop = threading.Event()
    ticks = wakeups(tmp_path, stop)
    assert [next(ticks), next(ticks)] == [None, None]
    stop.set()
    assert list(ticks) == []


def test_the_configured_source() -> None:
    assert open_source(LogConfig()) is None
    assert isinstance(open_source(LogConfig(source="-")), StdinSource)
    assert open_source(LogConfig(source="~/x.log", tabbyapi_dir="/srv/tabby")).shown == "~/x.log"  # type: ignore[union-attr]
    assert open_source(LogConfig(tabbyapi_dir="/srv/tabby")).shown == "/srv/tabby/logs"  # type: ignore[union-attr]
    command = open_source(LogConfig(command=("docker", "logs", "-f", "my tabby"), source="x"))
    assert command is not None
    assert command.shown == "docker logs -f 'my tabby'"
