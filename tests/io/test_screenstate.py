"""What the screen remembers between starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparktui.io.screenstate import ScreenState, load_screen_state, remember_theme

THEMES = ("gruvbox", "nord", "flexoki")


def test_nothing_is_remembered_at_first(tmp_path: Path) -> None:
    assert load_screen_state(tmp_path) == ScreenState()
    assert ScreenState().theme_over("gruvbox", THEMES) == "gruvbox"


def test_a_choice_is_kept_privately_and_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    assert remember_theme("nord", "gruvbox", folder)
    assert (folder / "screen.json").stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert load_screen_state(folder).theme_over("gruvbox", THEMES) == "nord"


def test_a_configuration_that_changed_since_speaks_last(tmp_path: Path) -> None:
    remember_theme("nord", "gruvbox", tmp_path)
    assert load_screen_state(tmp_path).theme_over("flexoki", THEMES) == "flexoki"


def test_a_theme_that_is_gone_is_not_asked_for(tmp_path: Path) -> None:
    remember_theme("dracula", "gruvbox", tmp_path)
    assert load_screen_state(tmp_path).theme_over("gruvbox", THEMES) == "gruvbox"


@pytest.mark.parametrize("damaged", [b"", b"{", b"[]", b'{"theme": 3}', b"\xff"])
def test_a_damaged_file_is_nothing_remembered(damaged: bytes, tmp_path: Path) -> None:
    (tmp_path / "screen.json").write_bytes(damaged)
    assert load_screen_state(tmp_path) == ScreenState()
    assert remember_theme("nord", "gruvbox", tmp_path)


def test_a_place_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not remember_theme("nord", "gruvbox", tmp_path / "file" / "data")
