"""Numbers as people write them in a config file, an environment variable or an option."""

from __future__ import annotations

import math
import re

ABSENT = object()
"""Stands for "no value here": None may be one."""

_INTEGER = re.compile(r"[+-]?\d[\d_]*")
_NUMBER = re.compile(r"[+-]?(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][+-]?\d+)?")


def number(text: str, *, whole: bool, decimal: bool) -> int | float | object:
    """`text` as an int (`whole`) or a float (`decimal`); with both, the form it was given in decides. ABSENT when it is neither."""
    if whole and _INTEGER.fullmatch(text):
        return int(text.replace("_", ""))
    if not _NUMBER.fullmatch(text):
        return ABSENT
    value = float(text.replace("_", ""))
    if not math.isfinite(value):
        return ABSENT
    if decimal:
        return value
    return int(value) if value.is_integer() else ABSENT
