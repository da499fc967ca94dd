"""Where our files are, and that nobody else can read them."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from sparktui.errors import StorageError
from sparktui.io import paths


def test_the_variable_comes_first_and_home_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert paths.data_dir({"SPARKTUI_DATA_DIR": "~/spark"}) == tmp_path / "spark"
    assert paths.history_path({"SPARKTUI_DATA_DIR": "/d"}) == Path("/d/history.sqlite3")
    assert paths.journal_path("s1", {"SPARKTUI_DATA_DIR": "/d"}) == Path("/d/journals/s1.jsonl")
    assert paths.worker_log_dir({"SPARKTUI_DATA_DIR": "/d"}) == Path("/d/logs")


def test_without_it_the_users_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert paths.data_dir({}).is_relative_to(tmp_path)
    assert paths.data_dir({"SPARKTUI_DATA_DIR": " "}).name == "sparktui"


def test_a_relative_folder_is_taken_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert paths.data_dir({"SPARKTUI_DATA_DIR": "data"}) == tmp_path / "data"


def test_folders_are_private_and_existing_ones_left_as_they_are(tmp_path: Path) -> None:
    made = paths.ensure_dir(tmp_path / "a" / "b")
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    tmp_path.chmod(0o755)
    assert stat.S_IMODE(paths.ensure_dir(tmp_path).stat().st_mode) == 0o755


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError) as caught:
        paths.ensure_dir(tmp_path / "file" / "data")
    assert "SPARKTUI_DATA_DIR" in caught.value.hint
