"""YAML text → a tree of nodes that know their line and column. Nothing is resolved here: a scalar is its text as written."""

from __future__ import annotations

import re
from typing import NoReturn

import yaml
from yaml.error import Mark, MarkedYAMLError
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from sparktui.errors import ConfigError

__all__ = ["MappingNode", "Node", "ScalarNode", "SequenceNode", "at", "entries", "parse", "text_of"]

MAX_BYTES = 1_000_000
_QUOTE_IT = "Put the value in quotes: key: \"value\"."
_ANCHOR = "anchor"
_HALF = "half a character"
_SURROGATE = re.compile("[\ud800-\udfff]")
_CORE_TAG = "tag:yaml.org,2002:"


def at(file: str, mark: Mark) -> str:
    """`file:line:column`, both from 1."""
    return f"{file}:{mark.line + 1}:{mark.column + 1}"


def text_of(raw: bytes, file: str) -> str:
    """The file's bytes as text: UTF-8, with or without a byte-order mark. ConfigError for anything else."""
    if len(raw) > MAX_BYTES:
        raise ConfigError(f"{file}: {len(raw):,} bytes is too long for a config file.", hint="Is it the right file?")
    if raw[:2] in {b"\xff\xfe", b"\xfe\xff"} or b"\0" in raw[:64]:
        raise ConfigError(f"{file}: the file is UTF-16, not UTF-8.", hint="Save it as UTF-8 (in the Windows Editor: Save as, Encoding).")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{file}:{line}: a character is not UTF-8.", hint="Save the file as UTF-8.") from None


class _Loader(yaml.SafeLoader):
    """Refuses anchors and aliases: a key that starts with & or * would silently become something else.

    A character that JSON writes as two escapes is one character here too.
    """

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "anchor", None) is not None:
            raise MarkedYAMLError(None, None, _ANCHOR, event.start_mark)
        node: Node | None = super().compose_node(parent, index)
        if isinstance(node, ScalarNode) and _SURROGATE.search(node.value):
            try:
                node.value = node.value.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
            except UnicodeDecodeError:
                raise MarkedYAMLError(None, None, _HALF, node.start_mark) from None
        return node


def parse(text: str, file: str) -> Node | None:
    """The document's root node, or None when it is empty. ConfigError at file:line:column; values are never quoted in it."""
    try:
        return yaml.compose(text, Loader=_Loader)
    except MarkedYAMLError as error:
        _refuse(error, text, file)
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        hint = "Delete it, or write it as \\xNN in double quotes."
        raise ConfigError(f"{file}:{line}: a control character is not allowed here.", hint=hint) from None


def _refuse(error: MarkedYAMLError, text: str, file: str) -> NoReturn:
    mark = error.problem_mark or error.context_mark
    problem, context = error.problem or "", error.context or ""
    if mark is None:
        raise ConfigError(f"{file}: this is not YAML.", hint="Compare it with the shipped config.yml.") from None
    lines = text.split("\n")
    source = lines[mark.line] if mark.line < len(lines) else ""
    if "\\t" in problem or "\t" in source[: len(source) - len(source.lstrip())]:
        message, hint = "a tab is used to indent.", "YAML wants spaces: replace the tab by two."
    elif "quoted scalar" in context:
        mark = error.context_mark or mark
        message, hint = "a quote opened here is never closed.", "Close it on the same line."
    elif "mapping values are not allowed" in problem:
        message, hint = "there is a second `:` in this line, or the indentation is off.", f"{_QUOTE_IT} Keys of a section share one column."
    elif problem == _ANCHOR or "cannot start any token" in problem or "alias" in context or "anchor" in context:
        message, hint = "a value starts with a character that means something in YAML (one of * & % @ `).", _QUOTE_IT
    elif problem == _HALF:
        message, hint = "an escape \\uD800 to \\uDFFF stands alone; it is half a character.", "Write the character itself, or both halves."
    elif "single document" in context or "another document" in problem:
        message, hint = "a second document starts here (`---`).", "Keep one document in the file."
    elif "unknown escape" in problem:
        message, hint = "there is an unknown \\ escape in double quotes.", "Use single quotes, or write \\\\ for one \\."
    else:
        message, hint = f"{_without_values(problem)}.", "Check the indentation and brackets of this line and the one before."
    raise ConfigError(f"{at(file, mark)}: {message}", hint=hint) from None


def _without_values(problem: str) -> str:
    """The parser's words without anything it quotes from the file: that may be a secret."""
    kept = re.sub(r"'(?!<)[^']{2,}'", "something else", problem)
    return kept[:1].lower() + kept[1:] if kept else "this line cannot be read"


def entries(node: MappingNode, file: str, path: str = "") -> list[tuple[str, Node, Node]]:
    """Key text, key node and value node of a mapping, in order. ConfigError for a key given twice or a key that is no plain text."""
    found: dict[str, tuple[str, Node, Node]] = {}
    for key, value in node.value:
        if not isinstance(key, ScalarNode):
            raise ConfigError(f"{at(file, key.start_mark)}: a key must be plain text.", hint="Write key: value.")
        name = key.value
        if name in found:
            first = found[name][1].start_mark.line + 1
            shown = f"{path}.{name}" if path else name
            raise ConfigError(f"{at(file, key.start_mark)}: `{shown}` is given twice; first on line {first}.", hint="Keep one of them.")
        found[name] = (name, key, value)
    return list(found.values())


def plain_text(node: ScalarNode, file: str, path: str) -> str | None:
    """A scalar's text as written; None for an empty one, `~` or `null` without quotes. ConfigError for a `!tag`."""
    if not node.tag.startswith(_CORE_TAG):
        raise ConfigError(f"{at(file, node.start_mark)}: `{path}` starts with `!`, which YAML takes for a type.", hint=_QUOTE_IT)
    if node.style is None and node.value in {"", "~", "null", "Null", "NULL"}:
        return None
    return str(node.value)
