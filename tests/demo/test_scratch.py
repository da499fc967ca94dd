from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sparktui.demo.scratch import Scratch, remove_forgotten
from sparktui.errors import StorageError

KILLED = """
import os, signal
from sparktui.demo.scratch import Scratch
scratch = Scratch()
(scratch.path / "server.log").write_text("x")
print(scratch.path, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def temp_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_a_folder_is_private_and_goes(temp_folder: Path) -> None:
    scratch = Scratch()
    assert scratch.path.parent == temp_folder
    assert scratch.path.stat().st_mode & 0o777 == 0o700
    (scratch.path / "server.log").write_text("x")
    scratch.remove()
    scratch.remove()
    assert not scratch.path.exists()


def test_what_a_killed_owner_left_goes_and_what_is_held_stays(temp_folder: Path) -> None:
    held = Scratch()
    left = Path(subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, check=False).stdout.strip())
    assert (left / "server.log").exists()
    assert remove_forgotten(0.0) == 1
    assert not left.exists()
    assert held.path.exists()
    held.remove()


def test_a_young_folder_is_let_alone(temp_folder: Path) -> None:
    young = temp_folder / "sparktui-demo-young"
    young.mkdir()
    assert remove_forgotten() == 0
    os.utime(young, (1, 1))
    assert remove_forgotten() == 1


def test_links_files_and_other_names_are_let_alone(temp_folder: Path) -> None:
    kept = temp_folder / "kept"
    kept.mkdir()
    (temp_folder / "sparktui-demo-link").symlink_to(kept)
    (temp_folder / "sparktui-demo-file").write_text("x")
    assert remove_forgotten(0.0) == 0
    assert len(list(temp_folder.iterdir())) == 3


def test_no_folder_can_be_made(temp_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(temp_folder / "not-there"))
    with pytest.raises(StorageError, match="demo server's log"):
        Scratch()
    assert remove_forgotten() == 0
