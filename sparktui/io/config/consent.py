"""Commands in a config that lies in the current folder run only after the user agreed once: any cloned folder may bring such a file."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from pathlib import Path

import msgspec

from sparktui.core.config import Config
from sparktui.io.paths import data_dir, ensure_dir


def commands_of(config: Config) -> tuple[tuple[str, ...], ...]:
    """Every command the config may start: the log's, and those of a sweep."""
    sweep = config.sweep
    variants = (variant.command for variant in sweep.variants if variant.command)
    return tuple(command for command in (config.log.command, *variants, sweep.restore.command) if command)


def shown(commands: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """The commands as one would type them."""
    return tuple(shlex.join(command) for command in commands)


def without_commands(config: Config) -> Config:
    """The config with the log command, the sweep variants that run one, and the sweep's last command left out."""
    replace = msgspec.structs.replace
    variants = tuple(variant for variant in config.sweep.variants if not variant.command)
    sweep = replace(config.sweep, variants=variants, restore=replace(config.sweep.restore, command=None))
    return replace(config, log=replace(config.log, command=()), sweep=sweep)


def has_agreed(path: Path, commands: tuple[tuple[str, ...], ...]) -> bool:
    """Whether the user agreed to exactly these commands from this file."""
    return _stored().get(str(path.resolve())) == _digest(commands)


def agree(path: Path, commands: tuple[tuple[str, ...], ...]) -> None:
    """Remember that the user agreed. Raises OSError or StorageError when the data folder cannot be written."""
    store = ensure_dir(data_dir()) / "trusted.json"
    agreed = {**_stored(), str(path.resolve()): _digest(commands)}
    draft = store.with_name(f"trusted.{os.getpid()}.tmp")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(agreed, file, indent=1)
    draft.replace(store)


def _digest(commands: tuple[tuple[str, ...], ...]) -> str:
    return hashlib.sha256(json.dumps(commands).encode()).hexdigest()


def _stored() -> dict[str, str]:
    try:
        return msgspec.json.decode((data_dir() / "trusted.json").read_bytes(), type=dict[str, str])
    except (OSError, msgspec.MsgspecError):
        return {}
