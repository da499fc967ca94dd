"""Every check that needs no terminal, one after the other; the worker runs it where the server is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparktui.core.config import leaves
from sparktui.core.scrub import mask_url
from sparktui.engine.checks.check import Check
from sparktui.engine.checks.localcheck import check_config, check_data_dir, check_log, check_python
from sparktui.engine.checks.servercheck import check_server
from sparktui.io.config.configfile import SECRET_PATHS, LoadedConfig


def examine(loaded: LoadedConfig, *, demo: bool = False, demo_speed: float = 1.0) -> Iterator[Check]:
    """Python, config, data folder, server and log, in this order; each as soon as it is known. Never raises for what it finds."""
    yield from check_python()
    yield from check_config(loaded)
    yield from check_data_dir()
    origin = "option --demo" if demo else loaded.origins.get("server.base_url", "")
    kind = yield from check_server(loaded.config, demo=demo, origin=origin, speed=demo_speed)
    yield from check_log(loaded.config.log, kind)


def settings(loaded: LoadedConfig) -> Iterator[tuple[str, str, str]]:
    """Every setting: dotted key, its value as one would write it (keys masked), and where it came from."""
    for key, value in leaves(loaded.config):
        if key in SECRET_PATHS:
            shown = "••••" if value else "–"
        elif key == "server.base_url" and value != "auto":
            shown = mask_url(value)
        else:
            shown = _written(value)
        yield key, shown, loaded.origins.get(key, "default")


def _written(value: Any) -> str:
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return "[" + ", ".join("unset" if item is None else getattr(item, "name", str(item)) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(value) + "}" if value else "{}"
    return str(value)
