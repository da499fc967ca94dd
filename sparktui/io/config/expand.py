"""Environment variables in a config value: `${VAR}`, `${VAR:-default}`, `$$` for one dollar. A lone `$5` stays as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PATTERN = re.compile(r"\$\$|\$\{(?P<inside>[^}]*)\}|\$\{")
_INSIDE = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>.*))?", re.DOTALL)


class UnsetVariableError(ValueError):
    """`name` is not set and has no default."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class BadReferenceError(ValueError):
    """A `${` that is not closed or holds no variable name."""


def expand(text: str, env: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """`text` with its references replaced, and the names used. Expanded values are not expanded again.

    A default stands in for a variable that is unset or empty. Raises UnsetVariableError, BadReferenceError.
    """
    used: list[str] = []

    def value(match: re.Match[str]) -> str:
        if match[0] == "$$":
            return "$"
        inside = _INSIDE.fullmatch(match["inside"] or "")
        if inside is None:
            raise BadReferenceError
        used.append(inside["name"])
        found = env.get(inside["name"])
        if inside["default"] is not None:
            return found or inside["default"]
        if found is None:
            raise UnsetVariableError(inside["name"])
        return found

    return _PATTERN.sub(value, text), tuple(used)
