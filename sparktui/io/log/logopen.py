"""The log source a configuration asks for."""

from __future__ import annotations

from pathlib import Path

from sparktui.core.config import LogConfig
from sparktui.io.log.logcommand import CommandSource
from sparktui.io.log.logpath import PathSource
from sparktui.io.log.logpipe import StdinSource
from sparktui.io.log.logsource import LogSource


def open_source(config: LogConfig) -> LogSource | None:
    """The source of `log:` in the config: the command if there is one, else `source` (file, folder, glob, FIFO, `-`), else TabbyAPI's
    own `logs` folder below `tabbyapi_dir`; None when nothing is configured. Nothing is opened here."""
    if config.command:
        return CommandSource(config.command)
    if config.source:
        return StdinSource() if config.source == "-" else PathSource(config.source)
    if config.tabbyapi_dir:
        return PathSource(str(Path(config.tabbyapi_dir) / "logs"))
    return None
