"""JSON as servers really send it: what has the wrong type is absent, nothing raises but text that is no JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec

_decode = msgspec.json.decode
# beyond this JSON numbers are no longer exact, and no server has ever counted so far
LARGEST_COUNT = 2**53


def read_json(text: str | bytes) -> Any:
    """The value of a JSON text. Accepts NaN and unpaired surrogate escapes, which become U+FFFD. Raises ValueError on anything else."""
    try:
        return _decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    try:
        return _mended(json.loads(text))
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def mapping(value: Any) -> dict[str, Any]:
    """`value` if it is an object, else an empty one."""
    return value if type(value) is dict else {}


def count(value: Any) -> int | None:
    """A whole number from 0 to LARGEST_COUNT, else None. Booleans are no numbers."""
    if type(value) is int:
        return value if 0 <= value <= LARGEST_COUNT else None
    if type(value) is float and 0 <= value <= LARGEST_COUNT and value.is_integer():
        return int(value)
    return None


def number(value: Any) -> float | None:
    """A finite number ≥ 0 as a float, else None (words such as "Indeterminate" or "N/A", NaN, booleans)."""
    if type(value) is float:
        return value if value >= 0 and math.isfinite(value) else None
    if type(value) is int and 0 <= value < 2**63:
        return float(value)
    return None


def positive(value: Any) -> float | None:
    """`number`, but 0 is absent too: no rate is 0."""
    found = number(value)
    return found or None


def word(value: Any) -> str:
    """`value` if it is text, else ""."""
    return value if type(value) is str else ""


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return value
