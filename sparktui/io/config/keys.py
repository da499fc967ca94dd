"""API keys: from a value, an environment variable or a file; checked before use, never shown."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from sparktui.errors import ConfigError

_TOKENS_FILE = re.compile(r"^\s*(api_key|admin_key)\s*:", re.MULTILINE)


def clean_key(raw: str, origin: str) -> str | None:
    """The key without white space around it and without a pasted `Bearer `; None when nothing is left.

    Raises ConfigError, naming `origin` but not the key, for a character that no HTTP header can carry.
    """
    key = raw.strip().removeprefix("Bearer ").strip()
    for position, character in enumerate(key, 1):
        if not 0x21 <= ord(character) <= 0x7E:
            name = unicodedata.name(character, "a control character")
            raise ConfigError(
                f"The key from {origin} has a character that a key cannot have: U+{ord(character):04X} ({name}) at position {position}.",
                hint="Copy it again without quotes, blanks or line breaks around or in it.",
            )
    return key or None


def read_key_file(path: Path) -> str | None:
    """The API key in a file: its only line, or the first `api_key` of TabbyAPI's api_tokens.yml. The admin key is never taken.

    None when the file is empty. Raises ConfigError.
    """
    from sparktui.io.config.yamltree import text_of

    try:
        text = text_of(path.read_bytes(), str(path))
    except OSError as error:
        raise ConfigError(f"The key file {path} cannot be read: {error.strerror}.", hint="Check server.api_key_file.") from None
    if _TOKENS_FILE.search(text):
        return _first_api_key(text, path)
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if len(lines) > 1:
        raise ConfigError(f"The key file {path} has {len(lines)} lines.", hint="It should hold one key, or be TabbyAPI's api_tokens.yml.")
    return clean_key(lines[0], str(path)) if lines else None


def _first_api_key(text: str, path: Path) -> str | None:
    from sparktui.io.config.yamltree import MappingNode, ScalarNode, SequenceNode, entries, parse

    root = parse(text, str(path))
    if isinstance(root, MappingNode):
        for name, _, value in entries(root, str(path)):
            if name != "api_key":
                continue
            first = value.value[0] if isinstance(value, SequenceNode) and value.value else value
            if isinstance(first, ScalarNode):
                return clean_key(first.value, str(path))
    raise ConfigError(f"The key file {path} has no api_key.", hint="The admin key is never used for requests; add an api_key.")


def mode_note(path: Path) -> str | None:
    """A sentence when others on this machine may read a file that holds a key, else None."""
    try:
        mode = path.stat().st_mode & 0o777
    except OSError:
        return None
    return f"{path} holds a key and others may read it (mode {mode:04o}): chmod 600 {path}" if mode & 0o077 else None
