"""One config file as values: read, its variables expanded, each key's line kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from sparktui.core.config import Config, leaves
from sparktui.errors import ConfigError
from sparktui.io.config.expand import BadReferenceError, UnsetVariableError, expand
from sparktui.io.config.fieldtypes import Reader
from sparktui.io.config.keys import mode_note
from sparktui.io.config.yamltree import MappingNode, Node, ScalarNode, SequenceNode, at, parse, plain_text, text_of

_EXPANDED = {
    "server.base_url", "server.model", "server.api_key", "server.api_key_file", "server.admin_key", "server.tls.ca_file",
    "log.source", "log.tabbyapi_dir",
}  # fmt: skip


def read_file(path: Path, shown: str, env: Mapping[str, str], secret: Collection[str]) -> tuple[dict[str, Any], dict[str, int], list[str]]:
    """The values of a file, the line of each dotted key (from 1), and sentences worth showing once.

    `shown` is how the file is called in messages; `secret` are dotted keys whose value should not stand in a file that others can read.
    Raises ConfigError at file:line:column, never with a value in it.
    """
    return _File(path, shown, env, secret).read()


class _File:
    def __init__(self, path: Path, shown: str, env: Mapping[str, str], secret: Collection[str]) -> None:
        self._path = path
        self._shown = shown
        self._env = env
        self._secret = secret
        self._literal_key = False

    def read(self) -> tuple[dict[str, Any], dict[str, int], list[str]]:
        try:
            raw = self._path.read_bytes()
        except OSError as error:
            raise ConfigError(f"{self._shown} cannot be read: {error.strerror}.", hint="Check its permissions.") from None
        root = parse(text_of(raw, self._shown), self._shown)
        if root is None or (isinstance(root, ScalarNode) and plain_text(root, self._shown, self._shown) is None):
            return {}, {}, [f"{self._shown} is empty: every value is the default"]
        if not isinstance(root, MappingNode):
            kind = "a list" if isinstance(root, SequenceNode) else "plain text"
            where = at(self._shown, root.start_mark)
            raise ConfigError(f"{where}: the file is {kind}, not keys with values.", hint="Write `server:` and its keys first.")
        reader = Reader(self._shown, self._text, _known_sections())
        values = reader.section(root, Config, "")
        note = mode_note(self._path) if self._literal_key else None
        return values, reader.lines, [note] if note else []

    def _text(self, text: str, path: str, node: Node) -> str:
        if path not in _EXPANDED and not path.startswith("log.command[") and not (path.startswith("prompts.") and path.endswith(".file")):
            return text
        where = at(self._shown, node.start_mark)
        try:
            value, used = expand(text, self._env)
        except UnsetVariableError as error:
            hint = f"Set it, or write ${{{error.name}:-}} for empty when it is unset."
            raise ConfigError(f"{where}: `{path}` wants the environment variable {error.name}, which is not set.", hint=hint) from None
        except BadReferenceError:
            hint = "Write ${NAME}, or $$ for a dollar."
            raise ConfigError(f"{where}: `{path}` has a `${{` that names no variable.", hint=hint) from None
        if path in self._secret and value and not used:
            self._literal_key = True
        return value


def _known_sections() -> dict[str, str]:
    """Key name → the section it belongs to, for keys one level too high or low."""
    return {name.rsplit(".", 1)[-1]: name.rsplit(".", 1)[0] for name, _ in leaves(Config()) if "." in name}
