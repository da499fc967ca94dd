"""config.yml, the environment and the options → one Config, with each value's origin. Safe to call again (live reload)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct, field

from sparktui.core.config import Config, leaves
from sparktui.core.nearest import did_you_mean
from sparktui.errors import ConfigError
from sparktui.io.config import consent
from sparktui.io.config.configchecks import check
from sparktui.io.config.configplace import Place, find_config
from sparktui.io.config.keys import clean_key, mode_note, read_key_file
from sparktui.io.config.numbers import ABSENT, number

ENVIRONMENT: Mapping[str, str] = {
    "SPARKTUI_BASE_URL": "server.base_url",
    "SPARKTUI_KIND": "server.kind",
    "SPARKTUI_MODEL": "server.model",
    "SPARKTUI_API_KEY": "server.api_key",
    "SPARKTUI_ADMIN_KEY": "server.admin_key",
    "SPARKTUI_LOG": "log.source",
}
"""Variables that set one value each; an empty one counts as unset."""

SECRET_PATHS = ("server.api_key", "server.admin_key")
_PATHS = ("server.api_key_file", "server.tls.ca_file", "log.source", "log.tabbyapi_dir")


class Override(Struct, frozen=True):
    """A value that beats config and environment. `origin` is what a person typed (`option --model`)."""

    value: Any
    origin: str = "option"


class LoadedConfig(Struct, frozen=True, kw_only=True):
    """What counts now. `config.server.api_key` is ready for use (read from its file, checked); paths are absolute.

    `origins`: dotted key → `default`, `config.yml:12`, `environment NAME` or `option --name`. `notes`: sentences worth showing once.
    `unconfirmed`: commands of a config found in the current folder that are left out until the user agrees (io.consent).
    """

    config: Config
    origins: dict[str, str]
    path: Path | None = None
    notes: tuple[str, ...] = ()
    unconfirmed: tuple[tuple[str, ...], ...] = ()
    secrets: tuple[str, ...] = field(default=())


def load_config(
    path: Path | None,
    env: Mapping[str, str],
    overrides: Mapping[str, Override] | None = None,
    *,
    cwd: Path | None = None,
    trust: bool = False,
) -> LoadedConfig:
    """Read the config file that counts (`path` names one) and lay environment and `overrides` (dotted key → value) over it.

    `trust`: commands of a config in the current folder may run. Raises ConfigError at file:line:column, never with a value in it.
    """
    here = cwd or Path.cwd()
    place = find_config(path, env, here)
    loading = _Loading(place, env)
    values = loading.values
    folder = place.path.parent if place else here
    _absolute(values, folder)
    laid = {ENVIRONMENT[name]: Override(env[name], f"environment {name}") for name in ENVIRONMENT if env.get(name)}
    for key, override in {**laid, **(overrides or {})}.items():
        _put(values, key, _typed(key, override))
        loading.origins[key] = override.origin
    _absolute(values, here)
    config = _with_keys(msgspec.convert(values, Config), loading)
    check(config, loading.where)
    config, unconfirmed = _confirmed(config, place, trust=trust)
    return LoadedConfig(
        config=config,
        origins={key: loading.origin(key) for key, _ in leaves(config)},
        path=place.path if place else None,
        notes=tuple(loading.notes),
        unconfirmed=unconfirmed,
        secrets=tuple(key for key in (config.server.api_key, config.server.admin_key) if key),
    )


class _Loading:
    """What is known of one configuration while it is put together: the file's values, and where each value came from."""

    def __init__(self, place: Place | None, env: Mapping[str, str]) -> None:
        self.origins: dict[str, str] = {}
        self.notes: list[str] = []
        self.shown = place.path.name if place and place.from_cwd else str(place.path) if place else ""
        self.values: dict[str, Any] = {}
        self.lines: dict[str, int] = {}
        if place is not None:
            # here, because a YAML parser is a good part of the start of somebody who has no file
            from sparktui.io.config.filevalues import read_file

            self.values, self.lines, self.notes = read_file(place.path, self.shown, env, SECRET_PATHS)

    def where(self, key: str) -> str:
        """`file:line` of a key, the override that set it, or the file."""
        if key in self.origins:
            return self.origins[key]
        line = self.lines.get(key)
        return f"{self.shown}:{line}" if line else self.shown or "config"

    def origin(self, key: str) -> str:
        if key in self.origins:
            return self.origins[key]
        return self.where(key) if key in self.lines else "default"


def _with_keys(config: Config, loading: _Loading) -> Config:
    """The config with its keys checked, and the API key read from its file when none is given otherwise."""
    server = config.server
    api_key = clean_key(server.api_key or "", loading.where("server.api_key"))
    admin_key = clean_key(server.admin_key or "", loading.where("server.admin_key"))
    if api_key is None and server.api_key_file:
        file = Path(server.api_key_file)
        api_key = read_key_file(file)
        loading.origins["server.api_key"] = f"file {file}"
        if api_key and (note := mode_note(file)):
            loading.notes.append(note)
    return msgspec.structs.replace(config, server=msgspec.structs.replace(server, api_key=api_key, admin_key=admin_key))


def _confirmed(config: Config, place: Place | None, *, trust: bool) -> tuple[Config, tuple[tuple[str, ...], ...]]:
    commands = consent.commands_of(config)
    if not commands or trust or place is None or not place.from_cwd or consent.has_agreed(place.path, commands):
        return config, ()
    return consent.without_commands(config), commands


def _absolute(values: dict[str, Any], folder: Path) -> None:
    """Make every path in `values` absolute, in place: a file's own are relative to its folder, others to the current one."""
    for dotted in _PATHS:
        *sections, name = dotted.split(".")
        section = values
        for part in sections:
            section = section.get(part) or {}
        if section.get(name) and section[name] != "-":
            section[name] = str(folder / Path(section[name]).expanduser())
    for prompt in (values.get("prompts") or {}).values():
        if prompt.get("file"):
            prompt["file"] = str(folder / Path(prompt["file"]).expanduser())


def _put(values: dict[str, Any], key: str, value: Any) -> None:
    *sections, name = key.split(".")
    for part in sections:
        values = values.setdefault(part, {})
    values[name] = value


def _typed(key: str, override: Override) -> Any:
    """An override's value as its field wants it (text is read as in the file). ConfigError when it cannot be that."""
    declared: Any = Config
    for part in key.split("."):
        declared = get_type_hints(declared)[part]
    only_words = get_origin(declared) is Literal
    options = (declared,) if only_words else get_args(declared) or (declared,)
    words = [word for option in options if get_origin(option) is Literal for word in get_args(option)]
    if only_words and override.value not in words:
        near = did_you_mean(str(override.value), words)
        raise ConfigError(f"{override.origin}: `{key}` must be one of: {', '.join(words)}.", hint=near or "Write one of these words.")
    if not isinstance(override.value, str) or str in options or override.value in words:
        return override.value
    value = number(override.value, whole=int in options, decimal=float in options)
    if value is ABSENT:
        raise ConfigError(f"{override.origin}: `{key}` wants a number.", hint="Digits, a point for decimals.")
    return value
