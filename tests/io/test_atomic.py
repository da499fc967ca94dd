"""Exports that are whole or not there, and paths that are found unwritable before anything is measured."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sparktui.errors import StorageError, UsageError
from sparktui.io import atomic
from sparktui.io.atomic import check_writable, safe_name, write_atomic


def test_a_file_is_written_whole_and_private(tmp_path: Path) -> None:
    path = write_atomic(tmp_path / "new" / "folder" / "runs.md", b"hello\n")
    assert path.read_bytes() == b"hello\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["runs.md"]


def test_e07_an_existing_file_is_replaced_only_by_force(tmp_path: Path) -> None:
    path = tmp_path / "runs.md"
    path.write_text("old")
    for attempt in (lambda: check_writable(path), lambda: write_atomic(path, b"new")):
        with pytest.raises(UsageError, match="exists already") as caught:
            attempt()
        assert "--force" in caught.value.hint
    assert path.read_text() == "old"
    write_atomic(path, b"new", force=True)
    assert path.read_text() == "new"


def test_a_file_that_appears_between_check_and_write_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "runs.md"
    real = atomic._write_synced

    def appears(temporary: Path, data: bytes) -> None:
        real(temporary, data)
        path.write_text("somebody else's")

    monkeypatch.setattr(atomic, "_write_synced", appears)
    with pytest.raises(UsageError, match="exists already"):
        write_atomic(path, b"new")
    assert path.read_text() == "somebody else's"
    assert [file.name for file in tmp_path.iterdir()] == ["runs.md"]


def test_e07_a_folder_and_an_impossible_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        check_writable(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be made"):
        check_writable(tmp_path / "file" / "runs.md")


def test_e07_home_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert check_writable("~/out/runs.md") == tmp_path / "out" / "runs.md"
    assert write_atomic("~/out/runs.md", b"x").read_bytes() == b"x"


def test_checking_leaves_nothing_behind(tmp_path: Path) -> None:
    check_writable(tmp_path / "runs.md")
    assert list(tmp_path.iterdir()) == []


def test_a_link_keeps_being_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "runs.md").write_text("old")
    (tmp_path / "link.md").symlink_to(tmp_path / "real" / "runs.md")
    write_atomic(tmp_path / "link.md", b"new", force=True)
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "real" / "runs.md").read_text() == "new"


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
def test_e04_dev_full_is_a_storage_error() -> None:
    with pytest.raises(StorageError, match="No space left"):
        write_atomic("/dev/full", b"x")


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_e07_a_place_where_nothing_can_be_made() -> None:
    with pytest.raises(StorageError, match="cannot be written"):
        check_writable("/proc/runs.md")


def test_a_device_is_written_in_place() -> None:
    assert write_atomic("/dev/null", b"x") == Path("/dev/null")


@pytest.mark.parametrize("step", ["write", "rename"])
def test_e04_the_old_file_stays_whole_when_the_disk_fills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    path = tmp_path / "runs.md"
    path.write_text("old")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if step == "write":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(StorageError, match="No space left") as caught:
        write_atomic(path, b"new" * 1000, force=True)
    assert "history" in caught.value.hint
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["runs.md"]


def test_e04_a_file_size_limit_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.md"
    path.write_text("old")
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from sparktui.errors import StorageError\nfrom sparktui.io.atomic import write_atomic\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n    write_atomic(sys.argv[1], b'x' * 5000, force=True)\nexcept StorageError as error:\n    print(error.title)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False
    )
    assert "cannot be written" in done.stdout, done.stderr
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["runs.md"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("org/model:tag", "org-model-tag"),
        ("../../etc/passwd", "etc-passwd"),
        ("a b\n\x00c", "a-b-c"),
        ("...", "run"),
        ("", "run"),
        ("Größe-1.0+q4", "Größe-1.0+q4"),
        ("x" * 300, "x" * 80),
    ],
)
def test_e07_default_names_hold_nothing_a_file_name_must_not(name: str, expected: str) -> None:
    assert safe_name(name) == expected
