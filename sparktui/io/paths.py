"""Where sparktui keeps its own files: the user data folder, or SPARKTUI_DATA_DIR. Folders are 0700, files 0600."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from sparktui.errors import StorageError

DATA_DIR_VARIABLE = "SPARKTUI_DATA_DIR"
FOLDER_MODE = 0o700
FILE_MODE = 0o600


def data_dir(env: Mapping[str, str] | None = None) -> Path:
    """The data folder, which may not exist yet. SPARKTUI_DATA_DIR (with ~ expanded) comes before the user data folder of the system."""
    chosen = (os.environ if env is None else env).get(DATA_DIR_VARIABLE, "").strip()
    if chosen:
        return Path(chosen).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir("sparktui", appauthor=False))


def history_path(env: Mapping[str, str] | None = None) -> Path:
    """The history database."""
    return data_dir(env) / "history.sqlite3"


def journal_dir(env: Mapping[str, str] | None = None) -> Path:
    """The folder of session journals, one `SESSION.jsonl` each."""
    return data_dir(env) / "journals"


def journal_path(session: str, env: Mapping[str, str] | None = None) -> Path:
    """The journal of `session`."""
    return journal_dir(env) / f"{session}.jsonl"


def worker_log_dir(env: Mapping[str, str] | None = None) -> Path:
    """The folder of the worker's own diagnostics."""
    return data_dir(env) / "logs"


def ensure_dir(path: Path) -> Path:
    """Make `path`, and what is missing above it, with mode 0700, and return it. Raises StorageError where that cannot be done."""
    if path.is_dir():
        return path
    if path.parent != path:
        ensure_dir(path.parent)
    try:
        path.mkdir(exist_ok=True, mode=FOLDER_MODE)
        path.chmod(FOLDER_MODE)
    except OSError as error:
        raise StorageError(
            f"The folder {path} cannot be made: {error.strerror or error}.",
            hint=f"Set {DATA_DIR_VARIABLE} to a folder that can be written to.",
        ) from error
    return path


def create_private(path: Path) -> None:
    """Make an empty file of mode 0600 where there is none, so that nothing is ever readable by others, not even for a moment.

    One that is there is not even opened: closing a file ends all POSIX locks that this process holds on it, SQLite's too.
    Raises OSError.
    """
    if path.exists():
        return
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, FILE_MODE))
