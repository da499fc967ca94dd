"""What is written down when the program itself fails: the traceback without any variable's value, and what it ran on."""

from __future__ import annotations

import os
import platform
import sys
import time
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path

from sparktui import __version__
from sparktui.core.scrub import mask_secrets
from sparktui.errors import StorageError
from sparktui.io.paths import create_private, data_dir, ensure_dir


def write_crash_report(
    error: BaseException, command: str, secrets: Iterable[str] = (), env: Mapping[str, str] | None = None
) -> Path | None:
    """Write a report into the data folder and return its path; None when that is not possible.

    Keys in `secrets` and in SPARKTUI_*KEY* variables are masked, should a message quote one.
    """
    environment = os.environ if env is None else env
    known = [*secrets, *(value for name, value in environment.items() if "KEY" in name.upper() and len(value) > 3)]
    text = mask_secrets(crash_text(error, command), tuple(known))
    try:
        folder = ensure_dir(ensure_dir(data_dir(env)) / "crashes")
        path = folder / f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
        create_private(path)
        path.write_text(text, encoding="utf-8", errors="replace")
    except (OSError, StorageError):
        return None
    return path


def crash_text(error: BaseException, command: str) -> str:
    """Version, system and traceback; source lines but no values."""
    head = f"sparktui {__version__}, command {command}\nPython {sys.version.split()[0]} on {platform.system()} {platform.machine()}\n\n"
    return head + "".join(traceback.TracebackException.from_exception(error, capture_locals=False).format())
