"""A YAML node → the value its field's type asks for. Text stays as written; words count as yes or no only where a yes or no is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from sparktui.core.nearest import did_you_mean
from sparktui.errors import ConfigError
from sparktui.io.config.numbers import ABSENT, number
from sparktui.io.config.yamltree import MappingNode, Node, ScalarNode, SequenceNode, at, entries, plain_text

_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_MAX_DEPTH = 40

TextHook = Callable[[str, str, Node], str]


class Reader:
    """Reads one file's nodes. `lines` maps each key's path to its line (from 1); `text` may change a text field's value."""

    def __init__(self, file: str, text: TextHook, known: Mapping[str, str]) -> None:
        self.file = file
        self.lines: dict[str, int] = {}
        self._text = text
        self._known = known

    def read(self, node: Node, declared: Any, path: str) -> Any:
        """The value of `node` for a field declared so, or ABSENT where an empty one means the field's default.

        Raises ConfigError at file:line:column.
        """
        self.lines[path] = node.start_mark.line + 1
        if declared is Any:
            return self._any(node, path, 0)
        options = _options(declared)
        text = plain_text(node, self.file, path) if isinstance(node, ScalarNode) else None
        if isinstance(node, ScalarNode) and text is None:
            return None if NoneType in options else ABSENT
        if text is not None and (int in options or float in options):
            value = None if text == "unset" and NoneType in options else number(text, whole=int in options, decimal=float in options)
            if value is not ABSENT:
                return value
        if text is not None and str in options:
            return self._text(text, path, node) or (None if NoneType in options else ABSENT)
        for option in options:
            if option is NoneType:
                continue
            value = self._try(node, text, option, path)
            if value is not ABSENT:
                return value
        self.refuse(node, path, f"wants {' or '.join(_named(o) for o in options if o is not NoneType)}", _example(options, path))

    def refuse(self, node: Node, path: str, problem: str, hint: str) -> NoReturn:
        """Raise a ConfigError at the node. The value itself is never shown: it may be a secret."""
        raise ConfigError(f"{at(self.file, node.start_mark)}: `{path}` {problem}.", hint=hint)

    def _try(self, node: Node, text: str | None, option: Any, path: str) -> Any:
        origin = get_origin(option)
        if isinstance(option, type) and issubclass(option, Struct):
            return self.section(node, option, path) if isinstance(node, MappingNode) else ABSENT
        if origin is tuple:
            return self._sequence(node, get_args(option)[0], path)
        if origin is dict:
            return self._mapping(node, get_args(option)[1], path)
        if text is None or not isinstance(node, ScalarNode):
            return ABSENT
        return self._scalar(node, text, option, path)

    def _scalar(self, node: Node, text: str, option: Any, path: str) -> Any:
        if get_origin(option) is Literal:
            words = get_args(option)
            if text in words:
                return text
            if len(words) > 1:
                self.refuse(node, path, f"must be one of: {', '.join(words)}", did_you_mean(text, words) or "Write one of these words.")
            return ABSENT
        return _BOOLEANS.get(text.lower(), ABSENT) if option is bool else ABSENT

    def section(self, node: Node, struct: type[Struct], path: str) -> dict[str, Any]:
        """The fields of a section as plain values. ConfigError for an unknown key, naming the nearest valid one."""
        if not isinstance(node, MappingNode):
            self.refuse(node, path, "wants keys below it", f"Write {path}: and its keys, indented by two, on lines of their own.")
        hints = get_type_hints(struct)
        values: dict[str, Any] = {}
        for name, key, value in entries(node, self.file, path):
            full = f"{path}.{name}" if path else name
            if name not in hints:
                raise ConfigError(f"{at(self.file, key.start_mark)}: unknown key `{full}`.", hint=self._nearest(name, hints, path))
            read = self.read(value, hints[name], full)
            self.lines[full] = key.start_mark.line + 1
            if read is not ABSENT:
                values[name] = read
        return values

    def _nearest(self, name: str, here: Mapping[str, Any], path: str) -> str:
        near = did_you_mean(name, here)
        if near:
            return near
        if name in self._known:
            return f"It belongs below `{self._known[name]}`."
        return f"Known here: {', '.join(here)}."

    def _sequence(self, node: Node, item: Any, path: str) -> Any:
        if not isinstance(node, SequenceNode):
            return ABSENT
        values = [self.read(child, item, f"{path}[{i}]") for i, child in enumerate(node.value)]
        for i, value in enumerate(values):
            if value is ABSENT:
                self.refuse(node.value[i], f"{path}[{i}]", "is empty", "Delete it, or write a value.")
        return tuple(values)

    def _mapping(self, node: Node, item: Any, path: str) -> Any:
        if not isinstance(node, MappingNode):
            return ABSENT
        values = {}
        for name, key, value in entries(node, self.file, path):
            values[name] = self.read(value, item, f"{path}.{name}")
            self.lines[f"{path}.{name}"] = key.start_mark.line + 1
            if values[name] is ABSENT:
                self.refuse(value, f"{path}.{name}", "is empty", "Delete the key, or give it a value.")
        return values

    def _any(self, node: Node, path: str, depth: int) -> Any:
        """A free value (request parameters, load settings, a schema): numbers, true/false, null and text as JSON knows them."""
        if depth > _MAX_DEPTH:
            self.refuse(node, path, f"is nested more than {_MAX_DEPTH} deep", "Make it flatter.")
        if isinstance(node, MappingNode):
            return {name: self._any(value, f"{path}.{name}", depth + 1) for name, _, value in entries(node, self.file, path)}
        if isinstance(node, SequenceNode):
            return [self._any(child, f"{path}[{i}]", depth + 1) for i, child in enumerate(node.value)]
        if not isinstance(node, ScalarNode):
            return None
        text = plain_text(node, self.file, path)
        if text is None or node.style is not None:
            return text
        if text in {"true", "false", "True", "False", "TRUE", "FALSE"}:
            return text.lower() == "true"
        value = number(text, whole=True, decimal=True) if not re.match(r"[+-]?0\d", text) else ABSENT
        return text if value is ABSENT else value


def _options(declared: Any) -> tuple[Any, ...]:
    return get_args(declared) if get_origin(declared) in {Union, UnionType} else (declared,)


def _named(option: Any) -> str:
    if get_origin(option) is Literal:
        return " or ".join(f"`{word}`" for word in get_args(option))
    if get_origin(option) is tuple:
        return "a list"
    if get_origin(option) is dict or (isinstance(option, type) and issubclass(option, Struct)):
        return "keys below it"
    return {str: "text", bool: "true or false", int: "a whole number", float: "a number"}.get(option, "another value")


def _example(options: tuple[Any, ...], path: str) -> str:
    key = path.rsplit(".", 1)[-1]
    for option in options:
        if get_origin(option) is tuple:
            return f"Write {key}: [one, two]."
        if get_origin(option) is dict or (isinstance(option, type) and issubclass(option, Struct)):
            return f"Write {key}: and its keys, indented by two, on lines of their own."
        if option is str:
            return f'Write {key}: "text", in quotes if it has special characters.'
    return f"Write {key}: true" if bool in options else f"Write {key}: 1 (digits, a point for decimals)."
