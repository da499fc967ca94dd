"""What the screen remembers from one start to the next: the theme. A small JSON file in the data folder."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from sparktui.errors import SparkError
from sparktui.io.atomic import write_atomic
from sparktui.io.paths import data_dir

_NAME = "screen.json"


class ScreenState(Struct, frozen=True, omit_defaults=True):
    """`theme` "" = none was chosen."""

    theme: str = ""


def load_screen_state(folder: Path | None = None) -> ScreenState:
    """What was remembered; nothing where the file is missing, damaged, or of another make."""
    try:
        return msgspec.json.decode(((folder or data_dir()) / _NAME).read_bytes(), type=ScreenState)
    except (OSError, msgspec.DecodeError):
        return ScreenState()


def remember_theme(name: str, folder: Path | None = None) -> bool:
    """Keep a theme for the next start; False where the folder cannot be written (the choice then holds until the end)."""
    state = msgspec.structs.replace(load_screen_state(folder), theme=name)
    try:
        write_atomic((folder or data_dir()) / _NAME, msgspec.json.encode(state), force=True)
    except SparkError:
        return False
    return True
