"""Which config file counts: --config, then ./config.yml, then the user's config folder. The first that exists wins; they are not merged."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from sparktui.errors import ConfigError

FILE_NAME = "config.yml"


class Place(Struct, frozen=True):
    """`from_cwd`: found in the current folder without being named, so its commands need the user's consent."""

    path: Path
    from_cwd: bool


def find_config(named: Path | None, env: Mapping[str, str], cwd: Path) -> Place | None:
    """The config file that counts, or None when there is none. A named one must exist: ConfigError."""
    if named is None and env.get("SPARKTUI_CONFIG"):
        named = Path(env["SPARKTUI_CONFIG"])
    if named is not None:
        path = cwd / named.expanduser()
        if not path.is_file():
            raise ConfigError(f"There is no config file {path}.", hint="Check --config or SPARKTUI_CONFIG; else ./config.yml counts.")
        return Place(path, from_cwd=False)
    here = cwd / FILE_NAME
    if here.is_file():
        return Place(here, from_cwd=True)
    own = user_config_file()
    return Place(own, from_cwd=False) if own.is_file() else None


def user_config_file() -> Path:
    """Where the user's own config would lie, existing or not."""
    from platformdirs import user_config_path

    return user_config_path("sparktui") / FILE_NAME
