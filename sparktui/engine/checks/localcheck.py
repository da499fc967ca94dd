"""The doctor's look at this machine: Python, config, data folder, and the server's log."""

from __future__ import annotations

import glob
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from sparktui import __version__
from sparktui.core.config import LogConfig
from sparktui.engine.checks.check import Check
from sparktui.errors import EXIT_RUN_FAILED, SparkError
from sparktui.io.config.configfile import LoadedConfig
from sparktui.io.config.consent import shown
from sparktui.io.paths import data_dir, ensure_dir
from sparktui.io.store.history import History
from sparktui.servers.grammar import LogReader

_TAIL_BYTES = 256 * 1024
_DAY_S = 86_400


def check_python() -> Iterator[Check]:
    """The interpreter and this program."""
    found = ".".join(str(part) for part in sys.version_info[:3])
    yield Check("python", "ok", f"Python {found}, sparktui {__version__}")


def check_config(loaded: LoadedConfig) -> Iterator[Check]:
    """Which file counts, and what is to be said about it."""
    where = f"{loaded.path}" if loaded.path else "no config file; every value is the default"
    yield Check("config", "ok", where)
    for note in loaded.notes:
        yield Check("config", "warn", note)
    if loaded.unconfirmed:
        commands = "; ".join(shown(loaded.unconfirmed))
        yield Check("config", "warn", f"commands left out: {commands}", "agree to them on the screen, or use --trust-config")
    if not loaded.config.server.tls.verify:
        yield Check("tls", "warn", "certificates are not verified", "server.tls.ca_file names a private authority instead")


def check_data_dir() -> Iterator[Check]:
    """The data folder and the history in it."""
    folder = data_dir()
    try:
        ensure_dir(folder)
        mode = folder.stat().st_mode & 0o777
        if mode & 0o077:
            yield Check("data folder", "warn", f"{folder} may be read by others (mode {mode:04o})", f"chmod 700 {folder}")
        with History.open() as history:
            text = f"{folder}, {history.count():,} runs" + (", read-only" if history.read_only else "")
            fix = "runs are not stored; set SPARKTUI_DATA_DIR to a folder that can be written" if history.read_only else ""
            yield Check("data folder", "warn" if history.read_only else "ok", text, fix)
            for note in history.notes:
                yield Check("history", "warn", note)
    except (SparkError, OSError) as error:
        title, hint = (error.title, error.hint) if isinstance(error, SparkError) else (str(error), "")
        yield Check("data folder", "fail", title, hint or "set SPARKTUI_DATA_DIR to a folder that can be written")


def check_log(log: LogConfig, kind: str) -> Iterator[Check]:
    """Whether the configured log can be followed and is understood. `kind`: the server's, "" = not known."""
    if log.command:
        found = shutil.which(log.command[0])
        if found is None:
            fix = "install it, or correct log.command"
            yield Check("log", "fail", f"log.command: there is no program {log.command[0]}", fix, EXIT_RUN_FAILED)
        else:
            yield Check("log", "ok", f"from the command {log.command[0]} ({found}); not started here")
    elif log.source == "-":
        yield Check("log", "ok", "from standard input")
    elif log.source or log.tabbyapi_dir:
        yield _file_check(log.source or str(Path(log.tabbyapi_dir or "") / "logs"))
    elif kind == "tabbyapi":
        fix = "log.tabbyapi_dir: its folder, so that draft acceptance is known (older versions tell it only there)"
        yield Check("log", "warn", "none is configured", fix)
    else:
        yield Check("log", "ok", "none is configured")


def _file_check(source: str) -> Check:
    path = _newest(Path(source).expanduser())
    if path is None:
        return Check("log", "fail", f"{source}: there is no such file, or no *.log in the folder", "check log.source")
    try:
        status = path.stat()
        if not path.is_file():
            return Check("log", "ok", f"{path} is a pipe; not read here")
        with path.open("rb") as file:
            file.seek(max(0, status.st_size - _TAIL_BYTES))
            tail = file.read(_TAIL_BYTES)
    except OSError as error:
        return Check("log", "fail", f"{path} cannot be read: {error.strerror}", "give this user the right to read it")
    reader = LogReader()
    reader.begin(mid_file=status.st_size > _TAIL_BYTES)
    records = [*reader.feed(tail), *reader.end()]
    generations = sum(record.generation is not None for record in records)
    age_s = max(0.0, time.time() - status.st_mtime)
    text = f"{path}, last written {_ago(age_s)}, {generations} generation records in its end"
    if not records or any(record.generation is not None or record.level for record in records):
        return Check("log", "ok", text)
    return Check("log", "warn", text, "its lines are not known: is it the log of the model server?")


def _newest(path: Path) -> Path | None:
    pattern = str(path / "*.log") if path.is_dir() else str(path)
    names = glob.iglob(pattern) if glob.has_magic(pattern) else [pattern]  # noqa: PTH207 - the pattern may be absolute
    found = [one for one in map(Path, names) if one.exists() and one.suffix not in {".zip", ".gz", ".bz2", ".xz", ".zst"}]
    return max(found, key=lambda one: one.stat().st_mtime, default=None)


def _ago(seconds: float) -> str:
    for size, unit in ((_DAY_S, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit} ago"
    return f"{seconds:.0f} s ago"
