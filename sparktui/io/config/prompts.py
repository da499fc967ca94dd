"""The prompts there are by name: the two of the reference measurements, one with structured output, and the config's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sparktui.core.config import Config, PromptConfig
from sparktui.core.nearest import did_you_mean
from sparktui.core.plans import PromptSpec
from sparktui.errors import ConfigError, UsageError

JSON_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "boats": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "length_m": {"type": "number"},
                    "crew": {"type": "integer"},
                    "afloat": {"type": "boolean"},
                },
                "required": ["name", "length_m", "crew", "afloat"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["boats"],
    "additionalProperties": False,
}

BUILT_IN = {
    "story": "Write a short story about a lighthouse keeper (about 500 words).",
    "code": "Write a Python module implementing a thread-safe LRU cache class with get, put, capacity eviction, "
    "and a small pytest test file. Code only, no explanation.",
    "json": "List sixty invented boats of a small harbour: name, length in metres, crew, and whether each is afloat. Answer in JSON.",
}


def prompt_names(config: Config) -> tuple[str, ...]:
    """Built-in names first, then the config's in its order."""
    return tuple(dict.fromkeys((*BUILT_IN, *config.prompts)))


def resolve_prompts(config: Config) -> dict[str, PromptSpec]:
    """Every prompt by name; files are read. A config prompt takes the place of a built-in one of its name. Raises ConfigError."""
    return {name: resolve_prompt(config, name) for name in prompt_names(config)}


def resolve_prompt(config: Config, name: str) -> PromptSpec:
    """One prompt by name. Raises UsageError for a name that does not exist, ConfigError for a file that cannot be read."""
    own = config.prompts.get(name)
    if own is not None:
        return _from_config(name, own)
    if name in BUILT_IN:
        return PromptSpec(name=name, text=BUILT_IN[name], schema=JSON_SCHEMA if name == "json" else None)
    names = prompt_names(config)
    raise UsageError(f"There is no prompt named {name!r}.", hint=did_you_mean(name, names) or f"Known: {', '.join(names)}.")


def _from_config(name: str, own: PromptConfig) -> PromptSpec:
    text = own.text if own.text is not None else read_prompt_file(Path(own.file or ""))
    return PromptSpec(name=name, text=text, params=own.params, schema=own.schema)


def read_prompt_file(path: Path) -> str:
    """A prompt's text: UTF-8, without a byte-order mark and without the line breaks at its end. Raises ConfigError."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"The prompt file {path} cannot be read: {error.strerror}.", hint="Check the path.") from None
    except UnicodeDecodeError:
        raise ConfigError(f"The prompt file {path} is not UTF-8.", hint="Save it as UTF-8.") from None
    text = text.rstrip("\r\n")
    if not text.strip():
        raise ConfigError(f"The prompt file {path} is empty.", hint="Write the prompt into it.")
    return text
