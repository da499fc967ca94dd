"""What the screen remembers from one start to the next: the theme. A small JSON file in the data folder."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

import msgspec
from msgspec import Struct

from sparktui.errors import SparkError
from sparktui.io.atomic import write_atomic
from sparktui.io.paths import data_dir, ensure_dir

_NAME = "screen.json"


class ScreenState(Struct, frozen=True, omit_defaults=True):
    """`theme` "" = none was chosen. `over`: the configured theme it was chosen in place of."""

    theme: str = ""
    over: str = ""

    def theme_over(self, configured: str, available: Container[str]) -> str:
        """The theme to begin with: the chosen one, as long as the configuration still says what it said then and the theme exists."""
        return self.theme if self.theme in available and self.over == configured else configured


def load_screen_state(folder: Path | None = None) -> ScreenState:
    """What was remembered; nothing where the file is missing, damaged, or of another make."""
    try:
        return msgspec.json.decode(((folder or data_dir()) / _NAME).read_bytes(), type=ScreenState)
    except (OSError, msgspec.DecodeError):
        return ScreenState()


def remember_theme(name: str, over: str, folder: Path | None = None) -> bool:
    """Keep a theme, chosen in place of `over`, for the next start.

    False where the folder cannot be written (the choice then holds until the end).
    """
    state = msgspec.structs.replace(load_screen_state(folder), theme=name, over=over)
    try:
        ensure_dir(folder or data_dir())
        write_atomic((folder or data_dir()) / _NAME, msgspec.json.encode(state), force=True)
    except SparkError:
        return False
    return True
