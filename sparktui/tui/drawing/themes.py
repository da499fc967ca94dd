"""Our own light theme, and which theme a name means."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from textual.theme import Theme

from sparktui.errors import ConfigError

DEFAULT_THEME = "gruvbox"

SPARK_LIGHT = Theme(
    name="spark-light",
    dark=False,
    background="#fbf1c7",
    surface="#ebdbb2",
    panel="#d5c4a1",
    foreground="#282828",
    primary="#076678",
    secondary="#7c6f64",
    accent="#8a5300",
    warning="#af3a03",
    error="#9d0006",
    success="#5f5a0b",
)


def theme_named(name: str, available: Iterable[str]) -> str:
    """`name` where it is a theme. Raises ConfigError with the nearest names where it is not."""
    names = sorted(available)
    if name in names:
        return name
    near = difflib.get_close_matches(name, names, n=1)
    meant = f"did you mean {near[0]}? " if near else ""
    raise ConfigError(f"ui.theme: there is no theme {name!r}.", hint=f"{meant}ctrl+p lists all of them")
